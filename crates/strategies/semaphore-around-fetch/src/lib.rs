//! A slot around each call: bounds the calls, not the tasks.
//!
//! Recursion stays as simple as it was and the calls in flight are bounded. But every item is a task from the moment
//! it is known, and waits for its slot inside: with items come tasks, and with tasks memory. To be chosen where the
//! number of items is known to be moderate, or where the recursion must stay.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::Arc;

use fanout_workload::{Answer, Answers, Batch, Consumed, Handler, Source, Tree, Walked, settle};
use futures::future::join_all;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

/// Walks the tree below `roots`, a task a node, of which `limit` at a time are in a call.
///
/// Dropping the future ends the tasks.
pub async fn walk<T: Tree>(
    tree: Arc<T>,
    roots: Vec<T::Node>,
    limit: NonZeroUsize,
) -> Walked<T::Node, T::Error> {
    forest(tree, roots, Arc::new(Semaphore::new(limit.get()))).await
}

async fn forest<T: Tree>(
    tree: Arc<T>,
    nodes: Vec<T::Node>,
    slots: Arc<Semaphore>,
) -> Walked<T::Node, T::Error> {
    let mut walked = Walked::default();
    let mut tasks = JoinSet::new();
    for node in nodes {
        tasks.spawn(subtree(Arc::clone(&tree), node, Arc::clone(&slots)));
    }
    while let Some(ended) = tasks.join_next().await {
        walked.absorb(output(ended));
    }
    walked
}

// It spawns itself, so its type has to have a name.
type Walking<T> = Pin<Box<dyn Future<Output = Walked<<T as Tree>::Node, <T as Tree>::Error>> + Send>>;

fn subtree<T: Tree>(tree: Arc<T>, node: T::Node, slots: Arc<Semaphore>) -> Walking<T> {
    Box::pin(async move {
        let slot = slots.acquire().await.expect("the semaphore is never closed");
        let answer = tree.children(&node).await;
        // Given back before the children are awaited: whoever waits for a slot must not wait for a holder of one.
        drop(slot);
        let mut walked = Walked::default();
        let children = walked.record(node, answer);
        walked.absorb(forest(tree, children, slots).await);
        walked
    })
}

/// Handles every message of `source`, a task a message, of which `limit` at a time are being handled.
///
/// Nothing slows the source: every message that waits for a slot is in memory, with its task. Dropping the future
/// ends the tasks.
pub async fn consume<S, H>(mut source: S, handler: Arc<H>, limit: NonZeroUsize) -> Consumed<H::Error>
where
    S: Source,
    H: Handler<S::Delivery>,
{
    let slots = Arc::new(Semaphore::new(limit.get()));
    let mut consumed = Consumed::default();
    let mut tasks = JoinSet::new();
    while let Some(delivery) = source.next().await {
        let (handler, slots) = (Arc::clone(&handler), Arc::clone(&slots));
        tasks.spawn(async move {
            let _slot = slots.acquire().await.expect("the semaphore is never closed");
            settle(&*handler, delivery).await
        });
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

/// Makes every call of every item: a task an item, its calls at the same time, and of each dependency as many at a time
/// as it has a limit of its own in `limits`, in the order of the dependencies.
///
/// A dependency is kept as busy as its limit allows, whatever the others do: an item that waits for one of them takes
/// no slot of another. Every item is a task from the start. Dropping the future ends the tasks.
///
/// # Panics
///
/// There are not as many limits as dependencies.
pub async fn fan_out<B: Batch>(
    batch: Arc<B>,
    items: Vec<B::Item>,
    limits: &[NonZeroUsize],
) -> Answers<B::Value, B::Error> {
    assert_eq!(limits.len(), batch.dependencies().get(), "each dependency has one limit");
    let slots: Arc<[Semaphore]> = limits.iter().map(|limit| Semaphore::new(limit.get())).collect();
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    let mut tasks = JoinSet::new();
    for (index, item) in items.into_iter().enumerate() {
        let (batch, slots) = (Arc::clone(&batch), Arc::clone(&slots));
        tasks.spawn(async move {
            let calls = slots.iter().enumerate();
            let calls = calls.map(|(dependency, slots)| call(&*batch, &item, dependency, slots));
            (index, join_all(calls).await)
        });
    }
    while let Some(ended) = tasks.join_next().await {
        let (index, ended) = output(ended);
        answers.record_all(index, ended);
    }
    answers
}

async fn call<B: Batch>(batch: &B, item: &B::Item, dependency: usize, slots: &Semaphore) -> Answer<B> {
    let _slot = slots.acquire().await.expect("the semaphore is never closed");
    batch.call(item, dependency).await
}

/// What a task gave back. A panic in a call goes on in the caller; nobody cancels these tasks but by dropping them all.
fn output<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
