//! The known bugs of `fanout-pitfalls` as strategies. They run only where they are named.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_deadlock::Slots;
use fanout_pitfalls::{
    abandoned_timeout, block_on_worker, bounded_frontier, careless_join, detached_timeout, idle_receiver,
    manual_release, pool_awaits_pool, slow_consumer, swallowed_cancellation, unhandled_errors,
    unreaped_join_set,
};
use fanout_workload::{Batch, Consumed, Handler, Source, Tree, Walked};

use crate::strategy::{Consume, FanOut, Order, ServedAnswers, Strategy, Walk};

/// How long the consumer that abandons its calls waits for each.
const DEADLINE: Duration = Duration::from_millis(50);

/// The seven of trees and streams, those of trees first.
pub(crate) fn all() -> [Strategy; 7] {
    [
        Strategy::limited("pitfall-unhandled-errors", "the bug: a worker ends with the first error it meets")
            .walks(UnhandledErrors),
        Strategy::limited(
            "pitfall-bounded-frontier",
            "the bug: workers feed their own queue, bounded at 2 x limit",
        )
        .walks(BoundedFrontier),
        Strategy::limited(
            "pitfall-slow-consumer",
            "the bug: the loop over buffer_unordered awaits long work, and nobody polls the calls",
        )
        .walks(SlowConsumer),
        Strategy::limited(
            "pitfall-manual-release",
            "the bug: a slot is given back by hand, and not after a failure",
        )
        .consumes(ManualRelease),
        Strategy::limited(
            "pitfall-abandoned-timeout",
            "the bug: a timeout of 50 ms around a spawned task, which goes on",
        )
        .consumes(AbandonedTimeout),
        Strategy::limited(
            "pitfall-unreaped-join-set",
            "the bug: tasks that have ended are joined only at the end",
        )
        .consumes(UnreapedJoinSet),
        Strategy::limited(
            "pitfall-idle-receiver",
            "the bug: the queue of workers that are gone is kept open",
        )
        .consumes(IdleReceiver),
    ]
    .map(Strategy::known_bad)
}

/// The five of batches.
pub(crate) fn of_batches() -> [Strategy; 5] {
    [
        Strategy::unlimited(
            "pitfall-careless-join",
            "the bug: tasks are joined up to the first failure, and the others go on",
        )
        .fans_out(CarelessJoin),
        Strategy::unlimited(
            "pitfall-detached-timeout",
            "the bug: a timeout around a task's handle, and a further attempt beside the one that goes on",
        )
        .fans_out(DetachedTimeout),
        Strategy::unlimited(
            "pitfall-swallowed-cancellation",
            "the bug: a cancelled attempt is taken for a failed one, and tried again",
        )
        .fans_out(SwallowedCancellation),
        Strategy::unlimited(
            "pitfall-block-on-worker",
            "the bug: a worker thread blocks until a task has ended that needs a worker thread",
        )
        .fans_out(BlockOnWorker),
        Strategy::unlimited(
            "pitfall-pool-awaits-pool",
            "the bug: jobs of the blocking pool wait for jobs of the same pool",
        )
        .fans_out(PoolAwaitsPool),
    ]
    .map(Strategy::known_bad)
}

struct UnhandledErrors;

impl Walk for UnhandledErrors {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        unhandled_errors::walk(tree, roots, limit).await
    }
}

struct BoundedFrontier;

impl Walk for BoundedFrontier {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        bounded_frontier::walk(tree, roots, limit, limit.saturating_mul(TWO)).await
    }
}

const TWO: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

struct SlowConsumer;

impl Walk for SlowConsumer {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        slow_consumer::walk(tree, roots, limit, slots).await
    }
}

struct ManualRelease;

impl Consume for ManualRelease {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        manual_release::consume(source, handler, limit).await
    }
}

struct AbandonedTimeout;

impl Consume for AbandonedTimeout {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        abandoned_timeout::consume(source, handler, limit, DEADLINE).await
    }
}

struct UnreapedJoinSet;

impl Consume for UnreapedJoinSet {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        unreaped_join_set::consume(source, handler, limit).await
    }
}

struct IdleReceiver;

impl Consume for IdleReceiver {
    async fn consume<S: Source, H: Handler<S::Delivery>>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
    ) -> Consumed<H::Error> {
        idle_receiver::consume(source, handler, limit, limit).await
    }
}

struct CarelessJoin;

impl FanOut for CarelessJoin {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        careless_join::fan_out(order.patient(), order.items).await
    }
}

struct DetachedTimeout;

impl FanOut for DetachedTimeout {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        detached_timeout::fan_out(order.batch, order.items, order.patience).await
    }
}

struct SwallowedCancellation;

impl FanOut for SwallowedCancellation {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        swallowed_cancellation::fan_out(order.batch, order.items, order.patience).await
    }
}

struct BlockOnWorker;

impl FanOut for BlockOnWorker {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        block_on_worker::fan_out(order.patient(), order.items).await
    }
}

struct PoolAwaitsPool;

impl FanOut for PoolAwaitsPool {
    async fn fan_out<B: Batch>(&self, order: Order<B>) -> ServedAnswers<B> {
        pool_awaits_pool::fan_out(order.patient(), order.items, order.threads).await
    }
}
