use std::sync::Arc;

use super::node::Node;
use super::stored::Stored;
use crate::faults::Item;

/// The shape of a tree. The regular ones are computed; the others are stored, four bytes a node.
#[derive(Debug, Clone)]
pub struct Shape(pub(super) Kind);

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Empty,
    Full { branching: u32, depth: u32 },
    Chain { nodes: u32 },
    Star { leaves: u32 },
    Diamond { parents: u32 },
    Cycle { nodes: u32 },
    Complete { nodes: u32 },
    Stored(Arc<Stored>),
}

impl Shape {
    /// Whether a node can be reached in more than one way, so that it is no tree. Its numbers below are then those of
    /// the nodes that there are, each once, and a node's level is the shortest way to it; a walk that keeps no account
    /// of what it has seen calls more, or never ends.
    #[must_use]
    pub const fn is_graph(&self) -> bool {
        match &self.0 {
            Kind::Diamond { .. } | Kind::Cycle { .. } | Kind::Complete { .. } => true,
            Kind::Empty | Kind::Full { .. } | Kind::Chain { .. } | Kind::Star { .. } | Kind::Stored(_) => {
                false
            }
        }
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> u64 {
        match &self.0 {
            Kind::Empty => 0,
            &Kind::Full { branching, depth } => nodes_above(branching, depth + 1),
            Kind::Chain { nodes } | Kind::Cycle { nodes } | Kind::Complete { nodes } => u64::from(*nodes),
            Kind::Star { leaves } => u64::from(*leaves) + 1,
            Kind::Diamond { parents } => u64::from(*parents) + 2,
            Kind::Stored(stored) => u64::from(stored.nodes()),
        }
    }

    /// How many levels there are: 1 for a root alone, 0 for a tree of no node.
    #[must_use]
    pub fn levels(&self) -> u32 {
        match &self.0 {
            Kind::Empty => 0,
            Kind::Full { depth, .. } => depth + 1,
            Kind::Chain { nodes } | Kind::Cycle { nodes } => *nodes,
            Kind::Star { leaves: 0 } | Kind::Complete { nodes: 1 } => 1,
            Kind::Star { .. } | Kind::Complete { .. } => 2,
            Kind::Diamond { .. } => 3,
            Kind::Stored(stored) => stored.levels(),
        }
    }

    /// How many nodes the widest level has.
    #[must_use]
    pub fn widest_level(&self) -> u64 {
        match &self.0 {
            Kind::Empty => 0,
            Kind::Full { branching, depth } => u64::from(*branching).pow(*depth),
            Kind::Chain { .. } | Kind::Cycle { .. } => 1,
            Kind::Star { leaves } => u64::from(*leaves).max(1),
            Kind::Diamond { parents } => u64::from(*parents),
            Kind::Complete { nodes } => u64::from(*nodes).saturating_sub(1).max(1),
            Kind::Stored(stored) => u64::from(stored.widest_level()),
        }
    }

    /// How many nodes have children.
    #[must_use]
    pub fn internal_nodes(&self) -> u64 {
        match &self.0 {
            Kind::Empty => 0,
            &Kind::Full { branching, depth } => nodes_above(branching, depth),
            Kind::Chain { nodes } => u64::from(*nodes) - 1,
            Kind::Star { leaves } => u64::from(*leaves > 0),
            Kind::Diamond { parents } => u64::from(*parents) + 1,
            Kind::Cycle { nodes } => u64::from(*nodes),
            Kind::Complete { nodes: 1 } => 0,
            Kind::Complete { nodes } => u64::from(*nodes),
            Kind::Stored(stored) => u64::from(stored.internal_nodes()),
        }
    }

    /// The root, where there is a node at all.
    #[must_use]
    pub fn root(&self) -> Option<Node> {
        (!matches!(self.0, Kind::Empty)).then_some(Node::new(0, 0))
    }

    /// The children of a node, in order.
    ///
    /// # Panics
    ///
    /// The node is of another tree.
    pub fn children(&self, node: Node) -> impl ExactSizeIterator<Item = Node> + use<> {
        let index = node.index;
        let range = match &self.0 {
            Kind::Empty => 0..0,
            &Kind::Full { branching, depth } if node.depth < depth => {
                let first = branching * index + 1;
                first..first + branching
            }
            Kind::Chain { nodes } if index + 1 < *nodes => index + 1..index + 2,
            Kind::Star { leaves } if index == 0 => 1..leaves + 1,
            Kind::Diamond { parents } if index == 0 => 1..parents + 1,
            Kind::Diamond { parents } if index <= *parents => parents + 1..parents + 2,
            Kind::Full { .. } | Kind::Chain { .. } | Kind::Star { .. } | Kind::Diamond { .. } => 0..0,
            Kind::Cycle { nodes } if index + 1 == *nodes => 0..1,
            Kind::Cycle { .. } => index + 1..index + 2,
            Kind::Complete { nodes } => 0..nodes - 1,
            Kind::Stored(stored) => stored.children(index),
        };
        // Of a complete graph's nodes all but the node itself.
        let itself = matches!(self.0, Kind::Complete { .. }).then_some(index);
        let depth = node.depth.saturating_add(1);
        range.map(move |child| {
            let beyond = itself.is_some_and(|itself| child >= itself);
            Node::new(child + u32::from(beyond), depth)
        })
    }

    /// The place of a node in its level, from 0.
    ///
    /// # Panics
    ///
    /// The node is of another tree.
    #[must_use]
    pub fn position(&self, node: Node) -> u32 {
        let level_start = match &self.0 {
            Kind::Empty => 0,
            // The levels above have fewer nodes than the tree, whose nodes a u32 counts.
            Kind::Full { branching, .. } => nodes_above(*branching, node.depth) as u32,
            Kind::Chain { .. } => node.index,
            Kind::Star { .. } => node.depth,
            Kind::Diamond { parents } => match node.depth {
                0 | 1 => node.depth,
                _ => parents + 1,
            },
            // Nobody's level is fixed: counted through.
            Kind::Cycle { .. } | Kind::Complete { .. } => 0,
            Kind::Stored(stored) => stored.level_start(node.depth),
        };
        node.index - level_start
    }

    /// What a call for the node is about.
    pub(crate) fn item(&self, node: Node) -> Item {
        Item {
            index: u64::from(node.index),
            depth: Some(node.depth),
            position: u64::from(self.position(node)),
        }
    }

    /// The path of a node for a report: its name in a listing, else the way from the root, `/0/3` being the fourth
    /// child of the first child.
    ///
    /// # Panics
    ///
    /// The node is of another tree.
    #[must_use]
    pub fn path(&self, node: Node) -> String {
        let mut names = Vec::new();
        let mut index = node.index;
        while let Some(parent) = self.parent(index) {
            names.push(self.name(index, parent));
            index = parent;
        }
        let root = match &self.0 {
            Kind::Stored(stored) => stored.name(0).unwrap_or_else(|| "/".to_owned()),
            _ => "/".to_owned(),
        };
        let mut path = root;
        for name in names.iter().rev() {
            if !path.ends_with('/') {
                path.push('/');
            }
            path.push_str(name);
        }
        path
    }

    fn parent(&self, index: u32) -> Option<u32> {
        let above = index.checked_sub(1)?;
        match &self.0 {
            Kind::Empty => None,
            Kind::Full { branching, .. } => Some(above / branching),
            Kind::Chain { .. } => Some(above),
            Kind::Star { .. } | Kind::Complete { .. } => Some(0),
            // Of several, the first.
            &Kind::Diamond { parents } => Some(u32::from(above == parents)),
            Kind::Cycle { .. } => Some(above),
            Kind::Stored(stored) => Some(stored.parent(index)),
        }
    }

    fn name(&self, index: u32, parent: u32) -> String {
        let ordinal = match &self.0 {
            Kind::Empty | Kind::Chain { .. } | Kind::Cycle { .. } => 0,
            Kind::Full { branching, .. } => (index - 1) % branching,
            Kind::Diamond { parents } if index > *parents => 0,
            Kind::Star { .. } | Kind::Diamond { .. } | Kind::Complete { .. } => index - 1,
            Kind::Stored(stored) => {
                if let Some(name) = stored.name(index) {
                    return name;
                }
                index - stored.children(parent).start
            }
        };
        ordinal.to_string()
    }
}

/// How many nodes of a full tree lie above a level.
pub(super) fn nodes_above(branching: u32, depth: u32) -> u64 {
    match branching {
        1 => u64::from(depth),
        _ => (u64::from(branching).pow(depth) - 1) / (u64::from(branching) - 1),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::{Branching, TreeSpec};

    fn any_shape() -> impl Strategy<Value = Shape> {
        prop_oneof![
            Just(TreeSpec::empty()),
            (1u32..5, 0u32..5).prop_map(|(branching, depth)| TreeSpec::full(branching, depth).expect("fits")),
            (1u32..50).prop_map(|nodes| TreeSpec::chain(nodes).expect("fits")),
            (0u32..50).prop_map(|leaves| TreeSpec::star(leaves).expect("fits")),
            (1u32..400).prop_map(|nodes| {
                TreeSpec::random(Branching::uniform(0, 4).expect("a range"), nodes).expect("fits")
            }),
            (1u32..400).prop_map(|nodes| TreeSpec::random(
                Branching::skewed(1.5, 50).expect("a tail"),
                nodes
            )
            .expect("fits")),
        ]
        .prop_flat_map(|spec| (0u64..1_000).prop_map(move |seed| spec.build(seed)))
    }

    /// Each level's nodes, reached from the root.
    fn levels(shape: &Shape) -> Vec<Vec<Node>> {
        let mut levels = Vec::new();
        let mut level: Vec<_> = shape.root().into_iter().collect();
        while !level.is_empty() {
            let next = level.iter().flat_map(|&node| shape.children(node)).collect();
            levels.push(std::mem::replace(&mut level, next));
        }
        levels
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_node_is_reached_once_and_in_level_order(shape in any_shape()) {
            let levels = levels(&shape);
            let indexes: Vec<u64> = levels.iter().flatten().map(|node| u64::from(node.index)).collect();
            prop_assert_eq!(indexes, (0..shape.nodes()).collect::<Vec<_>>());
            prop_assert_eq!(levels.len() as u32, shape.levels());
            let widest = levels.iter().map(Vec::len).max().unwrap_or(0);
            prop_assert_eq!(widest as u64, shape.widest_level());
            let internal = levels.iter().flatten().filter(|&&node| shape.children(node).len() > 0).count();
            prop_assert_eq!(internal as u64, shape.internal_nodes());
        }

        #[test]
        fn places_and_paths_agree_with_the_children(shape in any_shape()) {
            for (depth, level) in levels(&shape).iter().enumerate() {
                for (position, &node) in level.iter().enumerate() {
                    prop_assert_eq!(shape.position(node) as usize, position);
                    prop_assert_eq!(node.depth as usize, depth);
                    for (ordinal, child) in shape.children(node).enumerate() {
                        let above = shape.path(node);
                        let above = above.trim_end_matches('/');
                        prop_assert_eq!(shape.path(child), format!("{above}/{ordinal}"));
                    }
                }
            }
        }
    }

    fn graph(spec: Result<TreeSpec, crate::tree::ShapeError>) -> Shape {
        let shape = spec.expect("it fits").build(1);
        assert!(shape.is_graph());
        shape
    }

    /// The nodes by their shortest way from the root, level by level, and how often each is revealed.
    fn breadth_first(shape: &Shape) -> (Vec<Vec<u32>>, Vec<u32>) {
        let mut revealed = vec![0; shape.nodes() as usize];
        let (mut levels, mut level) = (Vec::new(), vec![shape.root().expect("it has one")]);
        let mut known = std::collections::BTreeSet::from([0]);
        while !level.is_empty() {
            levels.push(level.iter().map(|node| node.index).collect());
            let children: Vec<_> = level.iter().flat_map(|&node| shape.children(node)).collect();
            children.iter().for_each(|child| revealed[child.index as usize] += 1);
            level = children.into_iter().filter(|child| known.insert(child.index)).collect();
        }
        (levels, revealed)
    }

    #[test]
    fn parents_of_a_diamond_share_their_child() {
        let shape = graph(TreeSpec::diamond(3));
        assert_eq!(breadth_first(&shape), (vec![vec![0], vec![1, 2, 3], vec![4]], vec![0, 1, 1, 1, 3]));
        assert_eq!((shape.levels(), shape.widest_level(), shape.internal_nodes()), (3, 3, 4));
        let child = Node::new(4, 2);
        assert_eq!((shape.path(child), shape.position(child)), ("/0/0".to_owned(), 0));
        assert_eq!((shape.path(Node::new(3, 1)), shape.position(Node::new(3, 1))), ("/2".to_owned(), 2));
    }

    #[test]
    fn a_cycle_comes_back_to_its_root() {
        let shape = graph(TreeSpec::cycle(3));
        assert_eq!(breadth_first(&shape), (vec![vec![0], vec![1], vec![2]], vec![1, 1, 1]));
        assert_eq!((shape.levels(), shape.widest_level(), shape.internal_nodes()), (3, 1, 3));
        assert_eq!(
            shape.children(Node::new(2, 8)).map(|node| (node.index, node.depth)).collect::<Vec<_>>(),
            [(0, 9)]
        );
        assert_eq!(shape.path(Node::new(2, 8)), "/0/0");
        let alone = graph(TreeSpec::cycle(1));
        assert_eq!(alone.children(Node::new(0, 0)).collect::<Vec<_>>(), [Node::new(0, 1)]);
    }

    #[test]
    fn nodes_of_a_complete_graph_have_all_others() {
        let shape = graph(TreeSpec::complete(4));
        assert_eq!(breadth_first(&shape), (vec![vec![0], vec![1, 2, 3]], vec![3, 3, 3, 3]));
        assert_eq!((shape.levels(), shape.widest_level(), shape.internal_nodes()), (2, 3, 4));
        let children: Vec<_> = shape.children(Node::new(2, 5)).map(|node| (node.index, node.depth)).collect();
        assert_eq!(children, [(0, 6), (1, 6), (3, 6)]);
        assert_eq!(shape.path(Node::new(3, 5)), "/2");
        let alone = graph(TreeSpec::complete(1));
        assert_eq!((alone.children(Node::new(0, 0)).len(), alone.levels(), alone.widest_level()), (0, 1, 1));
    }
}
