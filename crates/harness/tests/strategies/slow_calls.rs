//! Calls of very different lengths, and very many that end together.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use fanout_deadlock::run;
use fanout_simulation::{Facts, Faults, Latency, Samples, TreeSpec};
use futures::future::{join_all, poll_fn};
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep};

use crate::support::{GOOD, Good, tree, walk};
use crate::walks::{limit, never_stuck};

/// Of a hundred calls ninety-nine take 10 ms, by hash.
fn one_in_a_hundred(takes: &str) -> Latency {
    let lines = "10ms\n".repeat(99) + takes + "\n";
    Latency::samples(Samples::read(lines.as_bytes()).expect("durations")).expect("some of them")
}

#[test]
fn a_slow_call_is_no_deadlock_and_the_others_go_on() {
    // Field case 18, and calls of a minute for good measure.
    let shape = TreeSpec::star(5_000).expect("it fits").build(1);
    for takes in ["300ms", "60s"] {
        let latency = one_in_a_hundred(takes);
        let facts = Facts::of_tree(&shape, &latency, &Faults::default(), 1);
        assert!(facts.longest_latency > Duration::from_millis(10));
        for good in GOOD {
            let (visited, peak, elapsed) = run(
                async {
                    let start = Instant::now();
                    let (probe, tree, roots) = tree(&shape, &latency, &Faults::default(), 1);
                    let visited = walk(good, tree, roots, limit(20)).await.visited;
                    (visited, probe.read().peaks.in_flight, start.elapsed())
                },
                never_stuck,
            )
            .expect("a good strategy is never stuck");
            assert_eq!(visited, 5_001, "{good:?}, {takes}");
            if matches!(good, Good::AroundFetch | Good::QueueWorkers | Good::SlotFirst) {
                assert_eq!(peak, 20, "{good:?}, {takes}");
                // No slot is empty while there is work: nothing is later than by the last call and the root's.
                let latest = facts.ideal(Some(limit(20))) + facts.longest_path;
                assert!(elapsed <= latest, "{good:?}, {takes}: {elapsed:?}");
            }
        }
    }
}

#[test]
fn calls_that_end_together_are_polled_twice_each() {
    // Field case 16.
    let shape = TreeSpec::star(40_000).expect("it fits").build(1);
    let latency = Latency::constant(Duration::from_millis(10));
    let polls = run(
        async {
            let (probe, tree, roots) = tree(&shape, &latency, &Faults::default(), 1);
            walk(Good::Unbounded, tree, roots, limit(1)).await;
            probe.read().polls
        },
        never_stuck,
    );
    assert_eq!(polls, Ok(2 * 40_001));
}

/// How often the members of a join are polled in all, when so many timers fire in one instant.
fn polls_of_a_join(members: usize, within_the_budget: bool) -> u64 {
    let polls = Cell::new(0);
    let member = || async {
        let timer = sleep(Duration::from_millis(10));
        let mut timer = pin!(timer);
        poll_fn(|context| {
            polls.set(polls.get() + 1);
            if within_the_budget {
                timer.as_mut().poll(context)
            } else {
                pin!(unconstrained(timer.as_mut())).poll(context)
            }
        })
        .await;
    };
    run(join_all((0..members).map(|_| member())), never_stuck).expect("timers fire");
    polls.get()
}

#[test]
fn within_tokios_budget_they_are_polled_ever_more_often() {
    // The finding of field case 16: why the virtual timer is outside of it.
    assert_eq!(polls_of_a_join(4_000, false), 2 * 4_000);
    let (once, twice) = (polls_of_a_join(2_000, true), polls_of_a_join(4_000, true));
    assert!(once > 4 * 2_000, "{once}");
    assert!(twice as f64 / once as f64 > 3.0, "{once}, then {twice}");
}
