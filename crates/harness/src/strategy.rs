//! What the harness asks of a strategy, and how it runs one without knowing which.

use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_deadlock::Slots;
use fanout_record::WorkloadKind;
use fanout_resilience::{Patience, Resilient, Served, Unserved};
use fanout_scenario::{Shutdown, StrategyFacts, WalkPolicy};
use fanout_workload::drain::Drained;
use fanout_workload::survey::{Policy, Survey};
use fanout_workload::{Answers, Batch, Consumed, Handler, Source, Tree, Walked};

use tokio_util::sync::CancellationToken;

use crate::child::{BatchCell, Measured, StreamCell, TreeCell};

/// A strategy that walks trees.
pub trait Walk: Send + Sync + 'static {
    /// Walks the tree below `roots`.
    ///
    /// `slots` is a pool of the same `limit` for a walk that wants its holders and waiters named in a deadlock's
    /// report; others leave it alone.
    fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> impl Future<Output = Walked<T::Node, T::Error>> + Send;
}

/// A strategy whose walk heeds a policy, and accounts for every node.
pub trait Surveyor: Send + Sync + 'static {
    /// Walks the tree below `roots`, as far, in such an order and with such retries as `policy` says.
    fn survey<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        policy: Policy<T::Node, T::Error>,
    ) -> impl Future<Output = Survey<T::Node, T::Error>> + Send;
}

/// A strategy that consumes streams.
pub trait Consume: Send + Sync + 'static {
    /// Handles every message of `source`.
    fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> impl Future<Output = Consumed<H::Error>> + Send;
}

/// A strategy whose consumer can be shut down, and accounts for every message.
pub trait Drainer: Send + Sync + 'static {
    /// Handles the messages of `source` until there are no more or `stop` is cancelled. Then it reads no more, what is
    /// being worked on has `drain` to come to its end, and the rest goes back.
    fn consume_until<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
        stop: CancellationToken,
        drain: Duration,
    ) -> impl Future<Output = Drained> + Send;
}

/// A strategy that fans batches out.
pub trait FanOut: Send + Sync + 'static {
    /// Makes all calls of `order`, within the patience that it asks for.
    fn fan_out<B: Batch>(&self, order: Order<B>) -> impl Future<Output = ServedAnswers<B>> + Send;
}

/// What a batch comes to under some [`Patience`].
pub type ServedAnswers<B> = Answers<Served<<B as Batch>::Value>, Unserved<<B as Batch>::Error>>;

/// What is served for an item and the number of a dependency when time is up, if anything.
pub type Fallback<B> = Arc<dyn Fn(&<B as Batch>::Item, usize) -> Option<<B as Batch>::Value> + Send + Sync>;

/// A batch that is to be fanned out.
pub struct Order<B: Batch> {
    /// What the items need.
    pub batch: Arc<B>,
    /// The items.
    pub items: Vec<B::Item>,
    /// The strategy's limit.
    pub limit: NonZeroUsize,
    /// A limit for each dependency, in their order: its own where it has one, and never above `limit`.
    pub limits: Vec<NonZeroUsize>,
    /// How long calls are waited for, and how often they are tried.
    pub patience: Patience,
    /// What is served when time is up.
    pub fallback: Fallback<B>,
    /// A slot for each thread of the blocking pool, for a strategy that wants those who hold them named in a report.
    pub threads: Slots<String>,
}

impl<B: Batch> Order<B> {
    /// The batch with the patience around its calls, whose time starts now.
    pub fn patient(
        &self,
    ) -> Arc<impl Batch<Item = B::Item, Value = Served<B::Value>, Error = Unserved<B::Error>> + use<B>> {
        let fallback = Arc::clone(&self.fallback);
        let patient = Resilient::new(Arc::clone(&self.batch), self.patience);
        Arc::new(patient.fallback(move |item, dependency| fallback(item, dependency)))
    }
}

/// A strategy as the harness knows it: its name, and what it can be given.
///
/// ```
/// # use std::{num::NonZeroUsize, sync::Arc};
/// # use fanout_deadlock::Slots;
/// # use fanout_harness::{Registry, Strategy, Walk};
/// # use fanout_workload::{Tree, Walked};
/// /// Two calls at a time, whatever the limit.
/// struct Pairs;
///
/// impl Walk for Pairs {
///     async fn walk<T: Tree>(
///         &self,
///         tree: Arc<T>,
///         roots: Vec<T::Node>,
///         _: NonZeroUsize,
///         _: Slots<T::Node>,
///     ) -> Walked<T::Node, T::Error> {
///         fanout_queue_workers::walk(tree, roots, NonZeroUsize::MIN.saturating_add(1)).await
///     }
/// }
///
/// let mut registry = Registry::builtin();
/// registry.add(Strategy::unlimited("pairs", "two calls at a time").walks(Pairs));
/// ```
pub struct Strategy {
    name: &'static str,
    about: &'static str,
    limited: bool,
    known_bad: bool,
    workloads: Vec<WorkloadKind>,
    tree: Option<Box<dyn RunTree>>,
    survey: Option<Box<dyn RunSurvey>>,
    stream: Option<Box<dyn RunStream>>,
    drain: Option<Box<dyn RunDrain>>,
    batch: Option<Box<dyn RunBatch>>,
}

