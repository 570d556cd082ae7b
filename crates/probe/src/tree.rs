use std::future::Future;

use fanout_workload::Tree;

use crate::observed::{Ending, Observed};
use crate::probe::{Ended, Probe};

/// Where a node carries the probe's mark: when it was revealed. Kept in the node itself, so that nothing has to be
/// stored beside it.
#[derive(Debug, Clone, Copy)]
pub struct Mark<N> {
    /// Reads the mark.
    pub get: fn(&N) -> u64,
    /// Sets the mark.
    pub set: fn(&mut N, u64),
}

/// A tree whose calls are counted.
pub struct ObservedTree<T: Tree> {
    tree: T,
    probe: Probe,
    mark: Mark<T::Node>,
    called_before: Option<Box<CalledBefore<T::Node>>>,
}

type CalledBefore<N> = dyn Fn(&N) -> bool + Send + Sync;

impl<T: Tree> ObservedTree<T> {
    /// Puts a probe before a tree.
    pub fn new(tree: T, probe: Probe, mark: Mark<T::Node>) -> Self {
        Self { tree, probe, mark, called_before: None }
    }

    /// Lets calls of nodes that have been called before count as retried. A probe in front of a walk that calls nodes
    /// again has to be told: it keeps no account of nodes itself.
    #[must_use]
    pub fn retried_if(mut self, called_before: impl Fn(&T::Node) -> bool + Send + Sync + 'static) -> Self {
        self.called_before = Some(Box::new(called_before));
        self
    }

    /// Marks the nodes that the walk starts from, and counts them as given.
    pub fn reveal(&self, mut roots: Vec<T::Node>) -> Vec<T::Node> {
        let now_ns = self.probe.now_ns();
        for root in &mut roots {
            (self.mark.set)(root, now_ns);
        }
        self.probe.give(roots.len() as u64);
        roots
    }
}

impl<T: Tree> Tree for ObservedTree<T> {
    type Node = T::Node;
    type Error = T::Error;

    fn children(&self, node: &T::Node) -> impl Future<Output = Result<Vec<T::Node>, T::Error>> + Send {
        Observed::new(
            &self.probe,
            (self.mark.get)(node),
            self.tree.children(node),
            Reveals { set_mark: self.mark.set },
        )
        .again(self.called_before.as_ref().is_some_and(|called_before| called_before(node)))
    }
}

struct Reveals<N> {
    set_mark: fn(&mut N, u64),
}

impl<N, E> Ending<Result<Vec<N>, E>> for Reveals<N> {
    fn of(&self, answer: &Result<Vec<N>, E>) -> Ended {
        match answer {
            Ok(children) => Ended::Answered { revealed: children.len() as u64 },
            Err(_) => Ended::Failed,
        }
    }

    fn at(&self, answer: &mut Result<Vec<N>, E>, _: u64, ended_ns: u64) {
        for child in answer.iter_mut().flatten() {
            (self.set_mark)(child, ended_ns);
        }
    }
}
