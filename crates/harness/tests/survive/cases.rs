//! Cases from the field, each with the outcome that is right for both walkers.

use fanout_simulation::{Node, TreeSpec};
use fanout_workload::survey::{Cut, Ended, Failure, Fault, Order, Reading};
use tokio::time::sleep;

use crate::given::{answers, full, retry, star, strict};
use crate::support::{BOTH, Kind, Policy, Refused, Scripted, Turn, Walk, ms};

#[test]
fn one_slot_is_enough() {
    // Field case 2.
    for kind in BOTH {
        let seen = full((kind, 1, Policy::new()), (2, 3), answers);
        assert_eq!((seen.survey().visited, seen.survey().ended), (15, Ended::Complete));
        assert_eq!((seen.log.in_flight_peak, seen.log.tasks_peak, seen.elapsed), (1, 1, ms(150)));
    }
}

#[test]
fn a_worker_is_never_held_up_by_what_it_feeds() {
    // Field case 3.
    for kind in BOTH {
        let seen = full((kind, 4, Policy::new()), (6, 4), answers);
        assert_eq!((seen.survey().visited, seen.survey().ended), (1_555, Ended::Complete));
    }
}

#[test]
fn small_forests_are_done_at_once() {
    // Field case 4.
    for kind in BOTH {
        for (roots, limit, visited, elapsed) in
            [(vec![], 20, 0, 0), (vec![7], 20, 1, 10), (vec![0], 1_000, 3, 20), (vec![7, 8, 9], 2, 3, 20)]
        {
            let seen = Walk::new(kind, limit, Policy::new()).run(|| star(2), roots);
            assert_eq!((seen.survey().visited, seen.survey().ended), (visited, Ended::Complete));
            assert_eq!((seen.elapsed, seen.tasks, seen.reading), (ms(elapsed), 0, Reading::default()));
        }
    }
}

#[test]
fn a_call_that_panics_is_a_failure_of_its_node() {
    // Field case 6.
    for kind in BOTH {
        for (panicking, visited) in [(vec![16], 320), (vec![16, 7], 299)] {
            let nodes = panicking.clone();
            let turn = move |node: &Node, _| match nodes.contains(&node.index) {
                true => Turn::Panic,
                false => Turn::Answer,
            };
            let seen = full((kind, 2, Policy::new()), (4, 4), turn);
            let survey = seen.survey();
            let mut failed: Vec<_> = survey.failed.iter().map(|failure| failure.node.index).collect();
            failed.sort_unstable_by_key(|index| std::cmp::Reverse(*index));
            assert_eq!((failed, survey.visited), (panicking, visited));
            let panicked = Fault::Panicked("scripted".to_owned());
            assert!(survey.failed.iter().all(|failure| failure.error == panicked && failure.attempts == 1));
            assert_eq!((survey.ended, seen.log.in_flight_peak), (Ended::Complete, 2));
        }
    }
}

#[test]
fn both_first_children_may_fail() {
    // Field case 7.
    for kind in BOTH {
        let turn = |node: &Node, _| match node.index {
            1 | 2 => Turn::Fail(Refused::Gone),
            _ => Turn::Answer,
        };
        let seen = full((kind, 20, strict()), (3, 2), turn);
        let failed = |failure: &Failure<Node, Refused>| (failure.node.index, failure.error.clone());
        let gone = Fault::Call(Refused::Gone);
        assert!(seen.survey().failed.iter().map(failed).eq([(1, gone.clone()), (2, gone)]));
        assert_eq!((seen.survey().visited, seen.survey().ended), (5, Ended::Complete));
    }
}

#[test]
fn a_star_has_as_many_tasks_as_calls() {
    // Field case 8.
    for kind in BOTH {
        let seen = Walk::new(kind, 5, Policy::new()).run(|| star(2_000), vec![0]);
        assert_eq!((seen.log.in_flight_peak, seen.log.tasks_peak), (5, 5));
        assert_eq!((seen.survey().visited, seen.elapsed), (2_001, ms(10 + 400 * 10)));
    }
}

#[test]
fn the_limit_on_nodes_is_exact_whatever_is_in_flight() {
    // Field case 9.
    let children = |&node: &u64| match node {
        0 => (1..=20).collect(),
        1..=20 => (0..10).map(|child| 100 * node + child).collect(),
        _ => Vec::new(),
    };
    for kind in BOTH {
        for limit in [1, 3, 20, 1_000] {
            for order in [Order::fifo(), Order::lifo(), Order::by_key(|&node: &u64, _| u64::MAX - node)] {
                let policy = Policy::new().nodes(30).order(order);
                let seen = Walk::new(kind, limit, policy).run(|| Scripted::new(children), vec![0]);
                let survey = seen.survey();
                assert_eq!((survey.visited, survey.truncated.len()), (30, 191));
                assert!(survey.truncated.iter().all(|(_, cut)| *cut == Cut::Nodes));
                assert_eq!((survey.ended, seen.log.calls.len()), (Ended::Truncated, 30));
            }
        }
    }
}

