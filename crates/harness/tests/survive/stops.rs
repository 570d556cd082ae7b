//! Walks that are stopped: by a limit, a deadline, a fatal error, the caller.

use std::time::Duration;

use fanout_simulation::{Node, TreeSpec};
use fanout_workload::survey::{Cut, Ended, Failure, Fault, Reading};

use crate::given::{answers, full, retry, star, strict};
use crate::support::{BOTH, Policy, Refused, Scripted, Turn, Walk, ms};

#[test]
fn a_walk_that_meets_its_deadline_has_ended_its_tasks() {
    // Field case 13.
    for kind in BOTH {
        let seen = full((kind, 20, Policy::new().deadline(ms(35))), (5, 5), answers);
        let survey = seen.survey();
        assert_eq!((survey.visited, survey.cancelled.len(), survey.truncated.len()), (26, 20, 85));
        assert!(survey.truncated.iter().all(|(_, cut)| *cut == Cut::Deadline));
        assert_eq!((survey.ended, seen.elapsed, seen.tasks), (Ended::Deadline, ms(35), 0));
    }
}

#[test]
fn what_answers_in_the_moment_of_the_deadline_has_answered() {
    for kind in BOTH {
        let seen = full((kind, 20, Policy::new().deadline(ms(30))), (5, 5), answers);
        let survey = seen.survey();
        assert_eq!((survey.visited, survey.cancelled.len(), survey.truncated.len()), (26, 0, 105));
        assert_eq!((survey.ended, seen.elapsed), (Ended::Deadline, ms(30)));
        let seen = full((kind, 20, Policy::new().deadline(ms(20))), (5, 1), answers);
        assert_eq!((seen.survey().visited, seen.survey().ended), (6, Ended::Complete));
    }
}

#[test]
fn after_a_fatal_error_no_call_starts_in_the_same_moment() {
    // More calls than a runtime polls between two turns of whoever waits for the walk.
    let turn = |&node: &u64, _| if node == 150 { Turn::Fail(Refused::Unauthorised) } else { Turn::Answer };
    let children = |&node: &u64| match node {
        0 => (1..=200).collect(),
        1..=200 => vec![1_000 + node, 2_000 + node],
        _ => Vec::new(),
    };
    for kind in BOTH {
        for limit in [1, 20, 200, 1_000] {
            let seen = Walk::new(kind, limit, strict()).run(|| Scripted::new(children).turn(turn), vec![0]);
            let survey = seen.survey();
            assert_eq!((survey.ended, seen.log.after_fatal, seen.tasks), (Ended::Fatal, false, 0));
            assert_eq!((survey.failed.len(), survey.failed[0].node), (1, 150));
            assert_eq!((survey.visited, survey.accounted()), (seen.log.answered, survey.discovered));
            assert_eq!(seen.elapsed, ms(10 + 10 * 150u64.div_ceil(limit as u64)));
        }
    }
}

#[test]
fn a_fatal_error_at_the_root_is_all_there_is() {
    for kind in BOTH {
        let turn = |_: &Node, _| Turn::Fail(Refused::Unauthorised);
        let seen = full((kind, 20, strict()), (5, 5), turn);
        let survey = seen.survey();
        assert_eq!((survey.ended, survey.visited, survey.discovered), (Ended::Fatal, 0, 1));
        assert_eq!((survey.failed.len(), seen.elapsed), (1, ms(10)));
    }
}

#[test]
fn a_fatal_error_at_depth_two_drops_what_is_in_flight() {
    // The seventh node in level order fails after half of its siblings' time.
    let shape = TreeSpec::full(5, 5).expect("it fits").build(1);
    for kind in BOTH {
        let seen = Walk::new(kind, 20, strict()).run(
            || {
                Scripted::of(&shape).latency(|node, _| if node.index == 6 { ms(5) } else { ms(10) }).turn(
                    |node, _| if node.index == 6 { Turn::Fail(Refused::Unauthorised) } else { Turn::Answer },
                )
            },
            shape.root().into_iter().collect(),
        );
        let survey = seen.survey();
        assert_eq!((survey.visited, survey.failed.len(), survey.cancelled.len()), (6, 1, 19));
        assert_eq!(survey.truncated.len(), 5);
        assert_eq!((survey.ended, seen.elapsed, seen.tasks), (Ended::Fatal, ms(25), 0));
    }
}

