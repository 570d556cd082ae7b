//! Workers that feed their own bounded queue (tree).
//!
//! - **The bug**: the workers that take nodes from a bounded queue are the ones that put children into it.
//! - **What happens**: once the tree is wider than the queue is long, all of them wait for room in it, nobody is left to
//!   make any, and the walk never ends; a small tree fits and passes its tests.
//! - **Instead**: never let a worker wait for room in the queue that it empties: leave the frontier unbounded, as
//!   `fanout-queue-workers` does, and cut the walk itself where memory has to be bounded.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_channel::{Receiver, Sender};
use fanout_workload::{Tree, Walked};
use tokio::task::JoinSet;

/// Walks the tree below `roots` with `limit` workers on one queue of at most `capacity` nodes.
///
/// Dropping the future ends the workers.
pub async fn walk<T: Tree>(
    tree: Arc<T>,
    roots: Vec<T::Node>,
    limit: NonZeroUsize,
    capacity: NonZeroUsize,
) -> Walked<T::Node, T::Error> {
    let (queue, items) = async_channel::bounded(capacity.get());
    // Nodes queued or in a call, and the roots.
    let outstanding = Arc::new(AtomicUsize::new(roots.len()));
    if roots.is_empty() {
        queue.close();
    }
    let mut workers = JoinSet::new();
    for _ in 0..limit.get() {
        workers.spawn(work(Arc::clone(&tree), queue.clone(), items.clone(), Arc::clone(&outstanding)));
    }
    for root in roots {
        queue.send(root).await.expect("closed with nodes outstanding");
    }
    let mut walked = Walked::default();
    while let Some(ended) = workers.join_next().await {
        walked.absorb(crate::output(ended));
    }
    walked
}

async fn work<T: Tree>(
    tree: Arc<T>,
    queue: Sender<T::Node>,
    items: Receiver<T::Node>,
    outstanding: Arc<AtomicUsize>,
) -> Walked<T::Node, T::Error> {
    let mut walked = Walked::default();
    while let Ok(node) = items.recv().await {
        let answer = tree.children(&node).await;
        let children = walked.record(node, answer);
        outstanding.fetch_add(children.len(), Ordering::Relaxed);
        for child in children {
            // The bug: a full queue makes the worker wait for the others, and they wait here too.
            queue.send(child).await.expect("closed with nodes outstanding");
        }
        if outstanding.fetch_sub(1, Ordering::Relaxed) == 1 {
            queue.close();
        }
    }
    walked
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use fanout_deadlock::watch;

    use super::*;
    use crate::testing::{Full, alive, limit, ms};

    fn full(branching: u32, depth: u32) -> Arc<Full> {
        Arc::new(Full::new(branching, depth, |_, _, _| false))
    }

    #[tokio::test(start_paused = true)]
    async fn a_tree_wider_than_the_queue_leaves_every_worker_waiting_to_enqueue() {
        // Field case 3.
        let tree = full(6, 4);
        let mut walk = pin!(walk(Arc::clone(&tree), tree.roots(), limit(4), limit(8)));
        assert!(watch(walk.as_mut()).await.is_err(), "it never ends");
        let seen = tree.seen();
        assert_eq!((seen.calls, seen.answered, alive()), (6, 6, 4));
        // 8 of them fill the queue, and the workers hold the others.
        assert_eq!((seen.known, seen.waiting()), (37, 31));
        assert_eq!(seen.last_end, ms(30));
    }

    #[tokio::test(start_paused = true)]
    async fn a_tree_that_fits_passes() {
        for (branching, depth, nodes) in [(2, 3, 15), (6, 1, 7), (1, 50, 51)] {
            let tree = full(branching, depth);
            let walked = walk(Arc::clone(&tree), tree.roots(), limit(4), limit(8)).await;
            assert_eq!(walked.visited, nodes);
        }
        let walked = walk(full(2, 2), Vec::new(), limit(4), limit(8)).await;
        assert_eq!(walked.visited, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_queue_as_long_as_the_widest_level_is_enough() {
        let tree = full(6, 4);
        let walked = walk(Arc::clone(&tree), tree.roots(), limit(4), limit(6 * 6 * 6 * 6)).await;
        assert_eq!(walked.visited, 1_555);
    }
}