#[test]
fn a_shared_child_is_called_once() {
    // Field case 10: a diamond.
    let children = |&node: &u64| match node {
        0 => (1..=100).collect(),
        1..=100 => vec![101],
        _ => Vec::new(),
    };
    for kind in BOTH {
        let policy = Policy::new().seen(|node| *node);
        let seen = Walk::new(kind, 32, policy).run(|| Scripted::new(children), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().seen, seen.log.calls[&101].len()), (102, 99, 1));
        assert_eq!((seen.survey().ended, seen.survey().discovered), (Ended::Complete, 201));
    }
}

#[test]
fn a_graph_ends_at_its_limits() {
    // Field case 11: the complete graph on six nodes.
    let others = |&node: &u64| (0..6).filter(|&other| other != node).collect();
    for kind in BOTH {
        for limit in [1, 20] {
            let policy = Policy::new().depth(6).nodes(1_000);
            let seen = Walk::new(kind, limit, policy).run(|| Scripted::new(others), vec![0]);
            assert_eq!((seen.survey().visited, seen.survey().ended), (1_000, Ended::Truncated));
            assert!(seen.survey().truncated.iter().any(|(_, cut)| *cut == Cut::Nodes));
            let policy = Policy::new().seen(|node| *node);
            let seen = Walk::new(kind, limit, policy).run(|| Scripted::new(others), vec![0]);
            assert_eq!((seen.survey().visited, seen.survey().ended), (6, Ended::Complete));
        }
    }
}

#[test]
fn leaves_that_cannot_be_read_do_not_make_the_walk_incomplete() {
    // Field case 12.
    let turn =
        |&node: &u64, _| if [30, 60, 99].contains(&node) { Turn::Fail(Refused::Gone) } else { Turn::Answer };
    for kind in BOTH {
        let seen = Walk::new(kind, 8, strict()).run(|| star(99).turn(turn), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().ended), (97, Ended::Complete));
        assert!(seen.survey().missing().eq(&[30, 60, 99]));
    }
}

#[test]
fn while_a_node_backs_off_its_slot_is_free() {
    // Field case 15: 20 of 100 refuse all of their two calls.
    let turn = |&node: &u64, _| if node % 5 == 1 { Turn::Fail(Refused::Busy) } else { Turn::Answer };
    for kind in BOTH {
        let policy = strict().retry(retry(2, ms(1_000)));
        let seen = Walk::new(kind, 3, policy).run(|| star(100).turn(turn), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().failed.len()), (81, 20));
        assert!(seen.survey().failed.iter().all(|failure| failure.attempts == 2));
        // All first calls go on as if nobody had been refused: 34 rounds of three after the root's.
        let first = seen.log.calls.values().map(|starts| starts[0]).max();
        assert_eq!(first, Some(ms(10 + 33 * 10)));
        let waits = seen.log.calls.values().filter(|starts| starts.len() == 2);
        assert!(waits.clone().all(|starts| starts[1] - starts[0] == ms(1_010)), "a call and its backoff");
        // Node 96, the last to be refused, is of round 32.
        assert_eq!((waits.count(), seen.elapsed), (20, ms(10 + 32 * 10 + 1_000 + 10)));
        assert_eq!((seen.log.in_flight_peak, seen.log.tasks_peak), (3, 3));
    }
}

#[test]
fn backoff_doubles_and_stops_at_its_longest() {
    for kind in BOTH {
        let policy = strict().retry(retry(5, ms(50)).longest(ms(150)));
        let turn = |_: &u64, attempt| if attempt < 5 { Turn::Fail(Refused::Busy) } else { Turn::Answer };
        let seen = Walk::new(kind, 1, policy).run(|| star(0).turn(turn), vec![0]);
        assert_eq!(seen.log.calls[&0], [0, 60, 170, 330, 490].map(ms));
        assert_eq!((seen.survey().visited, seen.survey().failed.len()), (1, 0));
    }
}

#[test]
fn jitter_is_of_the_seed() {
    let turn = |_: &u64, attempt| if attempt < 2 { Turn::Fail(Refused::Busy) } else { Turn::Answer };
    let starts = |kind, seed| {
        let policy = strict().retry(retry(2, ms(1_000)).jitter(seed));
        Walk::new(kind, 50, policy).run(|| star(50).turn(turn), vec![0]).log.calls
    };
    for kind in BOTH {
        assert_eq!(starts(kind, 1), starts(kind, 1));
        assert_ne!(starts(kind, 1), starts(kind, 2));
        let mut second: Vec<_> = starts(kind, 1).into_values().skip(1).map(|starts| starts[1]).collect();
        second.sort_unstable();
        second.dedup();
        assert!(second.len() > 40, "50 calls come back at {} moments", second.len());
    }
}

