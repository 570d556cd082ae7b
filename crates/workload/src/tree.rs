use std::future::Future;

/// A tree whose shape is known only by asking, one call a node: folders behind an API, pages that link to pages.
pub trait Tree: Send + Sync + 'static {
    /// Names a node. Cloned freely by strategies, so keep it small: an id, a path behind an `Arc`.
    type Node: Clone + Send + Sync + 'static;
    /// Why a call failed.
    type Error: Send + 'static;

    /// Asks for the children of one node. This is the call whose concurrency the strategies differ in.
    ///
    /// # Errors
    ///
    /// The call's own failure. The node's subtree is then unknown.
    fn children(
        &self,
        node: &Self::Node,
    ) -> impl Future<Output = Result<Vec<Self::Node>, Self::Error>> + Send;
}

/// What a walk did. A failed node is recorded and its subtree skipped; the walk goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked<N, E> {
    /// Nodes whose call answered.
    pub visited: usize,
    /// Nodes whose call failed, with the error. Walking again from these covers what is missing.
    pub failed: Vec<(N, E)>,
}

impl<N, E> Walked<N, E> {
    /// Notes what the call for `node` answered, and hands back the children to go on with: none after a failure.
    pub fn record(&mut self, node: N, answer: Result<Vec<N>, E>) -> Vec<N> {
        match answer {
            Ok(children) => {
                self.visited += 1;
                children
            }
            Err(error) => {
                self.failed.push((node, error));
                Vec::new()
            }
        }
    }

    /// Adds what another part of the same walk did.
    pub fn absorb(&mut self, other: Self) {
        self.visited += other.visited;
        self.failed.extend(other.failed);
    }
}

// Derived, it would ask for `N: Default` and `E: Default`.
impl<N, E> Default for Walked<N, E> {
    fn default() -> Self {
        Self { visited: 0, failed: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_has_no_children_and_keeps_its_node() {
        let mut walked = Walked::default();
        assert_eq!(walked.record("a", Ok(vec!["b", "c"])), ["b", "c"]);
        assert_eq!(walked.record("b", Err("refused")), [""; 0]);
        assert_eq!(walked, Walked { visited: 1, failed: vec![("b", "refused")] });
    }

    #[test]
    fn parts_of_a_walk_add_up() {
        let mut walked = Walked { visited: 2, failed: vec![(1, "x")] };
        walked.absorb(Walked { visited: 3, failed: vec![(2, "y")] });
        assert_eq!(walked.visited, 5);
        assert_eq!(walked.failed, [(1, "x"), (2, "y")]);
    }
}
