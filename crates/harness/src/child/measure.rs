//! From a run to a row.

use std::num::NonZeroUsize;

use fanout_deadlock::Stuck;
use fanout_probe::{Counts, Reading, Slice};
use fanout_record::{Bin, CellId, Clock, DependencyRow, Outcome, Row, WorkloadKind};
use fanout_simulation::{Facts, Service};

use super::account::Account;
use super::clock::Run;
use super::limits;

/// All that a cell's process says of its cell.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) row: Row,
    pub(crate) timeline: Vec<Bin>,
    /// What each dependency of a batch saw.
    pub(crate) dependencies: Vec<DependencyRow>,
    /// Who holds and who waits, where it is stuck and the strategy's slots know.
    pub(crate) deadlock: Option<String>,
}

/// What is known of a cell before it runs.
pub(crate) struct Known<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) workload: WorkloadKind,
    pub(crate) facts: &'a Facts,
    /// What answers the calls.
    pub(crate) services: &'a [&'a Service],
    /// How many calls there must be, if all of them are made once; `None` where the downstream decides.
    pub(crate) calls: Option<u64>,
    /// Whether all strategies face the same calls, so that there is a bound to their time.
    pub(crate) bounded: bool,
}

impl Known<'_> {
    /// Judges a run and puts it into a row.
    pub(crate) fn measure<A: Account>(&self, run: Run<A>) -> Measured {
        let Run { output, wreck, reading, heap, elapsed, cpu } = run;
        let hanging = wreck.as_ref().map_or(0, |wreck| wreck.hanging);
        let (outcome, reason) = self.judge(output.as_ref(), &reading, hanging);
        let mut row = Row::new(self.cell.clone(), self.workload, outcome);
        row.reason = reason;
        counts(&mut row, &reading);
        if let Ok(account) = &output {
            account.tell(&mut row, reading.counts);
        }
        let limited = || self.services.iter().filter(|service| service.downstream().is_some());
        row.refused = limited().map(|service| service.refused()).reduce(|sum, refused| sum + refused);
        row.downstream_queue_peak = limited().map(|service| service.waiting_peak()).max();
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
        let mut timeline: Vec<Bin> = self.bins(&reading.timeline).collect();
        timeline.extend(wreck.as_ref().and_then(|_| self.left_over(&reading)));
        Measured { row, timeline, dependencies: Vec::new(), deadlock: wreck.and_then(|wreck| wreck.holders) }
    }

    fn judge<A: Account>(
        &self,
        output: Result<&A, &Stuck>,
        reading: &Reading,
        hanging: u64,
    ) -> (Outcome, Option<String>) {
        match output {
            Err(Stuck) => {
                let (outcome, reason) = judge_stuck(reading, hanging);
                (outcome, Some(reason + &self.unread(reading.counts)))
            }
            Ok(account) => account
                .judge(self, reading.counts)
                .unwrap_or_else(|deviation| (Outcome::Wrong, Some(deviation))),
        }
    }

    /// What a stuck consumer has not even taken, in words; nothing where there is none.
    fn unread(&self, counts: Counts) -> String {
        match self.workload {
            WorkloadKind::Stream if self.facts.items > counts.given => {
                format!(", {} messages are unread", self.facts.items - counts.given)
            }
            WorkloadKind::Stream | WorkloadKind::Tree | WorkloadKind::Batch => String::new(),
        }
    }

    /// The bound that no schedule can beat. None where calls may be refused: those take no time.
    fn ideal_ns(&self) -> Option<u64> {
        if !self.bounded {
            return None;
        }
        let mut capacity = None;
        for downstream in self.services.iter().filter_map(|service| service.downstream()) {
            if downstream.per_second.is_some() {
                return None;
            }
            capacity = Some(downstream.queueing_capacity()?);
        }
        let limit = [self.limit(), capacity].into_iter().flatten().min();
        Some(nanoseconds(self.facts.ideal(limit)))
    }

    /// The most calls that the strategy may have in flight: one for the sequential ones is theirs to show, not a bound.
    fn limit(&self) -> Option<NonZeroUsize> {
        self.cell.limit
    }

    pub(crate) fn bins(&self, timeline: &[Slice]) -> impl Iterator<Item = Bin> {
        timeline.iter().map(|slice| Bin {
            in_flight: slice.in_flight,
            tasks: slice.tasks,
            backlog: slice.backlog,
            ..Bin::new(self.cell.clone(), slice.start_ns, slice.width_ns)
        })
    }

    /// The last change is the end of a call, and what it led to is yet to come: tasks that ended after it, say. So for a
    /// run that is stuck there is one bin more, of how things have stood since.
    fn left_over(&self, reading: &Reading) -> Option<Bin> {
        let last = reading.timeline.last()?;
        let left = Bin::new(self.cell.clone(), last.start_ns + last.width_ns, last.width_ns);
        let (in_flight, backlog) = (reading.counts.in_flight(), reading.counts.backlog());
        Some(Bin { in_flight, tasks: reading.tasks, backlog, ..left })
    }
}

fn judge_stuck(reading: &Reading, hanging: u64) -> (Outcome, String) {
    let Reading { counts, peaks, tasks, .. } = reading;
    let (in_flight, waiting) = (counts.in_flight(), counts.backlog());
    if hanging > 0 {
        (Outcome::Stalled, format!("{hanging} calls in flight never answer, {waiting} items wait"))
    } else if in_flight > 0 {
        let polled = format!("{in_flight} calls answered and were never polled, {waiting} items wait");
        (Outcome::Deadlocked, polled)
    } else {
        let done = counts.finished();
        let most = peaks.tasks;
        let left = format!(
            "{done} calls done, none in flight, {waiting} items wait, {tasks} of {most} tasks are alive"
        );
        (Outcome::Deadlocked, left)
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

pub(crate) fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