#[test]
fn calls_that_never_answer_are_given_up() {
    let turn = |&node: &u64, attempt| match node {
        1..=20 if attempt == 1 => Turn::Never,
        _ => Turn::Answer,
    };
    for kind in BOTH {
        let never = strict().call_deadline(ms(500));
        let seen = Walk::new(kind, 20, never.clone()).run(|| star(30).turn(turn), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().failed.len()), (11, 20));
        assert!(seen.survey().failed.iter().all(|failure| failure.error == Fault::NoAnswer(ms(500))));
        assert_eq!(seen.elapsed, ms(10 + 500 + 10));
        let again = never.retry(retry(2, ms(50)));
        let seen = Walk::new(kind, 20, again).run(|| star(30).turn(turn), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().failed.len()), (31, 0));
    }
}

#[test]
fn an_answer_in_the_moment_of_the_calls_deadline_is_an_answer() {
    for kind in BOTH {
        let seen = full((kind, 20, Policy::new().call_deadline(ms(10))), (5, 2), answers);
        assert_eq!((seen.survey().visited, seen.survey().failed.len()), (31, 0));
    }
}

#[test]
fn a_second_walk_from_the_failed_nodes_covers_the_rest() {
    // The guide's: every second node of depth 3 fails, 63 of 125.
    let shape = TreeSpec::full(5, 5).expect("it fits").build(1);
    for kind in BOTH {
        let positions = shape.clone();
        let failing =
            move |node: &Node, _| match node.depth == 3 && positions.position(*node).is_multiple_of(2) {
                true => Turn::Fail(Refused::Gone),
                false => Turn::Answer,
            };
        let seen = full((kind, 20, strict()), (5, 5), failing);
        assert_eq!((seen.survey().visited, seen.survey().failed.len()), (1_953, 63));
        assert_eq!((seen.log.calls.len(), seen.elapsed), (2_016, ms(1_030)));
        let roots = seen.survey().missing().copied().collect();
        let again = Walk::new(kind, 20, strict()).run(|| Scripted::of(&shape), roots);
        assert_eq!((again.survey().visited, again.survey().ended), (1_953, Ended::Complete));
    }
}

#[test]
fn gauges_show_a_walk_from_outside() {
    for (kind, alive) in [(Kind::QueueWorkers, [3, 3, 3]), (Kind::SlotFirst, [1, 3, 1])] {
        let turn = |&node: &u64, attempt| {
            if node == 1 && attempt == 1 { Turn::Fail(Refused::Busy) } else { Turn::Answer }
        };
        let policy = strict().retry(retry(2, ms(100)));
        let seen = Walk::new(kind, 3, policy).watched(
            || star(7).turn(turn),
            vec![0],
            |gauges| async move {
                let mut readings = Vec::new();
                for pause in [5, 20, 100] {
                    sleep(ms(pause)).await;
                    readings.push(gauges.read());
                }
                // The root; the second round of three, with node 1 backing off; and node 1 again.
                let reading = |at: usize, queued, backing_off, in_flight| {
                    assert_eq!(readings[at], Reading { queued, backing_off, in_flight, alive: alive[at] });
                };
                reading(0, 0, 0, 1);
                reading(1, 1, 1, 3);
                reading(2, 0, 0, 1);
            },
        );
        assert_eq!((seen.survey().visited, seen.elapsed, seen.reading), (8, ms(130), Reading::default()));
    }
}

#[test]
fn order_decides_who_is_called_next() {
    let order = |kind, order| {
        let shape = TreeSpec::full(2, 2).expect("it fits").build(1);
        let policy = Policy::new().order(order);
        let walk = Walk::new(kind, 1, policy);
        let mut calls: Vec<_> = walk
            .run(|| Scripted::of(&shape), shape.root().into_iter().collect())
            .log
            .calls
            .into_iter()
            .collect();
        calls.sort_unstable_by_key(|(_, starts)| starts[0]);
        calls.into_iter().map(|(node, _)| node.index).collect::<Vec<_>>()
    };
    for kind in BOTH {
        assert_eq!(order(kind, Order::fifo()), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(order(kind, Order::lifo()), [0, 2, 6, 5, 1, 4, 3]);
        let first_child_first = Order::by_key(|node: &Node, depth| (std::cmp::Reverse(depth), node.index));
        assert_eq!(order(kind, first_child_first), [0, 1, 3, 4, 2, 5, 6]);
    }
}
