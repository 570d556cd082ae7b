use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

/// Which of the nodes that wait is called next.
pub struct Order<N>(Kind<N>);

enum Kind<N> {
    Fifo,
    Lifo,
    // A fresh queue for each walk, by a key whose type nobody else has to know.
    ByKey(Arc<dyn Fn() -> Box<dyn Keyed<N>> + Send + Sync>),
}

impl<N> Order<N> {
    /// First in, first out: level by level, and so with the widest level in memory.
    #[must_use]
    pub const fn fifo() -> Self {
        Self(Kind::Fifo)
    }

    /// Last in, first out: depth first, the last child first. What waits is at most the siblings along one path, times
    /// the calls in flight.
    #[must_use]
    pub const fn lifo() -> Self {
        Self(Kind::Lifo)
    }

    /// By priority: the least key first, and of equals the one that has waited longest. `key` is given the node and
    /// its depth, the roots' being 0.
    #[must_use]
    pub fn by_key<K: Ord + Send + 'static>(key: impl Fn(&N, u32) -> K + Send + Sync + 'static) -> Self
    where
        N: Send + 'static,
    {
        let key = Arc::new(key);
        Self(Kind::ByKey(Arc::new(move || {
            Box::new(Heap { key: Arc::clone(&key), pushed: 0, entries: BinaryHeap::new() })
        })))
    }

    pub(super) fn queue(&self) -> Queue<N> {
        match &self.0 {
            Kind::Fifo => Queue::Fifo(VecDeque::new()),
            Kind::Lifo => Queue::Lifo(Vec::new()),
            Kind::ByKey(queue) => Queue::ByKey(queue()),
        }
    }
}

impl<N> Default for Order<N> {
    fn default() -> Self {
        Self::fifo()
    }
}

// Derived, it would ask for `N: Clone`.
impl<N> Clone for Order<N> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            Kind::Fifo => Kind::Fifo,
            Kind::Lifo => Kind::Lifo,
            Kind::ByKey(queue) => Kind::ByKey(Arc::clone(queue)),
        })
    }
}

/// A node that waits to be called for the first time.
pub(super) struct Waiting<N> {
    pub(super) node: N,
    pub(super) depth: u32,
}

/// The nodes that wait, in order.
pub(super) enum Queue<N> {
    Fifo(VecDeque<Waiting<N>>),
    Lifo(Vec<Waiting<N>>),
    ByKey(Box<dyn Keyed<N>>),
}

impl<N> Queue<N> {
    pub(super) fn push(&mut self, waiting: Waiting<N>) {
        match self {
            Self::Fifo(queue) => queue.push_back(waiting),
            Self::Lifo(stack) => stack.push(waiting),
            Self::ByKey(heap) => heap.push(waiting),
        }
    }

    pub(super) fn pop(&mut self) -> Option<Waiting<N>> {
        match self {
            Self::Fifo(queue) => queue.pop_front(),
            Self::Lifo(stack) => stack.pop(),
            Self::ByKey(heap) => heap.pop(),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fifo(queue) => queue.len(),
            Self::Lifo(stack) => stack.len(),
            Self::ByKey(heap) => heap.len(),
        }
    }
}

/// A priority queue whose key's type is hidden.
pub(super) trait Keyed<N>: Send {
    fn push(&mut self, waiting: Waiting<N>);
    fn pop(&mut self) -> Option<Waiting<N>>;
    fn len(&self) -> usize;
}

struct Heap<N, K, F> {
    key: Arc<F>,
    pushed: u64,
    entries: BinaryHeap<First<(K, u64), Waiting<N>>>,
}

impl<N, K, F> Keyed<N> for Heap<N, K, F>
where
    N: Send,
    K: Ord + Send,
    F: Fn(&N, u32) -> K + Send + Sync,
{
    fn push(&mut self, waiting: Waiting<N>) {
        let key = (self.key)(&waiting.node, waiting.depth);
        self.entries.push(First { key: (key, self.pushed), value: waiting });
        self.pushed += 1;
    }

    fn pop(&mut self) -> Option<Waiting<N>> {
        self.entries.pop().map(|entry| entry.value)
    }

    fn len(&self) -> usize {
        self.entries.len()
    }
}

/// An entry of a [`BinaryHeap`], which gives the greatest first, to be given the least key first.
pub(super) struct First<K, V> {
    pub(super) key: K,
    pub(super) value: V,
}

impl<K: Ord, V> Ord for First<K, V> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.key.cmp(&self.key)
    }
}

impl<K: Ord, V> PartialOrd for First<K, V> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord, V> PartialEq for First<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<K: Ord, V> Eq for First<K, V> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(order: &Order<&'static str>) -> Vec<&'static str> {
        let mut queue = order.queue();
        for (node, depth) in [("root", 0), ("left", 1), ("right", 1), ("deep", 9), ("leaf", 2)] {
            queue.push(Waiting { node, depth });
        }
        assert_eq!(queue.len(), 5);
        std::iter::from_fn(|| queue.pop()).map(|waiting| waiting.node).collect()
    }

    #[test]
    fn the_first_the_last_or_the_least() {
        assert_eq!(taken(&Order::fifo()), ["root", "left", "right", "deep", "leaf"]);
        assert_eq!(taken(&Order::lifo()), ["leaf", "deep", "right", "left", "root"]);
        assert_eq!(taken(&Order::by_key(|_, depth| depth)), ["root", "left", "right", "leaf", "deep"]);
        assert_eq!(
            taken(&Order::by_key(|node: &&str, _| node.len())),
            ["root", "left", "deep", "leaf", "right"]
        );
    }
}
