//! Everything at once: no limit on calls, tasks or memory.
//!
//! The fastest there is, where the number of items is small and known and the other side can take them all at once.
//! The walk takes levels x latency, and its peak of calls is the widest level of the tree: a number that you do not
//! choose and often do not know.

use std::sync::Arc;

use fanout_workload::{Answers, Batch, Consumed, Handler, Source, Tree, Walked, settle};
use futures::future::{BoxFuture, FutureExt, join_all};
use tokio::task::{JoinError, JoinSet};

/// Walks the tree below `roots`, all children of a node at the same time.
///
/// It all happens in the caller's task: `join_all` makes futures, not tasks. What they cost shows in memory: every
/// node in flight, and every ancestor that waits for it, keeps its future.
pub async fn walk<T: Tree>(tree: &T, roots: Vec<T::Node>) -> Walked<T::Node, T::Error> {
    merge(join_all(roots.into_iter().map(|root| subtree(tree, root))).await)
}

// A recursive async function needs a box somewhere, or its future would contain itself.
fn subtree<T: Tree>(tree: &T, node: T::Node) -> BoxFuture<'_, Walked<T::Node, T::Error>> {
    async move {
        let mut walked = Walked::default();
        let answer = tree.children(&node).await;
        let children = walked.record(node, answer);
        walked.absorb(walk(tree, children).await);
        walked
    }
    .boxed()
}

fn merge<N, E>(parts: Vec<Walked<N, E>>) -> Walked<N, E> {
    parts.into_iter().fold(Walked::default(), |mut whole, part| {
        whole.absorb(part);
        whole
    })
}

/// Handles every message of `source`, each in a task of its own, as fast as they come.
///
/// The peak of tasks measures the source: its rate x the time a message takes. Dropping the future ends the tasks.
pub async fn consume<S, H>(mut source: S, handler: Arc<H>) -> Consumed<H::Error>
where
    S: Source,
    H: Handler<S::Delivery>,
{
    let mut consumed = Consumed::default();
    let mut tasks = JoinSet::new();
    while let Some(delivery) = source.next().await {
        let handler = Arc::clone(&handler);
        tasks.spawn(async move { settle(&*handler, delivery).await });
        // A finished task keeps its result, and so its memory, until it is joined.
        while let Some(ended) = tasks.try_join_next() {
            consumed.record(output(ended));
        }
    }
    while let Some(ended) = tasks.join_next().await {
        consumed.record(output(ended));
    }
    consumed
}

/// Makes all calls of all items at once, in the caller's task, and gives back each one's outcome.
///
/// Every dependency meets as many calls as there are items, in the same moment.
pub async fn fan_out<B: Batch>(batch: &B, items: Vec<B::Item>) -> Answers<B::Value, B::Error> {
    let dependencies = batch.dependencies();
    let calls = items
        .iter()
        .flat_map(|item| (0..dependencies.get()).map(move |dependency| batch.call(item, dependency)));
    let mut ended = join_all(calls).await.into_iter();
    let mut answers = Answers::none_yet(items.len(), dependencies);
    for index in 0..items.len() {
        answers.record_all(index, ended.by_ref().take(dependencies.get()));
    }
    answers
}

/// What a task gave back. A panic in a call goes on in the caller; nobody cancels these tasks but by dropping them all.
fn output<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
