//! From a run to a row.

use std::num::NonZeroUsize;

use fanout_deadlock::Stuck;
use fanout_probe::{Counts, Reading};
use fanout_record::{Bin, CellId, Clock, Outcome, Row, WorkloadKind};
use fanout_simulation::{Facts, Service};

use super::clock::Run;
use super::limits;

/// All that a cell's process says of its cell.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) row: Row,
    pub(crate) timeline: Vec<Bin>,
    /// Who holds and who waits, where it is stuck and the strategy's slots know.
    pub(crate) deadlock: Option<String>,
}

/// What the strategy itself said it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) visited: usize,
    pub(crate) failed: usize,
}

/// What is known of a cell before it runs.
pub(crate) struct Known<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) workload: WorkloadKind,
    pub(crate) facts: &'a Facts,
    pub(crate) service: &'a Service,
    /// How many calls there must be; `None` where the downstream decides.
    pub(crate) calls: Option<u64>,
}

impl Known<'_> {
    /// Judges a run and puts it into a row.
    pub(crate) fn measure(&self, run: Run<Tally>) -> Measured {
        let Run { output, wreck, reading, heap, elapsed, cpu } = run;
        let hanging = wreck.as_ref().map_or(0, |wreck| wreck.hanging);
        let (outcome, reason) = self.judge(output, reading.counts, hanging);
        let mut row = Row::new(self.cell.clone(), self.workload, outcome);
        row.reason = reason;
        counts(&mut row, &reading);
        row.refused = self.service.downstream().map(|_| self.service.refused());
        row.downstream_queue_peak = self.service.downstream().map(|_| self.service.waiting_peak());
        row.ideal_ns = self.ideal_ns();
        row.real_ns = Some(nanoseconds(elapsed));
        match self.cell.clock {
            Clock::Virtual => {
                row.virtual_ns = Some(reading.last_ns);
                row.heap_peak_bytes = heap.map(|heap| heap.peak_bytes);
                row.heap_total_blocks = heap.map(|heap| heap.total_blocks);
            }
            Clock::Wall => {
                // A stuck walk took until its last progress; the rest was the detector's.
                let stuck = matches!(outcome, Outcome::Deadlocked | Outcome::Stalled);
                row.wall_ns = Some(if stuck { reading.last_ns } else { nanoseconds(elapsed) });
                row.cpu_ns = Some(nanoseconds(cpu));
                row.rss_peak_bytes = limits::rss_peak_bytes();
            }
        }
        Measured { row, timeline: self.bins(&reading), deadlock: wreck.and_then(|wreck| wreck.holders) }
    }

    fn judge(&self, output: Result<Tally, Stuck>, counts: Counts, hanging: u64) -> (Outcome, Option<String>) {
        match output {
            Err(Stuck) => judge_stuck(counts, hanging),
            Ok(tally) => match self.deviation(tally, counts) {
                None => (Outcome::Complete, None),
                Some(deviation) => (Outcome::Wrong, Some(deviation)),
            },
        }
    }

    /// How the counts of a finished run contradict the workload, or each other.
    fn deviation(&self, tally: Tally, counts: Counts) -> Option<String> {
        let Counts { given, started, answered, failed, dropped } = counts;
        if dropped > 0 {
            return Some(format!("{dropped} calls were dropped before their end"));
        }
        if started != given {
            return Some(format!("{given} items were given and {started} called"));
        }
        if let Some(calls) = self.calls.filter(|&calls| calls != started) {
            return Some(format!("{started} calls were made, there are {calls} items to call"));
        }
        if (tally.visited as u64, tally.failed as u64) != (answered, failed) {
            return Some(format!(
                "the strategy says {} visited and {} failed, but {answered} calls answered and {failed} failed",
                tally.visited, tally.failed
            ));
        }
        None
    }

    /// The bound that no schedule can beat. None where calls may be refused: those take no time.
    fn ideal_ns(&self) -> Option<u64> {
        let capacity = match self.service.downstream() {
            None => None,
            Some(downstream) => Some(downstream.queueing_capacity()?),
        };
        let limit = [self.limit(), capacity].into_iter().flatten().min();
        Some(nanoseconds(self.facts.ideal(limit)))
    }

    /// The most calls that the strategy may have in flight: one for the sequential ones is theirs to show, not a bound.
    fn limit(&self) -> Option<NonZeroUsize> {
        self.cell.limit
    }

    fn bins(&self, reading: &Reading) -> Vec<Bin> {
        reading
            .timeline
            .iter()
            .map(|slice| Bin {
                in_flight: slice.in_flight,
                tasks: slice.tasks,
                backlog: slice.backlog,
                ..Bin::new(self.cell.clone(), slice.start_ns, slice.width_ns)
            })
            .collect()
    }
}

fn judge_stuck(counts: Counts, hanging: u64) -> (Outcome, Option<String>) {
    let (in_flight, waiting) = (counts.in_flight(), counts.backlog());
    if hanging > 0 {
        (Outcome::Stalled, Some(format!("{hanging} calls in flight never answer, {waiting} items wait")))
    } else if in_flight > 0 {
        (
            Outcome::Deadlocked,
            Some(format!("{in_flight} calls answered and were never polled, {waiting} items wait")),
        )
    } else {
        (
            Outcome::Deadlocked,
            Some(format!("{} calls done, none in flight, {waiting} items wait", counts.finished())),
        )
    }
}

fn counts(row: &mut Row, reading: &Reading) {
    let (counts, peaks) = (reading.counts, reading.peaks);
    row.discovered = Some(counts.given);
    row.calls = Some(counts.started);
    row.visited = Some(counts.answered);
    row.failed = Some(counts.failed);
    row.cancelled = Some(counts.dropped);
    row.in_flight_peak = Some(peaks.in_flight);
    row.tasks_peak = Some(peaks.tasks);
    row.backlog_peak = Some(peaks.backlog);
    row.in_flight_end = Some(counts.in_flight());
    row.tasks_end = Some(reading.tasks);
    row.backlog_end = Some(counts.backlog());
    row.polls = Some(reading.polls);
    row.service_p50_ns = reading.service.map(|service| service.p50_ns);
    row.service_p99_ns = reading.service.map(|service| service.p99_ns);
    row.service_max_ns = reading.service.map(|service| service.max_ns);
    row.response_p50_ns = reading.response.map(|response| response.p50_ns);
    row.response_p99_ns = reading.response.map(|response| response.p99_ns);
    row.response_max_ns = reading.response.map(|response| response.max_ns);
}

fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
