//! What [`Facts`] promise, against walks and streams that run on the paused clock.

mod common;

use std::collections::VecDeque;
use std::num::{NonZeroU32, NonZeroUsize};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use common::on_the_paused_clock;
use fanout_simulation::{
    Answer, Arrivals, Branching, CallError, Facts, Faults, Latency, Node, Rule, Service, SimulatedHandler,
    SimulatedSource, SimulatedTree, StreamSpec, Tally, Timer, TreeSpec, Which,
};
use fanout_workload::{Consumed, Source, Tree, Walked, settle};
use futures::StreamExt;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use proptest::prelude::*;
use tokio::time::Instant;

type Tested = SimulatedTree<0>;

fn service(seed: u64, latency: &Latency, faults: &Faults) -> Arc<Service> {
    Arc::new(Service::new(Timer::Virtual, seed, latency.clone(), faults.clone(), None))
}

/// Every node as soon as it is known.
fn at_once(tree: &Tested, node: Node) -> Pin<Box<dyn Future<Output = Walked<Node, CallError>> + '_>> {
    Box::pin(async move {
        let mut walked = Walked::default();
        let answer = tree.children(&node).await;
        let children = walked.record(node, answer);
        for below in join_all(children.into_iter().map(|child| at_once(tree, child))).await {
            walked.absorb(below);
        }
        walked
    })
}

/// The nodes in level order, so many at once.
async fn limited(tree: &Tested, root: Option<Node>, limit: usize) -> Walked<Node, CallError> {
    let mut known: VecDeque<Node> = root.into_iter().collect();
    let mut walked = Walked::default();
    let mut calls = FuturesUnordered::new();
    loop {
        while calls.len() < limit
            && let Some(node) = known.pop_front()
        {
            calls.push(async move { (node, tree.children(&node).await) });
        }
        let Some((node, answer)) = calls.next().await else { return walked };
        known.extend(walked.record(node, answer));
    }
}

fn check_counts(walked: &Walked<Node, CallError>, facts: &Facts) {
    assert_eq!((walked.visited + walked.failed.len()) as u64, facts.reachable);
    assert_eq!(walked.failed.len() as u64, facts.failing);
    assert!(walked.failed.iter().all(|(_, error)| *error == CallError::Injected));
}

proptest! {
    #[test]
    fn a_walk_takes_what_the_facts_say(
        spec in any_tree(), latency in any_latency(), faults in any_faults(), seed in 0u64..1_000, limit in 2usize..9,
    ) {
        let shape = spec.build(seed);
        let facts = Facts::of_tree(&shape, &latency, &faults, seed);
        let tree = Tested::new(shape.clone(), service(seed, &latency, &faults));

        let (walked, took) = on_the_paused_clock(async {
            let walks = shape.root().into_iter().map(|root| at_once(&tree, root));
            join_all(walks).await.into_iter().next().unwrap_or_default()
        });
        check_counts(&walked, &facts);
        prop_assert_eq!(took, facts.longest_path);
        prop_assert_eq!(took, facts.ideal(None));

        let (walked, took) = on_the_paused_clock(limited(&tree, shape.root(), 1));
        check_counts(&walked, &facts);
        prop_assert_eq!(took, facts.total_latency);
        prop_assert_eq!(took, facts.ideal(NonZeroUsize::new(1)));

        let (walked, took) = on_the_paused_clock(limited(&tree, shape.root(), limit));
        check_counts(&walked, &facts);
        prop_assert!(took >= facts.ideal(NonZeroUsize::new(limit)));
    }

    #[test]
    fn a_stream_takes_what_the_facts_say(
        messages in 0u32..200, arrivals in any_arrivals(), latency in any_latency(), faults in any_faults(),
        seed in 0u64..1_000,
    ) {
        let stream = StreamSpec::new(messages, 16, arrivals);
        let facts = Facts::of_stream(&stream, &latency, &faults, seed);
        prop_assert_eq!(facts.items, u64::from(messages));
        prop_assert_eq!(facts.reachable, u64::from(messages));
        let handler = SimulatedHandler::<0>::new(service(seed, &latency, &faults));

        let tally = Arc::new(Tally::default());
        let (consumed, took) = on_the_paused_clock(async {
            let mut source = SimulatedSource::new(&stream, seed, Timer::Virtual, Arc::clone(&tally));
            let mut consumed = Consumed::default();
            let mut calls = FuturesUnordered::new();
            loop {
                tokio::select! {
                    biased;
                    Some(handled) = calls.next() => consumed.record(handled),
                    message = source.next() => match message {
                        Some(message) => calls.push(settle(&handler, message)),
                        None => break,
                    },
                }
            }
            while let Some(handled) = calls.next().await {
                consumed.record(handled);
            }
            consumed
        });
        prop_assert_eq!(consumed.failed as u64, facts.failing);
        prop_assert_eq!((consumed.handled + consumed.failed) as u64, facts.items);
        let settled = (tally.read(), tally.acknowledged(), tally.rejected(), tally.returned());
        prop_assert_eq!(settled, (facts.items, consumed.handled as u64, consumed.failed as u64, 0));
        prop_assert_eq!(took, facts.longest_path);
        prop_assert_eq!(took, facts.ideal(None));
    }

    #[test]
    fn gaps_are_the_longest_silence(messages in 0u32..200, arrivals in any_arrivals(), seed in 0u64..1_000) {
        let stream = StreamSpec::new(messages, 0, arrivals);
        let latency = Latency::constant(Duration::from_millis(10));
        let facts = Facts::of_stream(&stream, &latency, &Faults::default(), seed);
        let (longest, took) = on_the_paused_clock(async {
            let mut source = SimulatedSource::new(&stream, seed, Timer::Virtual, Arc::default());
            let mut longest = Duration::ZERO;
            let mut before = Instant::now();
            while source.next().await.is_some() {
                longest = longest.max(before.elapsed());
                before = Instant::now();
            }
            longest
        });
        prop_assert_eq!(longest, facts.longest_gap);
        let last = stream.arrival_times(seed).last().unwrap_or_default();
        prop_assert_eq!(took, last);
    }
}

