use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use fanout_record::{Axis, CellId, Clock, Metric, Outcome, Subject, WorkloadKind};
use fanout_resilience::Patience;
use fanout_simulation::{BatchSpec, DownstreamSpec, Faults, Latency, StreamSpec, TreeSpec};

use crate::{Expression, WalkPolicy};

/// What a call's future may weigh, in bytes. A weight is part of a type, so there is a fixed choice of them.
pub const WEIGHTS: [usize; 4] = [0, 1_024, 2_048, 4_096];

/// A scenario, complete and checked: every strategy applies, every name exists, every expectation can be judged.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Its name: the file's stem.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its analysis: a paragraph of Markdown.
    pub analysis: String,
    /// What a chart of it has on its x axis.
    pub axis: Axis,
    /// The seeds: at least one, none twice.
    pub seeds: Vec<u64>,
    /// The limits, none twice; empty only where no strategy takes a limit.
    pub limits: Vec<NonZeroUsize>,
    /// Those of the limits that wall cells run with: all of them where the file does not choose.
    pub wall_limits: Vec<NonZeroUsize>,
    /// The clocks: at least one, none twice.
    pub clocks: Vec<Clock>,
    /// How often each wall cell is run; a virtual cell is run once.
    pub runs: NonZeroU32,
    /// The worker threads of wall cells: at least one number, none twice.
    pub threads: Vec<NonZeroUsize>,
    /// How long a cell may take, in real time.
    pub timeout: Duration,
    /// How many bytes a cell may hold.
    pub memory: u64,
    /// The variants: at least one. The only one has no name where the file has no `[[variant]]`.
    pub variants: Vec<Variant>,
    /// The strategies that take part, in the file's order: at least one.
    pub strategies: Vec<StrategyPlan>,
    /// A hash of the definition and of every file it names, in hexadecimal.
    pub hash: String,
    /// The definition: the file's text.
    pub definition: String,
    /// Where the definition was found, for messages.
    pub path: PathBuf,
}

impl Scenario {
    /// What kind of work it is about: the same for all its variants.
    #[must_use]
    pub fn kind(&self) -> WorkloadKind {
        self.variants[0].workload.kind()
    }
}

/// One workload under one set of conditions.
#[derive(Debug, Clone)]
pub struct Variant {
    /// Its name, where the scenario has variants.
    pub name: Option<String>,
    /// The work.
    pub workload: Workload,
    /// How long a call takes; in a batch, a call of a dependency that says nothing of its own.
    pub latency: Latency,
    /// Which calls fail.
    pub faults: Faults,
    /// What serves the calls, where it has a capacity.
    pub downstream: Option<DownstreamSpec>,
    /// What a call's future weighs at least: one of [`WEIGHTS`].
    pub call_future_bytes: usize,
    /// How long the calls of a batch are waited for, and how often they are tried.
    pub patience: Patience,
    /// What those walks are told that can be told something.
    pub walk: Option<WalkPolicy>,
    /// When a consumer is shut down, if it is.
    pub shutdown: Option<Shutdown>,
}

/// The end of a consumer before the end of its stream. One that cannot be shut down is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shutdown {
    /// When it is told to stop, from the start.
    pub at: Duration,
    /// How long what is being worked on then may still take.
    pub drain: Duration,
}

/// The work that strategies are given.
#[derive(Debug, Clone)]
pub enum Workload {
    /// A tree to walk.
    Tree(TreeSpec),
    /// A stream of messages to handle.
    Stream(StreamSpec),
    /// Items that each need a call to several dependencies.
    Batch(BatchSpec),
}

impl Workload {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> WorkloadKind {
        match self {
            Self::Tree(_) => WorkloadKind::Tree,
            Self::Stream(_) => WorkloadKind::Stream,
            Self::Batch(_) => WorkloadKind::Batch,
        }
    }
}

/// How one strategy takes part in a scenario.
#[derive(Debug, Clone)]
pub struct StrategyPlan {
    /// The strategy's name.
    pub name: String,
    /// The clocks it runs on: some of the scenario's.
    pub clocks: Vec<Clock>,
    /// The limits it runs with: some of the scenario's; empty for a strategy that takes none.
    pub limits: Vec<NonZeroUsize>,
    /// Those of its limits that its wall cells run with.
    pub wall_limits: Vec<NonZeroUsize>,
    /// The names of the variants it takes part in: some of the scenario's; empty where those have no name.
    pub variants: Vec<String>,
    /// How often each of its wall cells is run: at most as often as the scenario's.
    pub runs: NonZeroU32,
    /// What is expected of its cells, in the file's order.
    pub expect: Vec<Expectation>,
    /// What a guide published of its cells, in the file's order.
    pub published: Vec<Published>,
}

