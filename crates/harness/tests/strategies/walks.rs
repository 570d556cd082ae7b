use std::num::NonZeroUsize;
use std::time::Duration;

use crate::support::{GOOD, Good, tasks, tasks_left, tree, walk};
use fanout_deadlock::{Report, Slots, run};
use fanout_simulation::{Answer, Branching, Facts, Faults, Latency, Rule, Shape, TreeSpec, Which};
use proptest::prelude::*;

pub fn limit(limit: usize) -> NonZeroUsize {
    NonZeroUsize::new(limit).expect("not 0")
}

fn latency() -> Latency {
    Latency::uniform(Duration::from_millis(1), Duration::from_millis(20)).expect("a range")
}

pub fn never_stuck() -> Report {
    Report::default()
}

prop_compose! {
    /// A random tree of up to 400 nodes, or none.
    fn any_tree()(nodes in 0u32..400, seed in any::<u64>()) -> (Shape, u64) {
        let shape = match nodes {
            0 => TreeSpec::empty(),
            nodes => TreeSpec::random(Branching::uniform(0, 5).expect("a range"), nodes).expect("it fits"),
        };
        (shape.build(seed), seed)
    }
}

fn any_limit() -> impl Strategy<Value = NonZeroUsize> {
    prop::sample::select(vec![limit(1), limit(2), limit(7), limit(64)])
}

fn any_good() -> impl Strategy<Value = Good> {
    prop::sample::select(GOOD.to_vec())
}

proptest! {
    // Field case 5: 1,000 random trees.
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn every_node_is_visited_within_the_limit(
        (shape, seed) in any_tree(),
        limit in any_limit(),
        good in any_good(),
    ) {
        let (walked, reading, left) = run(
            async {
                let (probe, tree, roots) = tree(&shape, &latency(), &Faults::default(), seed);
                let walked = walk(good, tree, roots, limit).await;
                // At once: a walk that is over has no task that still has to end.
                let left = tasks();
                (walked, probe.read(), left)
            },
            never_stuck,
        )
        .expect("a good strategy is never stuck");
        prop_assert_eq!(walked.visited as u64, shape.nodes());
        prop_assert!(walked.failed.is_empty());
        prop_assert_eq!(reading.counts.answered, shape.nodes());
        prop_assert_eq!((reading.counts.in_flight(), reading.counts.backlog(), left), (0, 0, 0));
        prop_assert!(reading.peaks.in_flight <= good.most_in_flight(limit), "{:?}", reading.peaks);
        prop_assert!(reading.peaks.tasks <= good.most_tasks(limit), "{:?}", reading.peaks);
    }

    #[test]
    fn a_failure_is_reported_with_its_node_and_the_rest_is_visited(
        (shape, seed) in any_tree(),
        limit in any_limit(),
        good in any_good(),
    ) {
        let rule = Rule::new(Which::Share(0.1), Answer::Error).expect("a share");
        let faults = Faults::new(vec![rule]);
        let facts = Facts::of_tree(&shape, &latency(), &faults, seed);
        let walked = run(
            async {
                let (_, tree, roots) = tree(&shape, &latency(), &faults, seed);
                walk(good, tree, roots, limit).await
            },
            never_stuck,
        )
        .expect("a good strategy is never stuck");
        prop_assert_eq!(walked.failed.len() as u64, facts.failing);
        prop_assert_eq!(walked.visited as u64, facts.reachable - facts.failing);
        let mut nodes: Vec<_> = walked.failed.iter().map(|(node, _)| node.index).collect();
        nodes.sort_unstable();
        nodes.dedup();
        prop_assert_eq!(nodes.len(), walked.failed.len(), "each node once");
    }

    #[test]
    fn a_dropped_walk_leaves_nothing_behind(
        (shape, seed) in any_tree(),
        limit in any_limit(),
        good in any_good(),
        after in 0u64..200,
    ) {
        let (counts, left) = run(
            async {
                let (probe, tree, roots) = tree(&shape, &latency(), &Faults::default(), seed);
                let walk = walk(good, tree, roots, limit);
                let _ = tokio::time::timeout(Duration::from_millis(after), walk).await;
                let left = tasks_left().await;
                let counts = probe.counts();
                // Nothing goes on behind our back either.
                tokio::time::sleep(Duration::from_secs(60)).await;
                assert_eq!(probe.counts(), counts);
                (counts, left)
            },
            never_stuck,
        )
        .expect("time goes on");
        prop_assert_eq!((counts.in_flight(), left), (0, 0));
    }

    #[test]
    fn a_slot_held_across_recursion_is_enough_above_the_internal_nodes(
        (shape, seed) in any_tree(),
    ) {
        let internal = usize::try_from(shape.internal_nodes()).expect("few");
        let walked = held_across_recursion(&shape, limit(internal + 1), seed);
        prop_assert_eq!(walked, Ok(shape.nodes()));
    }
}