#[test]
fn the_guides_walk_with_failures() {
    let which = Which::Every { nth: 2.try_into().expect("not 0"), depth: Some(3) };
    let faults = Faults::new(vec![Rule::new(which, Answer::Error).expect("a rule")]);
    let latency = Latency::constant(Duration::from_millis(10));
    let shape = TreeSpec::full(5, 5).expect("it fits").build(1);
    let tree = Tested::new(shape.clone(), service(1, &latency, &faults));
    let (walked, _) = on_the_paused_clock(limited(&tree, shape.root(), 20));
    assert_eq!((walked.visited, walked.failed.len()), (1_953, 63));
    assert!(walked.failed.iter().all(|(node, _)| node.depth == 3 && shape.position(*node).is_multiple_of(2)));
}

/// Any small tree.
fn any_tree() -> impl Strategy<Value = TreeSpec> {
    let nodes = 1u32..200;
    prop_oneof![
        Just(TreeSpec::empty()),
        (1u32..5, 0u32..4).prop_map(|(branching, depth)| TreeSpec::full(branching, depth).expect("it fits")),
        (1u32..30).prop_map(|nodes| TreeSpec::chain(nodes).expect("it fits")),
        (0u32..30).prop_map(|leaves| TreeSpec::star(leaves).expect("it fits")),
        nodes.clone().prop_map(|nodes| {
            TreeSpec::random(Branching::uniform(0, 4).expect("a range"), nodes).expect("it fits")
        }),
        nodes.clone().prop_map(|nodes| {
            TreeSpec::random(Branching::geometric(1.5).expect("a mean"), nodes).expect("it fits")
        }),
        nodes.prop_map(|nodes| {
            TreeSpec::random(Branching::skewed(1.2, 50).expect("a tail"), nodes).expect("it fits")
        }),
    ]
}

/// Any latency, none among them.
fn any_latency() -> impl Strategy<Value = Latency> {
    let ms = Duration::from_millis;
    prop_oneof![
        (0u64..50).prop_map(move |latency| Latency::constant(ms(latency))),
        (0u64..50, 0u64..50)
            .prop_map(move |(min, more)| Latency::uniform(ms(min), ms(min + more)).expect("a range")),
        (1u64..50).prop_map(move |mean| Latency::exponential(ms(mean)).expect("a mean")),
        (1u64..50).prop_map(move |median| Latency::log_normal(ms(median), 0.8).expect("a median")),
    ]
}

/// None, one or two rules whose calls fail.
fn any_faults() -> impl Strategy<Value = Faults> {
    let which = prop_oneof![
        (0.0..0.5).prop_map(Which::Share),
        (2u32..9, prop::option::of(0u32..4))
            .prop_map(|(nth, depth)| Which::Every { nth: NonZeroU32::new(nth).expect("not 0"), depth }),
    ];
    prop::collection::vec(which.prop_map(|which| Rule::new(which, Answer::Error).expect("a rule")), 0..3)
        .prop_map(Faults::new)
}

fn any_arrivals() -> impl Strategy<Value = Arrivals> {
    let rate = (1u32..5_000).prop_map(|rate| rate.try_into().expect("not 0"));
    prop_oneof![
        Just(Arrivals::AtOnce),
        rate.clone().prop_map(|per_second| Arrivals::Even { per_second }),
        rate.prop_map(|per_second| Arrivals::Poisson { per_second }),
    ]
}
