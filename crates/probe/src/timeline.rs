//! What happened when, in constant memory.

/// How many bins there are. Once time outgrows them they double in width, so between half of them and all are in use.
const BINS: usize = 128;

/// How wide a bin is at first.
const FIRST_WIDTH_NS: u64 = 1_000_000;

/// What is followed over time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) in_flight: u64,
    pub(crate) tasks: u64,
    pub(crate) backlog: u64,
}

impl Levels {
    fn max(self, other: Self) -> Self {
        Self {
            in_flight: self.in_flight.max(other.in_flight),
            tasks: self.tasks.max(other.tasks),
            backlog: self.backlog.max(other.backlog),
        }
    }
}

/// The peaks within one stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// Where it starts, since the start of the walk.
    pub start_ns: u64,
    /// How long it is.
    pub width_ns: u64,
    /// Most calls in flight.
    pub in_flight: u64,
    /// Most live tasks.
    pub tasks: u64,
    /// Most items given and not started.
    pub backlog: u64,
}

#[derive(Debug, Clone, Copy)]
struct Bin {
    peak: Levels,
    last: Levels,
    /// Whether its first event came at its very start. If not, what was before reached into it.
    fresh: bool,
}

/// Bins of peaks over time.
#[derive(Debug)]
pub(crate) struct Timeline {
    width_ns: u64,
    bins: [Option<Bin>; BINS],
}

impl Timeline {
    pub(crate) const fn new() -> Self {
        Self { width_ns: FIRST_WIDTH_NS, bins: [None; BINS] }
    }

    /// Notes how things stand after a change.
    pub(crate) fn record(&mut self, at_ns: u64, levels: Levels) {
        while at_ns / self.width_ns >= BINS as u64 {
            self.double();
        }
        let at = (at_ns / self.width_ns) as usize;
        let bin = self.bins[at].get_or_insert(Bin {
            peak: levels,
            last: levels,
            fresh: at_ns.is_multiple_of(self.width_ns),
        });
        bin.peak = bin.peak.max(levels);
        bin.last = levels;
    }

    fn double(&mut self) {
        for at in 0..BINS / 2 {
            self.bins[at] = match (self.bins[2 * at], self.bins[2 * at + 1]) {
                (Some(early), Some(late)) => Some(Bin {
                    // Without an event at the late one's start, the early one's last reached into it; it is among the
                    // early one's peaks already.
                    peak: early.peak.max(late.peak),
                    last: late.last,
                    fresh: early.fresh,
                }),
                (Some(early), None) => Some(early),
                (None, Some(late)) => Some(Bin { fresh: false, ..late }),
                (None, None) => None,
            };
        }
        self.bins[BINS / 2..].fill(None);
        self.width_ns *= 2;
    }

    /// The bins up to `end_ns`, those without an event filled with what was before.
    pub(crate) fn slices(&self, end_ns: u64) -> Vec<Slice> {
        let used = (end_ns / self.width_ns) as usize + 1;
        let mut before = Levels::default();
        let fill = |(at, bin): (usize, &Option<Bin>)| {
            let peak = match bin {
                Some(bin) if bin.fresh => bin.peak,
                Some(bin) => bin.peak.max(before),
                None => before,
            };
            before = bin.map_or(before, |bin| bin.last);
            Slice {
                start_ns: at as u64 * self.width_ns,
                width_ns: self.width_ns,
                in_flight: peak.in_flight,
                tasks: peak.tasks,
                backlog: peak.backlog,
            }
        };
        self.bins.iter().take(used).enumerate().map(fill).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn in_flight(in_flight: u64) -> Levels {
        Levels { in_flight, ..Levels::default() }
    }

    fn seen(timeline: &Timeline, end_ms: u64) -> Vec<u64> {
        timeline.slices(end_ms * MS).iter().map(|slice| slice.in_flight).collect()
    }

    #[test]
    fn a_bin_shows_its_peak_and_an_empty_one_what_was_before() {
        let mut timeline = Timeline::new();
        timeline.record(0, in_flight(5));
        timeline.record(0, in_flight(3));
        timeline.record(3 * MS, in_flight(1));
        assert_eq!(seen(&timeline, 4), [5, 3, 3, 1, 1]);
    }

    #[test]
    fn what_was_before_reaches_into_a_bin_that_changes_midway() {
        let mut timeline = Timeline::new();
        timeline.record(0, in_flight(7));
        timeline.record(MS + 1, in_flight(2));
        assert_eq!(seen(&timeline, 2), [7, 7, 2]);
    }

    #[test]
    fn bins_double_and_lose_no_peak() {
        let mut timeline = Timeline::new();
        for ms in 0..128 {
            timeline.record(ms * MS, in_flight(ms));
        }
        timeline.record(128 * MS, in_flight(0));
        let slices = timeline.slices(128 * MS);
        assert_eq!(slices.len(), 65);
        assert_eq!(slices[0], Slice { start_ns: 0, width_ns: 2 * MS, in_flight: 1, tasks: 0, backlog: 0 });
        assert_eq!(slices[63].in_flight, 127);
        assert_eq!(slices[64].in_flight, 0);
        timeline.record(100_000 * MS, in_flight(9));
        let slices = timeline.slices(100_000 * MS);
        assert!(slices.len() > 64 && slices.len() <= 128, "{}", slices.len());
        assert_eq!(slices[0].in_flight, 127);
        assert_eq!(slices.last().map(|slice| slice.in_flight), Some(9));
    }

    #[test]
    fn an_early_half_without_events_keeps_what_was_before_it() {
        let mut timeline = Timeline::new();
        timeline.record(0, in_flight(4));
        // Bin 3 alone: doubled, it is the late half of a bin whose early half had no event.
        timeline.record(3 * MS, in_flight(1));
        timeline.record(128 * MS, in_flight(0));
        assert_eq!(seen(&timeline, 128)[..3], [4, 4, 1]);
    }
}
