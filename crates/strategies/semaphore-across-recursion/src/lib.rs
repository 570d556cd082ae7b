//! A known bug, kept so that it can be measured: a slot is held while its holder waits for others that need one.
//!
//! Each node takes a slot, asks for its children, *and keeps the slot* while they are walked. Once every slot is held
//! by a node that waits for a descendant, none is left for the descendants, and nothing ever moves again. A tree that
//! is small for the limit completes, so the bug passes its tests and waits for a larger tree.
//!
//! The semaphore is [`fanout_deadlock::Slots`], which remembers who holds and who waits, so that the report can name
//! them. `semaphore-around-fetch` is the repair: give the slot back before you wait.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use fanout_deadlock::Slots;
use fanout_workload::{Tree, Walked};
use tokio::task::JoinSet;

/// Walks the tree below `roots`, each node in a task of its own that holds one of `slots` until its whole subtree is
/// done. Deadlocks wherever `slots` are no more than the nodes that can be holding one and waiting.
///
/// Dropping the future ends the tasks.
pub async fn walk<T: Tree>(
    tree: Arc<T>,
    roots: Vec<T::Node>,
    slots: Slots<T::Node>,
) -> Walked<T::Node, T::Error> {
    let mut walked = Walked::default();
    let mut tasks = JoinSet::new();
    for root in roots {
        tasks.spawn(subtree(Arc::clone(&tree), root, slots.clone()));
    }
    while let Some(part) = tasks.join_next().await {
        walked.absorb(part.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic())));
    }
    walked
}

// It spawns itself, so its type has to have a name.
type Walking<T> = Pin<Box<dyn Future<Output = Walked<<T as Tree>::Node, <T as Tree>::Error>> + Send>>;

fn subtree<T: Tree>(tree: Arc<T>, node: T::Node, slots: Slots<T::Node>) -> Walking<T> {
    Box::pin(async move {
        let mut slot = slots.acquire(node.clone()).await;
        let mut walked = Walked::default();
        let answer = tree.children(&node).await;
        let children = walked.record(node, answer);
        // The bug: `slot` lives on while the children, who need slots too, are awaited.
        slot.waits_for(&children);
        walked.absorb(walk(tree, children, slots.clone()).await);
        walked
    })
}
