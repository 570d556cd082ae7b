use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::batch::{BatchSpec, DependencySpec};
use crate::faults::{Answer, Faults};
use crate::latency::Latency;
use crate::stream::StreamSpec;
use crate::tree::Shape;

/// What is known of a workload before anyone works on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Nodes or messages in all.
    pub items: u64,
    /// Levels of a tree.
    pub levels: Option<u32>,
    /// Nodes of a tree's widest level.
    pub widest_level: Option<u64>,
    /// Nodes of a tree that have children.
    pub internal_nodes: Option<u64>,
    /// Items that can be reached at all: what lies below a node whose call fails cannot.
    pub reachable: u64,
    /// Reachable items whose call fails or never answers.
    pub failing: u64,
    /// The longest time that no schedule can avoid: along a path from the root, or a last arrival with its call.
    pub longest_path: Duration,
    /// The time of all reachable calls together.
    pub total_latency: Duration,
    /// The longest reachable call.
    pub longest_latency: Duration,
    /// The longest time between two arrivals, or before the first; zero for a tree.
    pub longest_gap: Duration,
}

impl Facts {
    /// Of a tree: in one pass, level by level, holding two levels at a time. Of a graph: of each node once, by its
    /// shortest way.
    #[must_use]
    pub fn of_tree(shape: &Shape, latency: &Latency, faults: &Faults, seed: u64) -> Self {
        let mut facts = Self {
            levels: Some(shape.levels()),
            widest_level: Some(shape.widest_level()),
            internal_nodes: Some(shape.internal_nodes()),
            ..Self::none(shape.nodes())
        };
        let mut level: Vec<_> = shape.root().map(|root| (root, Duration::ZERO)).into_iter().collect();
        let mut met = shape.is_graph().then(|| HashSet::from([0]));
        while !level.is_empty() {
            let mut next = Vec::new();
            for (node, revealed) in level {
                let item = shape.item(node);
                let ends =
                    facts.add(revealed, latency.of(seed, item.index, 0), faults.verdict(seed, item, 0));
                if let Some(ends) = ends {
                    let children = shape.children(node);
                    let new = children.filter(|child| met.as_mut().is_none_or(|met| met.insert(child.index)));
                    next.extend(new.map(|child| (child, ends)));
                }
            }
            level = next;
        }
        facts
    }

    /// Of a stream.
    #[must_use]
    pub fn of_stream(stream: &StreamSpec, latency: &Latency, faults: &Faults, seed: u64) -> Self {
        let mut facts = Self::none(u64::from(stream.messages()));
        let mut before = Duration::ZERO;
        for (index, arrival) in (0..).zip(stream.arrival_times(seed)) {
            facts.longest_gap = facts.longest_gap.max(arrival - before);
            before = arrival;
            let item = StreamSpec::item(index);
            facts.add(arrival, latency.of(seed, item.index, 0), faults.verdict(seed, item, 0));
        }
        facts
    }

    /// Of one dependency of a batch. `seed` is that of the batch.
    #[must_use]
    pub fn of_dependency(batch: &BatchSpec, number: usize, seed: u64) -> Self {
        let DependencySpec { latency, faults, .. } = &batch.dependencies()[number];
        let seed = BatchSpec::seed(seed, number);
        let mut facts = Self::none(u64::from(batch.items()));
        for item in (0..u64::from(batch.items())).map(BatchSpec::item) {
            facts.add(Duration::ZERO, latency.of(seed, item.index, 0), faults.verdict(seed, item, 0));
        }
        facts
    }

    /// Of a batch: what each item needs of each dependency is an item of its own here, since it is a call of its own.
    #[must_use]
    pub fn of_batch(batch: &BatchSpec, seed: u64) -> Self {
        let each = (0..batch.dependencies().len()).map(|number| Self::of_dependency(batch, number, seed));
        each.fold(Self::none(0), |sum, one| Self {
            items: sum.items + one.items,
            reachable: sum.reachable + one.reachable,
            failing: sum.failing + one.failing,
            longest_path: sum.longest_path.max(one.longest_path),
            total_latency: sum.total_latency.saturating_add(one.total_latency),
            longest_latency: sum.longest_latency.max(one.longest_latency),
            ..sum
        })
    }

