//! The columns of `rows.csv`. A new metric is one line of the table at the end, and its value where it is
//! measured.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use crate::SCHEMA;
use crate::cell::{CellId, Clock, Outcome, WorkloadKind};

/// In what a metric counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Things.
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
}

macro_rules! columns {
    ($( $(#[doc = $doc:literal])+ $column:ident: $unit:ident = $name:literal, $metric:ident; )*) => {
        /// One cell's results: a line of `rows.csv`. An empty cell means "not measured" or "does not apply".
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Row {
            /// The schema's version.
            pub schema: u32,
            /// The scenario's name: its file's stem.
            pub scenario: String,
            /// The kind of workload.
            pub workload: WorkloadKind,
            /// Which of the scenario's variants, where it has any.
            pub variant: Option<String>,
            /// The strategy's name.
            pub strategy: String,
            /// The strategy's limit, where it takes one.
            pub limit: Option<NonZeroUsize>,
            /// Worker threads of the runtime.
            pub threads: NonZeroUsize,
            /// The clock.
            pub clock: Clock,
            /// The seed of everything drawn.
            pub seed: u64,
            /// Which repetition, from 1.
            pub run: u32,
            /// How the cell ended.
            pub outcome: Outcome,
            /// Why, in words, where the outcome does not say it all.
            pub reason: Option<String>,
            $( $(#[doc = $doc])+ pub $column: Option<u64>, )*
        }

        impl Row {
            /// The columns, in their order.
            pub const HEADER: &[&str] = &[
                "schema", "scenario", "workload", "variant", "strategy", "limit", "threads", "clock", "seed", "run",
                "outcome", "reason", $( stringify!($column), )*
            ];

            /// A row of one cell in which nothing has been measured yet.
            #[must_use]
            pub fn new(cell: CellId, workload: WorkloadKind, outcome: Outcome) -> Self {
                Self {
                    schema: SCHEMA,
                    scenario: cell.scenario,
                    workload,
                    variant: cell.variant,
                    strategy: cell.strategy,
                    limit: cell.limit,
                    threads: cell.threads,
                    clock: cell.clock,
                    seed: cell.seed,
                    run: cell.run,
                    outcome,
                    reason: None,
                    $( $column: None, )*
                }
            }
        }

        /// A measured column, by the name that scenarios, tables and charts use: the column's without its
        /// unit.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString, EnumIter, IntoStaticStr,
            Serialize, Deserialize,
        )]
        pub enum Metric {
            $( $(#[doc = $doc])+ #[strum(serialize = $name)] #[serde(rename = $name)] $metric, )*
        }

        impl Metric {
            /// All of them, in the order of the columns.
            pub const ALL: &[Self] = &[ $( Self::$metric, )* ];

            /// The unit in which the column counts.
            #[must_use]
            pub const fn unit(self) -> Unit {
                match self { $( Self::$metric => Unit::$unit, )* }
            }

            /// The column of `rows.csv`.
            #[must_use]
            pub const fn column(self) -> &'static str {
                match self { $( Self::$metric => stringify!($column), )* }
            }

            /// Reads the metric from a row.
            #[must_use]
            pub const fn of(self, row: &Row) -> Option<u64> {
                match self { $( Self::$metric => row.$column, )* }
            }
        }
    };
}

impl Row {
    /// The cell's coordinates.
    #[must_use]
    pub fn cell(&self) -> CellId {
        CellId {
            scenario: self.scenario.clone(),
            variant: self.variant.clone(),
            strategy: self.strategy.clone(),
            limit: self.limit,
            threads: self.threads,
            clock: self.clock,
            seed: self.seed,
            run: self.run,
        }
    }
}

columns! {
    /// Items known: roots and the children that calls revealed; messages that the source had to give; what the items of
    /// a batch need of its dependencies.
    discovered: Count = "discovered", Discovered;
    /// Calls started.
    calls: Count = "calls", Calls;
    /// Calls that answered: nodes visited, messages handled.
    visited: Count = "visited", Visited;
    /// Calls that failed; of a walk that heeds a policy, nodes that it gave up.
    failed: Count = "failed", Failed;
    /// Calls of nodes that had been called before.
    retried: Count = "retried", Retried;
    /// Nodes that a limit, or the end of the walk, kept from being called.
    truncated: Count = "truncated", Truncated;
    /// Nodes met again and skipped.
    seen: Count = "seen", Seen;
    /// Calls that were begun and dropped before their end.
    cancelled: Count = "cancelled", Cancelled;
    /// Messages that went back to their source.
    returned: Count = "returned", Returned;
    /// Virtual time, from the start to the last progress.
    virtual_ns: Nanoseconds = "virtual", Virtual;
    /// Real time of the walk.
    wall_ns: Nanoseconds = "wall", Wall;
    /// User and system time of the process over the walk.
    cpu_ns: Nanoseconds = "cpu", Cpu;
    /// No schedule can be faster: max(longest path, total latency / limit, last arrival + its latency).
    ideal_ns: Nanoseconds = "ideal", Ideal;
    /// Most calls between their start and their end at one moment.
    in_flight_peak: Count = "in-flight-peak", InFlightPeak;
    /// Most live tasks of the runtime, read at the start and the end of every call and at the verdict.
    tasks_peak: Count = "tasks-peak", TasksPeak;
    /// Most items that the strategy had been given and not started.
    backlog_peak: Count = "backlog-peak", BacklogPeak;
    /// Most messages taken from the source and not finished.
    taken_peak: Count = "taken-peak", TakenPeak;
    /// Calls in flight at the verdict.
    in_flight_end: Count = "in-flight-end", InFlightEnd;
    /// Live tasks at the verdict.
    tasks_end: Count = "tasks-end", TasksEnd;
    /// Items given and not started at the verdict.
    backlog_end: Count = "backlog-end", BacklogEnd;
    /// Most bytes allocated over the walk alone.
    heap_peak_bytes: Bytes = "heap-peak", HeapPeak;
    /// Allocations over the walk alone.
    heap_total_blocks: Count = "heap-blocks", HeapBlocks;
    /// The process's own high-water mark of resident memory.
    rss_peak_bytes: Bytes = "rss-peak", RssPeak;
    /// How often the observed calls' futures were polled in all.
    polls: Count = "polls", Polls;
    /// Median time of a call, from its actual start.
    service_p50_ns: Nanoseconds = "service-p50", ServiceP50;
    /// 99th percentile of a call's time, from its actual start.
    service_p99_ns: Nanoseconds = "service-p99", ServiceP99;
    /// Longest call, from its actual start.
    service_max_ns: Nanoseconds = "service-max", ServiceMax;
    /// Median time of an item, from its intended start.
    response_p50_ns: Nanoseconds = "response-p50", ResponseP50;
    /// 99th percentile of an item's time, from its intended start.
    response_p99_ns: Nanoseconds = "response-p99", ResponseP99;
    /// Longest time of an item, from its intended start.
    response_max_ns: Nanoseconds = "response-max", ResponseMax;
    /// What the cell took on a real clock: the one column of a virtual row that differs between two runs.
    real_ns: Nanoseconds = "real", Real;
    /// Calls that the downstream refused because it was full; they count among the failed too.
    refused: Count = "refused", Refused;
    /// Most calls waiting inside the downstream for its capacity.
    downstream_queue_peak: Count = "downstream-queue-peak", DownstreamQueuePeak;
    /// Most slots held at one moment by holders that waited for others who need a slot of the same pool.
    held_waiting_peak: Count = "held-waiting-peak", HeldWaitingPeak;
    /// By how much a batch ran over its deadline; 0 for one in time.
    over_deadline_ns: Nanoseconds = "over-deadline", OverDeadline;
    /// Items of a batch served whole, with nothing but what was answered in time.
    fresh: Count = "fresh", Fresh;
    /// Items of a batch served whole, some of it by a fallback.
    stale: Count = "stale", Stale;
    /// Items of a batch that lack something.
    unserved: Count = "unserved", Unserved;
    /// The time of all calls of a batch whose value nobody got: failed, given up, or answered too late.
    wasted_ns: Nanoseconds = "wasted", Wasted;
    /// Calls of a batch that were started after the strategy had given back its answers.
    late_calls: Count = "late-calls", LateCalls;
    /// Median lateness of a task of the runtime that is due every 5 ms.
    loop_lag_p50_ns: Nanoseconds = "loop-lag-p50", LoopLagP50;
    /// 99th percentile of that lateness.
    loop_lag_p99_ns: Nanoseconds = "loop-lag-p99", LoopLagP99;
    /// The most of that lateness.
    loop_lag_max_ns: Nanoseconds = "loop-lag-max", LoopLagMax;
    /// The longest time that one poll of a call kept its thread.
    longest_poll_ns: Nanoseconds = "longest-poll", LongestPoll;
    /// Polls of calls that kept their thread for 50 ms or longer.
    long_polls: Count = "long-polls", LongPolls;
    /// Failures of a batch's calls that the strategy gave back to its caller.
    reported: Count = "reported", Reported;
}
