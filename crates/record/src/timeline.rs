use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use crate::SCHEMA;
use crate::cell::{CellId, Clock};

/// The peaks within one stretch of a cell's time: a line of `timeline.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bin {
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
    /// Where the bin starts, since the walk's start.
    pub start_ns: u64,
    /// How long the bin is.
    pub width_ns: u64,
    /// Most calls in flight within the bin.
    pub in_flight: u64,
    /// Most live tasks within the bin.
    pub tasks: u64,
    /// Most items given and not started within the bin.
    pub backlog: u64,
    /// The dependency of a batch that alone is counted; none: all calls are.
    pub dependency: Option<String>,
}

impl Bin {
    /// The columns, in their order.
    pub const HEADER: &[&str] = &[
        "schema",
        "scenario",
        "variant",
        "strategy",
        "limit",
        "threads",
        "clock",
        "seed",
        "run",
        "start_ns",
        "width_ns",
        "in_flight",
        "tasks",
        "backlog",
        "dependency",
    ];

    /// A bin of one cell with nothing in it.
    #[must_use]
    pub fn new(cell: CellId, start_ns: u64, width_ns: u64) -> Self {
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
            start_ns,
            width_ns,
            in_flight: 0,
            tasks: 0,
            backlog: 0,
            dependency: None,
        }
    }

    /// The coordinates of the cell it belongs to.
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
