use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// A node: its number in level order and its level, both from 0 at the root. What else there is to know of it is
/// computed by its [`Shape`](crate::Shape).
///
/// Nodes of one tree are the same if their numbers are, whatever their marks.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// Its number in level order.
    pub index: u32,
    /// Its level.
    pub depth: u32,
    /// Room for whoever observes the walk to leave a note; 0 at first.
    pub mark: u64,
}

impl Node {
    pub(crate) const fn new(index: u32, depth: u32) -> Self {
        Self { index, depth, mark: 0 }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.index.cmp(&other.index)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_mark_makes_no_other_node() {
        let marked = Node { mark: 7, ..Node::new(3, 1) };
        assert_eq!(marked, Node::new(3, 1));
        assert!(HashSet::from([marked]).contains(&Node::new(3, 1)));
        assert!(marked < Node::new(4, 1));
    }

    #[test]
    fn a_node_is_small() {
        assert_eq!(size_of::<Node>(), 16);
    }
}
