use std::time::{Duration, Instant};

/// What can be seen of a program from outside, at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Calls between their start and their end.
    pub in_flight: u64,
    /// Calls started so far.
    pub started: u64,
    /// Calls ended so far.
    pub finished: u64,
    /// Items known and not finished.
    pub outstanding: u64,
}

/// Judges, on the wall clock, that a program is stuck: nothing in flight, nothing started or finished, and work
/// outstanding, for a whole grace period.
///
/// A call in flight, however slow, is never a deadlock. The grace period has to exceed whatever the program may rightly
/// wait for with nothing in flight: a backoff, a gap between two arrivals.
#[derive(Debug)]
pub struct Detector {
    grace: Duration,
    idle: Option<Idle>,
}

#[derive(Debug)]
struct Idle {
    since: Instant,
    last_tick: Instant,
    progress: Progress,
}

impl Detector {
    /// How often [`observe`](Self::observe) is to be called.
    pub const TICK: Duration = Duration::from_millis(20);
    /// The shortest grace period: well above what a scheduler delays a thread by.
    const LEAST_GRACE: Duration = Duration::from_millis(250);
    /// What the grace period has above the longest pause, for timers that fire late.
    const MARGIN: Duration = Duration::from_millis(25);

    /// A detector for a program that may rightly pause for `longest_pause` with nothing in flight.
    #[must_use]
    pub fn new(longest_pause: Duration) -> Self {
        let grace = Self::LEAST_GRACE.max(longest_pause.saturating_add(Self::MARGIN));
        Self { grace, idle: None }
    }

    /// Takes in what is seen now, and says whether it is stuck.
    ///
    /// A tick that comes late starts the grace period anew: whatever delayed the detector may have delayed the program.
    pub fn observe(&mut self, now: Instant, progress: Progress) -> bool {
        if progress.in_flight > 0 || progress.outstanding == 0 {
            self.idle = None;
            return false;
        }
        match &mut self.idle {
            Some(idle) if idle.progress == progress && now - idle.last_tick <= 2 * Self::TICK => {
                idle.last_tick = now;
                now - idle.since >= self.grace
            }
            _ => {
                self.idle = Some(Idle { since: now, last_tick: now, progress });
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Progress = Progress { in_flight: 0, started: 20, finished: 20, outstanding: 81 };

    /// The tick at which the detector speaks, of ticks that are on time.
    fn verdict(detector: &mut Detector, start: Instant, seen: impl Fn(u32) -> Progress) -> Option<u32> {
        (0..100).find(|&tick| detector.observe(start + Detector::TICK * tick, seen(tick)))
    }

    #[test]
    fn idle_with_work_outstanding_is_stuck_after_the_grace_period() {
        // 13 ticks of 20 ms are the first to reach 250 ms.
        assert_eq!(verdict(&mut Detector::new(Duration::ZERO), Instant::now(), |_| IDLE), Some(13));
    }

    #[test]
    fn a_longer_pause_makes_a_longer_grace_period() {
        let longest = Duration::from_millis(450);
        let tick = verdict(&mut Detector::new(longest), Instant::now(), |_| IDLE).expect("stuck");
        let after = Detector::TICK * tick;
        assert!(after > longest && after < Duration::from_millis(500), "{after:?}");
    }

    #[test]
    fn a_slow_call_is_never_a_deadlock() {
        let slow = Progress { in_flight: 1, ..IDLE };
        assert_eq!(verdict(&mut Detector::new(Duration::ZERO), Instant::now(), |_| slow), None);
    }

    #[test]
    fn nothing_outstanding_is_done_not_stuck() {
        let done = Progress { outstanding: 0, ..IDLE };
        assert_eq!(verdict(&mut Detector::new(Duration::ZERO), Instant::now(), |_| done), None);
    }

    #[test]
    fn progress_between_two_ticks_starts_it_anew() {
        let seen = |tick| Progress { finished: 20 + u64::from(tick / 10), ..IDLE };
        assert_eq!(verdict(&mut Detector::new(Duration::ZERO), Instant::now(), seen), None);
    }

    #[test]
    fn a_late_tick_starts_it_anew() {
        let mut detector = Detector::new(Duration::ZERO);
        let start = Instant::now();
        assert!(!detector.observe(start, IDLE));
        let late = start + Duration::from_secs(1);
        assert!(!detector.observe(late, IDLE));
        assert_eq!(verdict(&mut detector, late, |_| IDLE), Some(13));
    }
}