    /// The bound that no schedule can beat, with at most so many calls at once. The sum divided by the limit assumes
    /// that every slot is busy to the end, which few trees allow.
    #[must_use]
    pub fn ideal(&self, limit: Option<NonZeroUsize>) -> Duration {
        let shared = limit.map_or(0, |limit| self.total_latency.as_nanos() / limit.get() as u128);
        self.longest_path.max(Duration::from_nanos(u64::try_from(shared).unwrap_or(u64::MAX)))
    }

    const fn none(items: u64) -> Self {
        Self {
            items,
            levels: None,
            widest_level: None,
            internal_nodes: None,
            reachable: 0,
            failing: 0,
            longest_path: Duration::ZERO,
            total_latency: Duration::ZERO,
            longest_latency: Duration::ZERO,
            longest_gap: Duration::ZERO,
        }
    }

    /// Adds one reachable item. Gives back when it can have answered well at the earliest.
    fn add(&mut self, revealed: Duration, latency: Duration, verdict: Option<Answer>) -> Option<Duration> {
        self.reachable += 1;
        self.failing += u64::from(verdict.is_some());
        if verdict == Some(Answer::Never) {
            return None;
        }
        let ends = revealed + latency;
        self.longest_path = self.longest_path.max(ends);
        self.total_latency = self.total_latency.saturating_add(latency);
        self.longest_latency = self.longest_latency.max(latency);
        verdict.is_none().then_some(ends)
    }
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroUsize};

    use super::*;
    use crate::faults::{Rule, Which};
    use crate::stream::Arrivals;
    use crate::tree::TreeSpec;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn limit(limit: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(limit)
    }

    #[test]
    fn the_guides_tree() {
        let shape = TreeSpec::full(5, 5).expect("it fits").build(1);
        let facts = Facts::of_tree(&shape, &Latency::constant(ms(10)), &Faults::default(), 1);
        assert_eq!(
            (facts.items, facts.levels, facts.widest_level, facts.internal_nodes),
            (3_906, Some(6), Some(3_125), Some(781))
        );
        assert_eq!((facts.longest_path, facts.total_latency), (ms(60), ms(39_060)));
        assert_eq!((facts.ideal(None), facts.ideal(limit(20))), (ms(60), ms(1_953)));
    }

    #[test]
    fn what_lies_below_a_failure_cannot_be_reached() {
        let which = Which::Every { nth: NonZeroU32::new(2).expect("not 0"), depth: Some(3) };
        let faults = Faults::new(vec![Rule::new(which, Answer::Error).expect("a rule")]);
        let shape = TreeSpec::full(5, 5).expect("it fits").build(1);
        let facts = Facts::of_tree(&shape, &Latency::constant(ms(10)), &faults, 1);
        // The guide's: 2,016 calls, 63 of them failed.
        assert_eq!((facts.reachable, facts.failing), (2_016, 63));
    }

    #[test]
    fn the_guides_stream() {
        let rate = Arrivals::Even { per_second: NonZeroU32::new(72_000).expect("not 0") };
        let stream = StreamSpec::new(20_000, 200, rate);
        let facts = Facts::of_stream(&stream, &Latency::constant(ms(50)), &Faults::default(), 1);
        assert_eq!((facts.longest_path, facts.longest_gap), (ms(328), ms(1)));
        assert_eq!((facts.ideal(None), facts.ideal(limit(100))), (ms(328), ms(10_000)));
    }

    #[test]
    fn of_a_graph_each_node_counts_once() {
        let facts = |spec: Result<TreeSpec, _>| {
            let shape = spec.expect("it fits").build(1);
            Facts::of_tree(&shape, &Latency::constant(ms(10)), &Faults::default(), 1)
        };
        for (facts, nodes, longest) in [
            (facts(TreeSpec::diamond(100)), 102, ms(30)),
            (facts(TreeSpec::cycle(5)), 5, ms(50)),
            (facts(TreeSpec::complete(6)), 6, ms(20)),
        ] {
            assert_eq!((facts.items, facts.reachable, facts.longest_path), (nodes, nodes, longest));
        }
    }

    #[test]
    fn nothing_takes_no_time() {
        let facts =
            Facts::of_tree(&TreeSpec::empty().build(1), &Latency::constant(ms(10)), &Faults::default(), 1);
        assert_eq!((facts.items, facts.levels, facts.ideal(limit(1))), (0, Some(0), Duration::ZERO));
    }
}
