//! Simulated trees.

mod listing;
mod node;
mod shape;
mod spec;
mod stored;

use std::sync::Arc;

use fanout_workload::Tree;

pub use listing::{Listing, ListingError};
pub use node::Node;
pub use shape::Shape;
pub use spec::{Branching, ShapeError, TreeSpec};

use crate::service::{CallError, Service};

/// A tree behind a [`Service`]: a call tells a node's children.
#[derive(Debug)]
pub struct SimulatedTree<const WEIGHT: usize> {
    shape: Shape,
    service: Arc<Service>,
}

impl<const WEIGHT: usize> SimulatedTree<WEIGHT> {
    /// A tree of this shape, whose calls' futures weigh at least `WEIGHT` bytes.
    #[must_use]
    pub const fn new(shape: Shape, service: Arc<Service>) -> Self {
        Self { shape, service }
    }
}

impl<const WEIGHT: usize> Tree for SimulatedTree<WEIGHT> {
    type Node = Node;
    type Error = CallError;

    async fn children(&self, node: &Node) -> Result<Vec<Node>, CallError> {
        self.service.call::<WEIGHT>(self.shape.item(*node)).await?;
        Ok(self.shape.children(*node).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use super::*;
    use crate::faults::{Answer, Faults, Rule, Which};
    use crate::latency::Latency;
    use crate::timer::Timer;

    fn tree(spec: &TreeSpec, faults: Faults) -> SimulatedTree<0> {
        let latency = Latency::constant(Duration::from_millis(10));
        SimulatedTree::new(spec.build(1), Arc::new(Service::new(Timer::Virtual, 1, latency, faults, None)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_takes_its_time_and_one_allocation() {
        let start = tokio::time::Instant::now();
        let tree = tree(&TreeSpec::full(5, 1).expect("it fits"), Faults::default());
        let children = tree.children(&Node::new(0, 0)).await.expect("no faults");
        assert_eq!(start.elapsed(), Duration::from_millis(10));
        assert_eq!(children, (1..=5).map(|index| Node::new(index, 1)).collect::<Vec<_>>());
        assert_eq!(children.capacity(), 5);
        // An empty one has none.
        assert_eq!(tree.children(&children[4]).await.map(|children| children.capacity()), Ok(0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_fault_is_found_by_level_and_place() {
        let which = Which::Every { nth: NonZeroU32::new(2).expect("not 0"), depth: Some(1) };
        let faults = Faults::new(vec![Rule::new(which, Answer::Error).expect("a rule")]);
        let tree = tree(&TreeSpec::star(3).expect("it fits"), faults);
        let leaves = tree.children(&Node::new(0, 0)).await.expect("another level");
        let mut failed = Vec::new();
        for leaf in leaves {
            failed.push(tree.children(&leaf).await.err());
        }
        assert_eq!(failed, [Some(CallError::Injected), None, Some(CallError::Injected)]);
    }
}
