//! The columns of `dependencies.csv`.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::SCHEMA;
use crate::cell::{CellId, Clock};
use crate::columns::Metric;

macro_rules! columns {
    ($( $(#[doc = $doc:literal])+ $column:ident: $metric:ident; )*) => {
        /// What one dependency of a batch saw of a cell: a line of `dependencies.csv`. An empty field means "not
        /// measured" or "does not apply".
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        pub struct DependencyRow {
            /// The schema's version.
            pub schema: u32,
            /// The scenario's name.
            pub scenario: String,
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
            /// The dependency's name.
            pub dependency: String,
            /// The limit that the scenario gives the dependency, where it does.
            pub dependency_limit: Option<NonZeroUsize>,
            /// How many calls the dependency serves at once, where that is limited.
            pub capacity: Option<NonZeroUsize>,
            $( $(#[doc = $doc])+ pub $column: Option<u64>, )*
        }

        impl DependencyRow {
            /// The columns, in their order.
            pub const HEADER: &[&str] = &[
                "schema", "scenario", "variant", "strategy", "limit", "threads", "clock", "seed", "run",
                "dependency", "dependency_limit", "capacity", $( stringify!($column), )*
            ];

            /// The metrics that are measured for each dependency.
            pub const METRICS: &[Metric] = &[ $( Metric::$metric, )* ];

            /// A row in which nothing has been measured yet.
            #[must_use]
            pub fn new(cell: CellId, dependency: String) -> Self {
                Self {
                    schema: SCHEMA,
                    scenario: cell.scenario,
                    variant: cell.variant,
                    strategy: cell.strategy,
                    limit: cell.limit,
                    threads: cell.threads,
                    clock: cell.clock,
                    seed: cell.seed,
                    run: cell.run,
                    dependency,
                    dependency_limit: None,
                    capacity: None,
                    $( $column: None, )*
                }
            }

            /// Reads a metric; none for one that is not measured for each dependency.
            #[must_use]
            pub const fn of(&self, metric: Metric) -> Option<u64> {
                match metric {
                    $( Metric::$metric => self.$column, )*
                    _ => None,
                }
            }
        }
    };
}

impl DependencyRow {
    /// The coordinates of the cell.
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
    /// Calls started.
    calls: Calls;
    /// Calls that answered.
    visited: Visited;
    /// Calls that failed.
    failed: Failed;
    /// Calls started that had been made before.
    retried: Retried;
    /// Calls that were begun and dropped before their end.
    cancelled: Cancelled;
    /// Calls that the dependency refused because it was full; they count among the failed too.
    refused: Refused;
    /// Most calls between their start and their end at one moment.
    in_flight_peak: InFlightPeak;
    /// Calls in flight when the strategy gave back its answers.
    in_flight_end: InFlightEnd;
    /// Most calls waiting inside the dependency for its capacity.
    downstream_queue_peak: DownstreamQueuePeak;
    /// Median time of a call, from its actual start.
    service_p50_ns: ServiceP50;
    /// 99th percentile of a call's time, from its actual start.
    service_p99_ns: ServiceP99;
    /// Longest call, from its actual start.
    service_max_ns: ServiceMax;
    /// Median time until a call's end, from the batch's start.
    response_p50_ns: ResponseP50;
    /// 99th percentile of the time until a call's end, from the batch's start.
    response_p99_ns: ResponseP99;
    /// Longest time until a call's end, from the batch's start.
    response_max_ns: ResponseMax;
}
