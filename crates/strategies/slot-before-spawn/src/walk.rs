use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_workload::{Tree, Walked};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Walks the tree below `roots`, a task a call, at most `limit` of them at a time, first in, first out.
///
/// Dropping the future ends the tasks.
pub async fn walk<T: Tree>(
    tree: Arc<T>,
    roots: Vec<T::Node>,
    limit: NonZeroUsize,
) -> Walked<T::Node, T::Error> {
    let slots = Arc::new(Semaphore::new(limit.get()));
    let mut frontier = VecDeque::from(roots);
    let mut calls = JoinSet::new();
    let mut walked = Walked::default();
    loop {
        while !frontier.is_empty() {
            let slot = Arc::clone(&slots).acquire_owned().await.expect("the semaphore is never closed");
            // The call that gave this slot back has answered: take in its children, and its memory, first.
            while let Some(ended) = calls.try_join_next() {
                let (node, answer) = crate::output(ended);
                frontier.extend(walked.record(node, answer));
            }
            let node = frontier.pop_front().expect("only this loop takes nodes");
            let tree = Arc::clone(&tree);
            calls.spawn(async move {
                let answer = tree.children(&node).await;
                drop(slot);
                (node, answer)
            });
        }
        // Nothing waits, but a call in flight may yet reveal children. None in flight: done.
        match calls.join_next().await {
            None => return walked,
            Some(ended) => {
                let (node, answer) = crate::output(ended);
                frontier.extend(walked.record(node, answer));
            }
        }
    }
}
