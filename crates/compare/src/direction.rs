use fanout_record::{Metric, Outcome};

/// Which way a metric gets better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// It is the workload's, and should not differ at all.
    Neither,
}

/// Which way a metric gets better; none for one that differs between two runs of the same program.
#[must_use]
pub const fn better(metric: Metric) -> Option<Better> {
    match metric {
        Metric::Real => None,
        Metric::Discovered | Metric::Ideal | Metric::Seen | Metric::Reported => Some(Better::Neither),
        Metric::Visited | Metric::Fresh => Some(Better::Higher),
        Metric::Calls
        | Metric::Failed
        | Metric::Retried
        | Metric::Truncated
        | Metric::Cancelled
        | Metric::Returned
        | Metric::Virtual
        | Metric::Wall
        | Metric::Cpu
        | Metric::InFlightPeak
        | Metric::TasksPeak
        | Metric::BacklogPeak
        | Metric::TakenPeak
        | Metric::InFlightEnd
        | Metric::TasksEnd
        | Metric::BacklogEnd
        | Metric::HeapPeak
        | Metric::HeapBlocks
        | Metric::RssPeak
        | Metric::Polls
        | Metric::ServiceP50
        | Metric::ServiceP99
        | Metric::ServiceMax
        | Metric::ResponseP50
        | Metric::ResponseP99
        | Metric::ResponseMax
        | Metric::Refused
        | Metric::DownstreamQueuePeak
        | Metric::HeldWaitingPeak
        | Metric::OverDeadline
        | Metric::Stale
        | Metric::Unserved
        | Metric::Wasted
        | Metric::LateCalls
        | Metric::LoopLagP50
        | Metric::LoopLagP99
        | Metric::LoopLagMax
        | Metric::LongestPoll
        | Metric::LongPolls => Some(Better::Lower),
    }
}

/// Whether a metric counts what was allocated: the same for one target, toolchain and lock file alone.
pub(crate) const fn is_of_the_heap(metric: Metric) -> bool {
    matches!(metric, Metric::HeapPeak | Metric::HeapBlocks)
}

/// Whether an outcome is better than another: to complete is better than anything else, and of two other ends none is.
pub(crate) fn is_better(outcome: Outcome, than: Outcome) -> bool {
    outcome == Outcome::Complete && than != Outcome::Complete
}
