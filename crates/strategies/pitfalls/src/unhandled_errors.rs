//! Workers that end with the first error they meet (tree).
//!
//! - **The bug**: a `?` in the worker's loop ends the worker where only its node has failed.
//! - **What happens**: every failure leaves one worker fewer, and once the last is gone, nodes stay queued that nobody
//!   takes and the walk waits for them for ever; with fewer failures than workers it is only slower and passes its tests.
//! - **Instead**: record the error with its node and go on with the next one, as `fanout-queue-workers` does.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_channel::{Receiver, Sender};
use fanout_workload::{Tree, Walked};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Walks the tree below `roots` with `limit` workers on one queue, until every node of it is done. It never is, once
/// `limit` calls have failed.
///
/// Dropping the future ends the workers that are left.
pub async fn walk<T: Tree>(
    tree: Arc<T>,
    roots: Vec<T::Node>,
    limit: NonZeroUsize,
) -> Walked<T::Node, T::Error> {
    let (frontier, items) = Frontier::new(roots);
    let mut workers = JoinSet::new();
    for _ in 0..limit.get() {
        workers.spawn(work(Arc::clone(&tree), Arc::clone(&frontier), items.clone()));
    }
    // Waits for the nodes and not for the workers, as one does who trusts that there are some.
    frontier.done.notified().await;
    frontier.queue.close();
    let mut walked = Walked::default();
    while let Some(ended) = workers.join_next().await {
        if let Err(failed) = crate::output(ended) {
            walked.failed.push(failed);
        }
    }
    walked.visited = frontier.visited.load(Ordering::Relaxed);
    walked
}

async fn work<T: Tree>(
    tree: Arc<T>,
    frontier: Arc<Frontier<T::Node>>,
    items: Receiver<T::Node>,
) -> Result<(), (T::Node, T::Error)> {
    while let Ok(node) = items.recv().await {
        // Counted as done whatever becomes of it: a node that fails holds nobody up.
        let _done = Done(&frontier);
        // The bug: it is the worker that ends here, and not its node alone.
        let children = tree.children(&node).await.map_err(|error| (node, error))?;
        frontier.visited.fetch_add(1, Ordering::Relaxed);
        frontier.add(children);
    }
    Ok(())
}

/// The nodes to visit, and when there are no more of them.
struct Frontier<N> {
    queue: Sender<N>,
    /// Nodes queued or in a call.
    outstanding: AtomicUsize,
    done: Notify,
    visited: AtomicUsize,
}

impl<N> Frontier<N> {
    fn new(roots: Vec<N>) -> (Arc<Self>, Receiver<N>) {
        let (queue, items) = async_channel::unbounded();
        // One for the roots as a whole, so that a forest of none is done like any other.
        let (outstanding, visited) = (AtomicUsize::new(1), AtomicUsize::new(0));
        let frontier = Arc::new(Self { queue, outstanding, done: Notify::new(), visited });
        let all = Done(&frontier);
        frontier.add(roots);
        drop(all);
        (frontier, items)
    }

    fn add(&self, nodes: Vec<N>) {
        self.outstanding.fetch_add(nodes.len(), Ordering::Relaxed);
        for node in nodes {
            self.queue.try_send(node).unwrap_or_else(|_| unreachable!("closed with nodes outstanding"));
        }
    }
}

/// One node in hand, done when this is dropped.
struct Done<'a, N>(&'a Frontier<N>);

impl<N> Drop for Done<'_, N> {
    fn drop(&mut self) {
        if self.0.outstanding.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.done.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use fanout_deadlock::watch;

    use super::*;
    use crate::testing::{Full, alive, limit, ms};

    /// The guide's tree, in which these nodes fail: level and place, and the number of the call.
    fn guide(fails: fn(u32, u32, usize) -> bool) -> Arc<Full> {
        Arc::new(Full::new(5, 5, fails))
    }

    #[tokio::test(start_paused = true)]
    async fn every_second_node_of_depth_3_takes_every_worker_with_it() {
        let tree = guide(|level, place, _| level == 3 && place % 2 == 0);
        let mut walk = pin!(walk(Arc::clone(&tree), tree.roots(), limit(20)));
        assert!(watch(walk.as_mut()).await.is_err(), "it never ends");
        let seen = tree.seen();
        assert_eq!((seen.failed, alive(), seen.waiting()), (20, 0, 181));
        assert_eq!(seen.last_end, ms(90));
    }

    #[tokio::test(start_paused = true)]
    async fn fewer_failures_than_workers_are_survived_by_the_rest() {
        let tree = guide(|level, place, _| level == 3 && place % 50 == 0);
        let walked = walk(Arc::clone(&tree), tree.roots(), limit(20)).await;
        assert_eq!((walked.visited, walked.failed.len()), (3_906 - 3 * 31, 3));
        let seen = tree.seen();
        assert_eq!((seen.alive_at_last_end, seen.waiting()), (17, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_in_50_takes_every_worker_with_it() {
        let tree = guide(|_, _, call| call % 50 == 0);
        let mut walk = pin!(walk(Arc::clone(&tree), tree.roots(), limit(20)));
        assert!(watch(walk.as_mut()).await.is_err(), "it never ends");
        let seen = tree.seen();
        assert_eq!((seen.calls, seen.failed, alive()), (1_000, 20, 0));
        assert!(seen.waiting() > 0);
    }

    #[tokio::test(start_paused = true)]
    async fn without_failures_it_is_as_good_as_any_other() {
        let tree = guide(|_, _, _| false);
        let walked = walk(Arc::clone(&tree), tree.roots(), limit(20)).await;
        assert_eq!((walked.visited, walked.failed.len()), (3_906, 0));
        assert_eq!(tree.seen().last_end, ms(1_970));
        let walked = walk(Arc::clone(&tree), Vec::new(), limit(20)).await;
        assert_eq!(walked.visited, 0);
    }
}
