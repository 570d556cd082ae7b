//! One call at a time: the floor for calls in flight, the ceiling for time.
//!
//! The walk keeps what it has still to visit on a stack of its own, so a deep tree costs memory on the heap and never
//! overflows the thread's stack. The time is the sum of all latencies, whatever the shape.

use fanout_workload::{Answers, Batch, Consumed, Handler, Source, Tree, Walked, settle};

/// Walks the tree below `roots`, depth first, one call after another.
pub async fn walk<T: Tree>(tree: &T, roots: Vec<T::Node>) -> Walked<T::Node, T::Error> {
    let mut walked = Walked::default();
    let mut stack = roots;
    while let Some(node) = stack.pop() {
        let answer = tree.children(&node).await;
        stack.extend(walked.record(node, answer));
    }
    walked
}

/// Handles every message of `source`, one after another.
pub async fn consume<S: Source, H: Handler<S::Delivery>>(mut source: S, handler: &H) -> Consumed<H::Error> {
    let mut consumed = Consumed::default();
    while let Some(delivery) = source.next().await {
        consumed.record(settle(handler, delivery).await);
    }
    consumed
}

/// Makes every call of every item, one after another.
///
/// Calls that do not need each other's answers wait for each other all the same.
pub async fn fan_out<B: Batch>(batch: &B, items: Vec<B::Item>) -> Answers<B::Value, B::Error> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    for (index, item) in items.iter().enumerate() {
        for dependency in 0..batch.dependencies().get() {
            answers.record(index, dependency, batch.call(item, dependency).await);
        }
    }
    answers
}