impl StrategyPlan {
    /// The limits that it runs with on a clock; empty for a strategy that takes none.
    #[must_use]
    pub fn limits_on(&self, clock: Clock) -> &[NonZeroUsize] {
        match clock {
            Clock::Virtual => &self.limits,
            Clock::Wall => &self.wall_limits,
        }
    }

    /// Whether it takes part in a variant.
    #[must_use]
    pub fn takes_part_in(&self, variant: &Variant) -> bool {
        variant.name.as_ref().is_none_or(|name| self.variants.contains(name))
    }
}

/// What is expected of some of a strategy's cells.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// The clock it speaks of.
    pub clock: Clock,
    /// The least and the most limit it speaks of. With either, it says nothing of a cell without a limit.
    pub limits: (Option<NonZeroUsize>, Option<NonZeroUsize>),
    /// The variant it speaks of; none: all of them.
    pub variant: Option<String>,
    /// The seed it speaks of; none: all of them.
    pub seed: Option<u64>,
    /// The number of worker threads it speaks of; none: whichever.
    pub threads: Option<NonZeroUsize>,
    /// How the cell ends.
    pub outcome: Option<Outcome>,
    /// In which range each metric lies, in the file's order.
    pub metrics: Vec<(Measure, Range)>,
}

impl Expectation {
    /// Whether it speaks of this cell of its own scenario and strategy.
    #[must_use]
    pub fn applies(&self, cell: &CellId) -> bool {
        self.clock == cell.clock
            && self.speaks_of_limit(cell.limit)
            && self.variant.as_ref().is_none_or(|name| cell.variant.as_ref() == Some(name))
            && self.seed.is_none_or(|seed| cell.seed == seed)
            && self.threads.is_none_or(|threads| cell.threads == threads)
    }

    pub(crate) fn speaks_of_limit(&self, limit: Option<NonZeroUsize>) -> bool {
        within(self.limits, limit)
    }
}

/// Whether a limit lies within a range. With either end, no limit lies outside.
fn within((min, max): (Option<NonZeroUsize>, Option<NonZeroUsize>), limit: Option<NonZeroUsize>) -> bool {
    match limit {
        Some(limit) => min.is_none_or(|min| limit >= min) && max.is_none_or(|max| limit <= max),
        None => min.is_none() && max.is_none(),
    }
}

/// What a guide published of some of a strategy's cells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The least and the most limit of those cells. With either, it says nothing of a cell without a limit.
    pub limits: (Option<NonZeroUsize>, Option<NonZeroUsize>),
    /// The variant of those cells; none: all of them.
    pub variant: Option<String>,
    /// Each figure in its metric's unit, in the file's order.
    pub figures: Vec<(Metric, u64)>,
}

impl Published {
    /// Whether it was published of this cell of its own scenario and strategy.
    #[must_use]
    pub fn applies(&self, cell: &CellId) -> bool {
        within(self.limits, cell.limit)
            && self.variant.as_ref().is_none_or(|name| cell.variant.as_ref() == Some(name))
    }
}

/// A metric, of a cell as a whole or of one dependency of its batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure {
    /// The dependency's name; none: of all calls.
    pub dependency: Option<String>,
    /// The metric.
    pub metric: Metric,
}

impl Measure {
    /// As the subject of a claim.
    #[must_use]
    pub fn subject(&self) -> Subject {
        match &self.dependency {
            None => Subject::Metric(self.metric),
            Some(dependency) => Subject::Dependency(dependency.clone(), self.metric),
        }
    }
}

/// The range that a metric is expected in, both ends included. At least one end is there; an exact value has the
/// same expression at both.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The least that holds.
    pub min: Option<Expression>,
    /// The most that holds.
    pub max: Option<Expression>,
}

/// What a scenario must know of a strategy to judge whether it can take part.
#[derive(Debug, Clone, Copy)]
pub struct StrategyFacts<'a> {
    /// Its name.
    pub name: &'a str,
    /// The kinds of workload it has a form for.
    pub workloads: &'a [WorkloadKind],
    /// Whether it takes a limit.
    pub limited: bool,
    /// Whether its walk heeds a [`WalkPolicy`].
    pub heeds_policy: bool,
}