#[test]
fn deep_and_wide_trees_end_at_the_guides_limits() {
    let limits = || Policy::new().depth(12).nodes(100_000).deadline(Duration::from_secs(300));
    let chain = |&node: &u64| if node < 100_000 { vec![node + 1] } else { Vec::new() };
    for kind in BOTH {
        let seen = Walk::new(kind, 20, limits()).run(|| Scripted::new(chain), vec![1]);
        assert_eq!(
            (seen.survey().visited, seen.survey().truncated.as_slice()),
            (12, &[(13, Cut::Depth)][..])
        );
        // Nothing overflows without them.
        let seen = Walk::new(kind, 20, Policy::new()).run(|| Scripted::new(chain), vec![1]);
        assert_eq!((seen.survey().visited, seen.survey().ended), (100_000, Ended::Complete));

        let seen = Walk::new(kind, 20, limits()).run(|| star(149_999), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().truncated.len()), (100_000, 50_000));
        assert!(seen.survey().truncated.iter().all(|(_, cut)| *cut == Cut::Nodes));
        let seen = Walk::new(kind, 20, limits().frontier(1_000)).run(|| star(149_999), vec![0]);
        assert_eq!((seen.survey().visited, seen.survey().truncated.len()), (1_001, 148_999));
        assert!(seen.survey().truncated.iter().all(|(_, cut)| *cut == Cut::Frontier));

        let cycle = |&node: &u64| vec![(node + 1) % 10];
        let seen = Walk::new(kind, 20, limits().depth(u32::MAX)).run(|| Scripted::new(cycle), vec![0]);
        // 300 s at 10 ms a call, one after another: the deadline is first.
        assert_eq!((seen.survey().visited, seen.survey().ended), (30_000, Ended::Deadline));
    }
}

#[test]
fn the_callers_token_ends_a_walk() {
    for kind in BOTH {
        let shape = TreeSpec::full(5, 5).expect("it fits").build(1);
        let roots = || shape.root().into_iter().collect();
        let cancelled =
            |at| Walk::new(kind, 20, Policy::new()).cancelled(Some(at)).run(|| Scripted::of(&shape), roots());
        let seen = cancelled(ms(35));
        let survey = seen.survey();
        assert_eq!((survey.visited, survey.cancelled.len(), survey.truncated.len()), (26, 20, 85));
        assert!(survey.truncated.iter().all(|(_, cut)| *cut == Cut::Cancelled));
        assert_eq!((survey.ended, seen.elapsed, seen.tasks), (Ended::Cancelled, ms(35), 0));
        // Before its start, and after its end.
        let seen = cancelled(ms(0));
        assert_eq!((seen.survey().ended, seen.survey().discovered), (Ended::Cancelled, 1));
        assert_eq!((seen.survey().truncated.len(), seen.log.calls.len()), (1, 0));
        let seen = cancelled(Duration::from_secs(100));
        assert_eq!((seen.survey().visited, seen.survey().ended), (3_906, Ended::Complete));
    }
}

#[test]
fn a_token_ends_a_walk_in_which_all_nodes_back_off() {
    for kind in BOTH {
        let turn = |_: &u64, _| Turn::Fail(Refused::Busy);
        let policy = strict().retry(retry(9, Duration::from_secs(60)));
        let walk = Walk::new(kind, 20, policy).cancelled(Some(ms(500)));
        let seen = walk.run(|| star(0).turn(turn), vec![0, 1, 2]);
        assert_eq!((seen.survey().ended, seen.elapsed), (Ended::Cancelled, ms(500)));
        let busy = |node| Failure { node, error: Fault::Call(Refused::Busy), attempts: 1 };
        assert_eq!(seen.survey().failed, [busy(0), busy(1), busy(2)]);
    }
}

#[test]
fn a_walk_that_is_dropped_ends_its_tasks() {
    for kind in BOTH {
        let walk = Walk::new(kind, 20, Policy::new()).dropped(Some(ms(35)));
        let seen = walk.run(|| star(2_000), vec![0]);
        assert!(seen.was_dropped());
        assert_eq!((seen.tasks, seen.log.in_flight, seen.reading), (0, 0, Reading::default()));
    }
}
