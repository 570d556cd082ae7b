use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::RuntimeMetrics;
use tokio::time::Instant;

use crate::latency::{Latencies, Percentiles, Resolution};
use crate::timeline::{Levels, Slice, Timeline};

/// Counts what the observed workload is asked to do. Clones share the counts.
///
/// All counts change together under one lock, so a peak is a state that really was, on any number of threads.
#[derive(Debug, Clone)]
pub struct Probe {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    runtime: RuntimeMetrics,
    /// Tasks of the runtime that are none of the strategy's.
    other_tasks: u64,
    start: Instant,
    polls: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    counts: Counts,
    peaks: Peaks,
    last_ns: u64,
    /// Until when the timeline goes.
    followed_ns: u64,
    call_time_ns: u64,
    timeline: Timeline,
    service: Latencies,
    response: Latencies,
}

/// How things stand at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Items that the strategy was given: nodes revealed to it, messages it took.
    pub given: u64,
    /// Calls started.
    pub started: u64,
    /// Calls started for an item that had been called before.
    pub retried: u64,
    /// Calls that answered.
    pub answered: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Calls that were dropped before their end.
    pub dropped: u64,
}

impl Counts {
    /// Calls between their start and their end.
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.started - self.finished()
    }

    /// Calls that ended, in whatever way.
    #[must_use]
    pub const fn finished(&self) -> u64 {
        self.answered + self.failed + self.dropped
    }

    /// Items given and not started. One that backs off before it is called again has been started. None, where a strategy
    /// has called more than it was given: that is for its account to find.
    #[must_use]
    pub const fn backlog(&self) -> u64 {
        (self.given + self.retried).saturating_sub(self.started)
    }

    /// Items given and not finished, each call of an item finishing it.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        (self.given + self.retried).saturating_sub(self.finished())
    }
}

/// The highest of each, each at its own moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Peaks {
    /// Most calls between their start and their end.
    pub in_flight: u64,
    /// Most live tasks of the runtime, of those moments at which a call started or ended.
    pub tasks: u64,
    /// Most items given and not started.
    pub backlog: u64,
    /// Most items given and not finished.
    pub taken: u64,
}

/// All that was observed, up to one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// How things stand.
    pub counts: Counts,
    /// How high they stood.
    pub peaks: Peaks,
    /// Live tasks of the runtime now.
    pub tasks: u64,
    /// When something last happened, since the start.
    pub last_ns: u64,
    /// How often the calls' futures were polled in all.
    pub polls: u64,
    /// The time of all calls that ended or were dropped, together.
    pub call_time_ns: u64,
    /// The calls' times from their actual start; `None` where none ended.
    pub service: Option<Percentiles>,
    /// The items' times from their intended start; `None` where none ended.
    pub response: Option<Percentiles>,
    /// What happened when.
    pub timeline: Vec<Slice>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It answered, and revealed so many items.
    Answered { revealed: u64 },
    /// It failed.
    Failed,
}

impl Probe {
    /// A probe whose time starts now, on the clock of the tokio runtime that it is made in.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[must_use]
    pub fn new(resolution: Resolution) -> Self {
        Self::beside(resolution, 0)
    }

    /// Likewise, where so many tasks of the runtime are none of the strategy's and shall not be counted.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[must_use]
    pub fn beside(resolution: Resolution, other_tasks: u64) -> Self {
        let state = State {
            counts: Counts::default(),
            peaks: Peaks::default(),
            last_ns: 0,
            followed_ns: 0,
            call_time_ns: 0,
            timeline: Timeline::new(),
            service: Latencies::new(resolution),
            response: Latencies::new(resolution),
        };
        Self {
            shared: Arc::new(Shared {
                runtime: tokio::runtime::Handle::current().metrics(),
                other_tasks,
                start: Instant::now(),
                polls: AtomicU64::new(0),
                state: Mutex::new(state),
            }),
        }
    }

