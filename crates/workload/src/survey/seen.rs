use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

/// What makes two nodes the same, and an empty set of them for each walk.
pub(super) struct Key<N>(Arc<dyn Fn() -> Box<dyn Seen<N>> + Send + Sync>);

impl<N: 'static> Key<N> {
    pub(super) fn new<K: Eq + Hash + Send + 'static>(key: impl Fn(&N) -> K + Send + Sync + 'static) -> Self {
        let key = Arc::new(key);
        Self(Arc::new(move || Box::new(Set { key: Arc::clone(&key), claimed: HashSet::new() })))
    }
}

impl<N> Key<N> {
    pub(super) fn none_yet(&self) -> Box<dyn Seen<N>> {
        self.0()
    }
}

// Derived, it would ask for `N: Clone`.
impl<N> Clone for Key<N> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The nodes that have been claimed, by a key whose type nobody else has to know.
pub(super) trait Seen<N>: Send {
    fn has(&self, node: &N) -> bool;
    fn claim(&mut self, node: &N);
}

struct Set<F, K> {
    key: Arc<F>,
    // Only asked, never iterated over: its order is another in each process.
    claimed: HashSet<K>,
}

impl<N, K, F> Seen<N> for Set<F, K>
where
    K: Eq + Hash + Send,
    F: Fn(&N) -> K + Send + Sync,
{
    fn has(&self, node: &N) -> bool {
        self.claimed.contains(&(self.key)(node))
    }

    fn claim(&mut self, node: &N) {
        self.claimed.insert((self.key)(node));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_walk_has_a_set_of_its_own() {
        let key = Key::new(|word: &&str| word.len());
        let mut seen = key.none_yet();
        assert!(!seen.has(&"one"));
        seen.claim(&"one");
        assert!(seen.has(&"two"));
        assert!(!key.none_yet().has(&"two"));
    }
}
