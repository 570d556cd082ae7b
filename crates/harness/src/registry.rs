//! Which strategies there are. A new one is an adapter and a line in [`Registry::builtin`].

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_deadlock::Slots;
use fanout_scenario::StrategyFacts;
use fanout_workload::drain::{DeadLetter, Drained, Fault};
use fanout_workload::survey::{Policy, Survey};
use fanout_workload::{Batch, Consumed, Handler, Source, Tree, Walked};

use tokio_util::sync::CancellationToken;

use crate::pitfalls;
use crate::strategy::{Consume, Drainer, FanOut, Order, ServedAnswers, Strategy, Surveyor, Walk};

/// The strategies that scenarios can name.
pub struct Registry {
    strategies: Vec<Strategy>,
}

impl Registry {
    /// The six that the project is about, in the order of its tables, the pipeline that only streams have, the two groups
    /// that only batches have, and after them the known bugs.
    #[must_use]
    pub fn builtin() -> Self {
        let six = [
            Strategy::unlimited("sequential-stack", "one call at a time")
                .walks(SequentialStack)
                .consumes(SequentialStack)
                .fans_out(SequentialStack),
            Strategy::unlimited(
                "unbounded-join-all",
                "everything at once, no limit on calls, tasks or memory",
            )
            .walks(UnboundedJoinAll)
            .consumes(UnboundedJoinAll)
            .fans_out(UnboundedJoinAll),
            Strategy::limited(
                "semaphore-across-recursion",
                "the bug: a slot is held while its holder waits for slots",
            )
            .walks(SemaphoreAcrossRecursion)
            .known_bad(),
            Strategy::limited(
                "semaphore-around-fetch",
                "a task an item, a slot around each call: bounds calls, not tasks",
            )
            .walks(SemaphoreAroundFetch)
            .consumes(SemaphoreAroundFetch)
            .fans_out(SemaphoreAroundFetch),
            Strategy::limited(
                "queue-workers",
                "a queue and a fixed number of workers: bounds calls and tasks",
            )
            .walks(QueueWorkers)
            .surveys(QueueWorkers)
            .consumes(QueueWorkers)
            .drains(QueueWorkers)
            .fans_out(QueueWorkers),
            Strategy::limited(
                "slot-before-spawn",
                "a slot first, then a task for one item: bounds calls and tasks",
            )
            .walks(SlotBeforeSpawn)
            .surveys(SlotBeforeSpawn)
            .consumes(SlotBeforeSpawn)
            .drains(SlotBeforeSpawn)
            .fans_out(SlotBeforeSpawn),
        ];
        let more = [
            Strategy::limited(
                "pipeline",
                "workers behind a queue of 4 x as many; what cannot be handled is set aside",
            )
            .consumes(Pipeline)
            .drains(Pipeline),
            Strategy::unlimited(
                "structured-group",
                "an item's calls as a group: the first failure cancels the rest, and nothing is left",
            )
            .fans_out(StructuredGroup),
            Strategy::unlimited(
                "token-group",
                "an item's calls with a token: the first failure cancels it, and the rest end a moment later",
            )
            .fans_out(TokenGroup),
        ];
        let strategies = six.into_iter().chain(more);
        Self { strategies: strategies.chain(pitfalls::all()).chain(pitfalls::of_batches()).collect() }
    }

    /// Adds a strategy, in the place of any of the same name.
    pub fn add(&mut self, strategy: Strategy) {
        self.strategies.retain(|other| other.name() != strategy.name());
        self.strategies.push(strategy);
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Strategy> {
        self.strategies.iter()
    }

    /// The one of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Strategy> {
        self.iter().find(|strategy| strategy.name() == name)
    }

    /// What scenarios have to know of them.
    #[must_use]
    pub fn facts(&self) -> Vec<StrategyFacts<'_>> {
        self.iter().map(Strategy::facts).collect()
    }
}

struct SequentialStack;

impl Walk for SequentialStack {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        _: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_sequential_stack::walk(&*tree, roots).await
    }
}

impl Consume for SequentialStack {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        _: NonZeroUsize,
    ) -> Consumed<H::Error> {
        fanout_sequential_stack::consume(source, &*handler).await
    }
}

struct UnboundedJoinAll;

impl Walk for UnboundedJoinAll {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        _: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_unbounded_join_all::walk(&*tree, roots).await
    }
}

impl Consume for UnboundedJoinAll {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        _: NonZeroUsize,
    ) -> Consumed<H::Error> {
        fanout_unbounded_join_all::consume(source, handler).await
    }
}

struct SemaphoreAcrossRecursion;