    /// How things stand now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.state().counts
    }

    /// Reads everything.
    #[must_use]
    pub fn read(&self) -> Reading {
        let tasks = self.live_tasks();
        let mut state = self.state();
        state.peaks.tasks = state.peaks.tasks.max(tasks);
        Reading {
            counts: state.counts,
            peaks: state.peaks,
            tasks,
            last_ns: state.last_ns,
            polls: self.shared.polls.load(Ordering::Relaxed),
            call_time_ns: state.call_time_ns,
            service: state.service.percentiles(),
            response: state.response.percentiles(),
            timeline: state.timeline.slices(state.followed_ns),
        }
    }

    /// Follows the timeline up to now: calls may be in flight that nothing has happened to since.
    pub fn follow(&self) {
        let (now_ns, tasks) = (self.now_ns(), self.live_tasks());
        self.state().follow(now_ns, tasks);
    }

    /// Now, since the probe's start.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.since_start_ns(Instant::now())
    }

    /// An instant, since the probe's start; one before it counts as the start.
    pub(crate) fn since_start_ns(&self, instant: Instant) -> u64 {
        let elapsed = instant.saturating_duration_since(self.shared.start);
        u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
    }

    /// The strategy was given items.
    pub(crate) fn give(&self, items: u64) {
        let now_ns = self.now_ns();
        self.state().change(now_ns, None, |state| state.counts.given += items);
    }

    /// A call starts, for an item that may have been called before. Gives back when.
    pub(crate) fn start_call(&self, again: bool) -> u64 {
        let (now_ns, tasks) = (self.now_ns(), self.live_tasks());
        self.state().change(now_ns, Some(tasks), |state| {
            state.counts.started += 1;
            state.counts.retried += u64::from(again);
        });
        now_ns
    }

    /// A call ends. Gives back when.
    pub(crate) fn end_call(&self, started_ns: u64, intended_ns: u64, ended: Ended) -> u64 {
        let (now_ns, tasks) = (self.now_ns(), self.live_tasks());
        self.state().change(now_ns, Some(tasks), |state| {
            let took_ns = now_ns.saturating_sub(started_ns);
            state.call_time_ns += took_ns;
            state.service.record(took_ns);
            state.response.record(now_ns.saturating_sub(intended_ns));
            match ended {
                Ended::Answered { revealed } => {
                    state.counts.answered += 1;
                    state.counts.given += revealed;
                }
                Ended::Failed => state.counts.failed += 1,
            }
        });
        now_ns
    }

    /// A call is dropped before its end.
    pub(crate) fn drop_call(&self, started_ns: u64) {
        let now_ns = self.now_ns();
        self.state().change(now_ns, None, |state| {
            state.counts.dropped += 1;
            state.call_time_ns += now_ns.saturating_sub(started_ns);
        });
    }

    /// A call's future is polled.
    pub(crate) fn poll(&self) {
        self.shared.polls.fetch_add(1, Ordering::Relaxed);
    }

    fn live_tasks(&self) -> u64 {
        (self.shared.runtime.num_alive_tasks() as u64).saturating_sub(self.shared.other_tasks)
    }

    /// A panic in a call leaves the counts as they were: each change is whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn change(&mut self, now_ns: u64, tasks: Option<u64>, change: impl FnOnce(&mut Self)) {
        change(self);
        let (counts, peaks) = (self.counts, &mut self.peaks);
        peaks.in_flight = peaks.in_flight.max(counts.in_flight());
        peaks.backlog = peaks.backlog.max(counts.backlog());
        peaks.taken = peaks.taken.max(counts.taken());
        peaks.tasks = peaks.tasks.max(tasks.unwrap_or(0));
        // Threads read their clocks before they get the lock, so time may seem to step back.
        self.last_ns = self.last_ns.max(now_ns);
        if let Some(tasks) = tasks {
            self.follow(now_ns, tasks);
        }
    }

    fn follow(&mut self, now_ns: u64, tasks: u64) {
        let counts = self.counts;
        let levels = Levels { in_flight: counts.in_flight(), tasks, backlog: counts.backlog() };
        self.timeline.record(now_ns, levels);
        self.followed_ns = self.followed_ns.max(now_ns);
    }
}
