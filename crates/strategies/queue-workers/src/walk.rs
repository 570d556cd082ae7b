use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_channel::{Receiver, Sender};
use fanout_workload::{Tree, Walked};
use tokio::task::JoinSet;

/// Walks the tree below `roots` with `limit` workers on one queue, first in, first out.
///
/// Dropping the future ends the workers.
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
    let mut walked = Walked::default();
    while let Some(ended) = workers.join_next().await {
        walked.absorb(crate::output(ended));
    }
    walked
}

async fn work<T: Tree>(
    tree: Arc<T>,
    frontier: Arc<Frontier<T::Node>>,
    items: Receiver<T::Node>,
) -> Walked<T::Node, T::Error> {
    let mut walked = Walked::default();
    while let Ok(node) = items.recv().await {
        let answer = tree.children(&node).await;
        frontier.add(walked.record(node, answer));
        frontier.finish_one();
    }
    walked
}

/// The nodes to visit, and when there will be no more of them.
struct Frontier<N> {
    // Unbounded on purpose: the workers feed it themselves, and if they could all block in a send, nobody would be
    // left to receive.
    queue: Sender<N>,
    // Nodes queued or in a call. An empty queue alone means nothing: a call in flight may yet reveal children.
    outstanding: AtomicUsize,
}

impl<N> Frontier<N> {
    fn new(roots: Vec<N>) -> (Arc<Self>, Receiver<N>) {
        let (queue, items) = async_channel::unbounded();
        // One for the roots as a whole, so that a forest of none closes the queue like any other that is done.
        let frontier = Self { queue, outstanding: AtomicUsize::new(1) };
        frontier.add(roots);
        frontier.finish_one();
        (Arc::new(frontier), items)
    }

    /// Queues nodes. Only while something is outstanding: the caller's own item, whose `finish_one` is yet to come.
    fn add(&self, nodes: Vec<N>) {
        // Counted before they can be taken, or a fast worker could finish one and see a count of zero too early.
        self.outstanding.fetch_add(nodes.len(), Ordering::Relaxed);
        for node in nodes {
            self.queue.try_send(node).unwrap_or_else(|_| unreachable!("closed with nodes outstanding"));
        }
    }

    /// Ends one node, after its children were added. The last one lets every worker go.
    fn finish_one(&self) {
        // The adds of one node and its end are in order on their own; across workers the count alone decides, and a
        // read-modify-write always sees the latest. Nothing else is published through it.
        if self.outstanding.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.queue.close();
        }
    }
}