impl Walk for SemaphoreAcrossRecursion {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        _: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_semaphore_across_recursion::walk(tree, roots, slots).await
    }
}

struct SemaphoreAroundFetch;

impl Walk for SemaphoreAroundFetch {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_semaphore_around_fetch::walk(tree, roots, limit).await
    }
}

impl Consume for SemaphoreAroundFetch {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        fanout_semaphore_around_fetch::consume(source, handler, limit).await
    }
}

struct QueueWorkers;

impl Walk for QueueWorkers {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_queue_workers::walk(tree, roots, limit).await
    }
}

impl Surveyor for QueueWorkers {
    async fn survey<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        policy: Policy<T::Node, T::Error>,
    ) -> Survey<T::Node, T::Error> {
        fanout_queue_workers::Walker::new(limit).policy(policy).walk(tree, roots).await
    }
}

impl Consume for QueueWorkers {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        // The guide's: a queue as long as there are workers.
        fanout_queue_workers::consume(source, handler, limit, limit).await
    }
}

struct SlotBeforeSpawn;

impl Walk for SlotBeforeSpawn {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_slot_before_spawn::walk(tree, roots, limit).await
    }
}

impl Surveyor for SlotBeforeSpawn {
    async fn survey<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        policy: Policy<T::Node, T::Error>,
    ) -> Survey<T::Node, T::Error> {
        fanout_slot_before_spawn::Walker::new(limit).policy(policy).walk(tree, roots).await
    }
}

impl Consume for SlotBeforeSpawn {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        fanout_slot_before_spawn::consume(source, handler, limit).await
    }
}

impl Drainer for QueueWorkers {
    async fn consume_until<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
        stop: CancellationToken,
        drain: Duration,
    ) -> Drained {
        fanout_queue_workers::Consumer::new(limit).stop(stop, drain).consume(source, handler).await
    }
}

impl Drainer for SlotBeforeSpawn {
    async fn consume_until<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
        stop: CancellationToken,
        drain: Duration,
    ) -> Drained {
        fanout_slot_before_spawn::Consumer::new(limit).stop(stop, drain).consume(source, handler).await
    }
}

/// The production consumer of `queue-workers` as the guides build it, with somebody who takes the dead letters.
struct Pipeline;

impl Pipeline {
    const QUEUE_PER_WORKER: NonZeroUsize = NonZeroUsize::new(4).unwrap();

    fn of<D, E>(limit: NonZeroUsize) -> fanout_queue_workers::Consumer<D, E> {
        fanout_queue_workers::Consumer::new(limit).queue(limit.saturating_mul(Self::QUEUE_PER_WORKER))
    }
}

impl Consume for Pipeline {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        let (letters, mut dead) = tokio::sync::mpsc::unbounded_channel();
        let set_aside = move |letter: DeadLetter<'_, S::Delivery, H::Error>| {
            if let Fault::Handler(error) = letter.fault {
                // Its other end outlives the consumer.
                let _ = letters.send(error);
            }
        };
        let drained = Self::of(limit).dead_letters(set_aside).consume(source, handler).await;
        let mut consumed = Consumed { handled: drained.handled, ..Consumed::default() };
        while let Ok(error) = dead.try_recv() {
            consumed.record(Err(error));
        }
        consumed
    }
}

impl Drainer for Pipeline {
    async fn consume_until<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
        stop: CancellationToken,
        drain: Duration,
    ) -> Drained {
        Self::of(limit).stop(stop, drain).consume(source, handler).await
    }
}

impl FanOut for SequentialStack {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        let batch = order.patient();
        fanout_sequential_stack::fan_out(&*batch, order.items).await
    }
}

impl FanOut for UnboundedJoinAll {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        let batch = order.patient();
        fanout_unbounded_join_all::fan_out(&*batch, order.items).await
    }
}

impl FanOut for SemaphoreAroundFetch {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        fanout_semaphore_around_fetch::fan_out(order.patient(), order.items, &order.limits).await
    }
}

impl FanOut for QueueWorkers {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        fanout_queue_workers::fan_out(order.patient(), order.items, order.limit).await
    }
}

impl FanOut for SlotBeforeSpawn {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        fanout_slot_before_spawn::fan_out(order.patient(), order.items, order.limit).await
    }
}

struct StructuredGroup;

impl FanOut for StructuredGroup {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        fanout_structured_group::fan_out(order.patient(), order.items).await
    }
}

struct TokenGroup;

impl FanOut for TokenGroup {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        fanout_structured_group::fan_out_with_token(order.patient(), order.items).await
    }
}