impl Strategy {
    /// A strategy that takes a limit: it has a cell for each of a scenario's.
    #[must_use]
    pub const fn limited(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, true)
    }

    /// A strategy that takes none: it has one cell, and is called with a limit of [`NonZeroUsize::MAX`].
    #[must_use]
    pub const fn unlimited(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, false)
    }

    const fn new(name: &'static str, about: &'static str, limited: bool) -> Self {
        Self {
            name,
            about,
            limited,
            known_bad: false,
            workloads: Vec::new(),
            tree: None,
            survey: None,
            stream: None,
            drain: None,
            batch: None,
        }
    }

    /// It is a bug that is kept to be measured: it runs only where it is named.
    #[must_use]
    pub fn known_bad(mut self) -> Self {
        self.known_bad = true;
        self
    }

    /// It walks trees, like this.
    #[must_use]
    pub fn walks(mut self, walk: impl Walk) -> Self {
        self.tree = Some(Box::new(walk));
        self.workloads.push(WorkloadKind::Tree);
        self
    }

    /// Where a scenario has a policy for walks, it walks like this.
    #[must_use]
    pub fn surveys(mut self, surveyor: impl Surveyor) -> Self {
        self.survey = Some(Box::new(surveyor));
        self
    }

    /// It consumes streams, like this.
    #[must_use]
    pub fn consumes(mut self, consume: impl Consume) -> Self {
        self.stream = Some(Box::new(consume));
        self.workloads.push(WorkloadKind::Stream);
        self
    }

    /// Where a scenario shuts its consumers down, it consumes like this.
    #[must_use]
    pub fn drains(mut self, drainer: impl Drainer) -> Self {
        self.drain = Some(Box::new(drainer));
        self
    }

    /// It fans batches out, like this.
    #[must_use]
    pub fn fans_out(mut self, fan_out: impl FanOut) -> Self {
        self.batch = Some(Box::new(fan_out));
        self.workloads.push(WorkloadKind::Batch);
        self
    }

    /// Its name, in scenarios and results.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// What it does, in a line.
    #[must_use]
    pub const fn about(&self) -> &'static str {
        self.about
    }

    /// Whether it is a bug that runs only where it is named.
    #[must_use]
    pub const fn is_known_bad(&self) -> bool {
        self.known_bad
    }

    /// What it can be given.
    #[must_use]
    pub fn workloads(&self) -> &[WorkloadKind] {
        &self.workloads
    }

    /// What a scenario has to know of it.
    #[must_use]
    pub fn facts(&self) -> StrategyFacts<'_> {
        StrategyFacts {
            name: self.name,
            workloads: &self.workloads,
            limited: self.limited,
            heeds_policy: self.survey.is_some(),
        }
    }

    pub(crate) fn tree(&self) -> Option<&dyn RunTree> {
        self.tree.as_deref()
    }

    pub(crate) fn surveyor(&self) -> Option<&dyn RunSurvey> {
        self.survey.as_deref()
    }

    pub(crate) fn stream(&self) -> Option<&dyn RunStream> {
        self.stream.as_deref()
    }

    pub(crate) fn batch(&self) -> Option<&dyn RunBatch> {
        self.batch.as_deref()
    }

    pub(crate) fn drainer(&self) -> Option<&dyn RunDrain> {
        self.drain.as_deref()
    }
}

/// A [`Walk`] whose generic parameters are hidden.
pub(crate) trait RunTree: Send + Sync {
    fn run(&self, cell: &TreeCell<'_>) -> Measured;
}

impl<W: Walk> RunTree for W {
    fn run(&self, cell: &TreeCell<'_>) -> Measured {
        cell.run(self)
    }
}

/// A [`Surveyor`] whose generic parameters are hidden.
pub(crate) trait RunSurvey: Send + Sync {
    fn run(&self, cell: &TreeCell<'_>, policy: &WalkPolicy) -> Measured;
}

impl<S: Surveyor> RunSurvey for S {
    fn run(&self, cell: &TreeCell<'_>, policy: &WalkPolicy) -> Measured {
        cell.survey(self, policy)
    }
}

/// A [`Consume`] whose generic parameters are hidden.
pub(crate) trait RunStream: Send + Sync {
    fn run(&self, cell: &StreamCell<'_>) -> Measured;
}

impl<C: Consume> RunStream for C {
    fn run(&self, cell: &StreamCell<'_>) -> Measured {
        cell.run(self)
    }
}

/// A [`Drainer`] whose generic parameters are hidden.
pub(crate) trait RunDrain: Send + Sync {
    fn run(&self, cell: &StreamCell<'_>, shutdown: Shutdown) -> Measured;
}

impl<D: Drainer> RunDrain for D {
    fn run(&self, cell: &StreamCell<'_>, shutdown: Shutdown) -> Measured {
        cell.drain(self, shutdown)
    }
}

/// A [`FanOut`] whose generic parameters are hidden.
pub(crate) trait RunBatch: Send + Sync {
    fn run(&self, cell: &BatchCell<'_>) -> Measured;
}

impl<F: FanOut> RunBatch for F {
    fn run(&self, cell: &BatchCell<'_>) -> Measured {
        cell.run(self)
    }
}