/// How many nodes the walk visits that holds a slot across its recursion, or who holds and who waits.
fn held_across_recursion(shape: &Shape, limit: NonZeroUsize, seed: u64) -> Result<u64, Report> {
    let slots = Slots::new(limit);
    let pool = slots.clone();
    run(
        async {
            let latency = Latency::constant(Duration::from_millis(10));
            let (_, tree, roots) = tree(shape, &latency, &Faults::default(), seed);
            fanout_semaphore_across_recursion::walk(tree, roots, pool).await.visited as u64
        },
        || slots.report(|node| shape.path(*node)),
    )
}

#[test]
fn a_full_binary_tree_deadlocks_exactly_when_its_internal_nodes_can_hold_every_slot() {
    for depth in 0..=6 {
        let shape = TreeSpec::full(2, depth).expect("it fits").build(1);
        for slots in 1..=64 {
            let deadlocked = held_across_recursion(&shape, limit(slots), 1).is_err();
            let expected = slots as u64 <= shape.internal_nodes();
            assert_eq!(deadlocked, expected, "depth {depth}, {slots} slots");
        }
    }
}

#[test]
fn a_deadlock_names_its_holders_and_its_waiters() {
    // Field case 1.
    let shape = TreeSpec::full(2, 3).expect("it fits").build(1);
    let report =
        held_across_recursion(&shape, limit(7), 1).expect_err("seven internal nodes hold seven slots");
    let holders: Vec<_> = report.holders.iter().map(|holder| holder.name.as_str()).collect();
    assert_eq!(holders, ["/", "/0", "/1", "/0/0", "/0/1", "/1/0", "/1/1"]);
    assert_eq!(report.holders[0].waits_for, ["/0", "/1"]);
    assert_eq!(report.waiters.len(), 8);
    assert_eq!(report.chain(), Some(vec!["/", "/0", "/0/0", "/0/0/0"]));
    assert_eq!(held_across_recursion(&shape, limit(8), 1), Ok(15));
}

#[test]
fn limit_one_works_for_all_but_the_held_slot() {
    // Field case 2.
    let shape = TreeSpec::full(2, 3).expect("it fits").build(1);
    for good in GOOD {
        let (visited, peak) = run(
            async {
                let (probe, tree, roots) = tree(&shape, &latency(), &Faults::default(), 1);
                (walk(good, tree, roots, limit(1)).await.visited, probe.read().peaks.in_flight)
            },
            never_stuck,
        )
        .expect("a good strategy is never stuck");
        assert_eq!(visited, 15, "{good:?}");
        assert!(peak <= good.most_in_flight(limit(1)), "{good:?}: {peak}");
    }
    assert!(held_across_recursion(&shape, limit(1), 1).is_err());
}

#[test]
fn small_forests_are_done_at_once() {
    // Field case 4: nothing, one node, and far more slots than nodes.
    let cases = [(TreeSpec::empty(), 0, 20), (TreeSpec::full(1, 0).expect("one"), 1, 20)];
    let three = (TreeSpec::full(2, 1).expect("three"), 3, 1_000);
    for (spec, nodes, slots) in cases.into_iter().chain([three]) {
        let shape = spec.build(1);
        for good in GOOD {
            let (visited, elapsed) = run(
                async {
                    let latency = Latency::constant(Duration::from_millis(10));
                    let start = tokio::time::Instant::now();
                    let (_, tree, roots) = tree(&shape, &latency, &Faults::default(), 1);
                    (walk(good, tree, roots, limit(slots)).await.visited, start.elapsed())
                },
                never_stuck,
            )
            .expect("a good strategy is never stuck");
            let levels = if good == Good::Sequential { nodes } else { u64::from(shape.levels()) };
            assert_eq!((visited as u64, elapsed), (nodes, Duration::from_millis(10 * levels)), "{good:?}");
        }
    }
}

#[test]
fn a_star_tells_calls_from_tasks() {
    // Field case 8.
    let shape = TreeSpec::star(2_000).expect("it fits").build(1);
    for (good, in_flight, tasks) in
        [(Good::AroundFetch, 5, 2_001), (Good::SlotFirst, 5, 5), (Good::QueueWorkers, 5, 5)]
    {
        let peaks = run(
            async {
                let latency = Latency::constant(Duration::from_millis(10));
                let (probe, tree, roots) = tree(&shape, &latency, &Faults::default(), 1);
                walk(good, tree, roots, limit(5)).await;
                probe.read().peaks
            },
            never_stuck,
        )
        .expect("a good strategy is never stuck");
        assert_eq!((peaks.in_flight, peaks.tasks), (in_flight, tasks), "{good:?}");
    }
}
