use std::num::NonZeroU32;

use super::super::{Order, Reading, Retry as RetryPolicy};
use super::*;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

const NOW: Duration = Duration::ZERO;

type Survey = super::super::Survey<u64, &'static str>;
type Policy = super::super::Policy<u64, &'static str>;

fn frontier(policy: Policy, roots: &[u64]) -> (Frontier<u64, &'static str>, Gauges) {
    let gauges = Gauges::default();
    (Frontier::new(policy, roots.to_vec(), gauges.clone()), gauges)
}

fn answered(children: &[u64]) -> Attempt<u64, &'static str> {
    Attempt::Answered(children.to_vec())
}

fn failed(fault: &'static str, class: Class) -> Attempt<u64, &'static str> {
    Attempt::Failed { fault: Fault::Call(fault), class }
}

fn retried(attempts: u32, backoff: Duration) -> Policy {
    Policy::new().retry(RetryPolicy::new(NonZeroU32::new(attempts).expect("not 0"), backoff))
}

/// Walks with one call at a time; gives back the nodes as they were called, the most that ever waited, and the survey.
fn walk(policy: Policy, roots: &[u64], children: impl Fn(u64) -> Vec<u64>) -> (Vec<u64>, usize, Survey) {
    let (mut frontier, gauges) = frontier(policy, roots);
    let (mut called, mut peak) = (Vec::new(), 0);
    while let Some(job) = frontier.next(NOW) {
        called.push(job.node);
        let children = children(job.node);
        frontier.end(job, Attempt::Answered(children), NOW);
        peak = peak.max(gauges.read().queued);
    }
    assert!(frontier.is_over());
    let survey = frontier.survey();
    assert_eq!(survey.accounted(), survey.discovered);
    assert_eq!(gauges.read(), Reading::default());
    (called, peak, survey)
}

/// The children of a node in a full binary tree whose root is 1 and whose last level begins at `leaves`.
fn binary(leaves: u64) -> impl Fn(u64) -> Vec<u64> {
    move |node| if node < leaves { vec![2 * node, 2 * node + 1] } else { Vec::new() }
}

#[test]
fn nothing_is_over_at_once() {
    let (called, _, survey) = walk(Policy::new(), &[], binary(4));
    assert_eq!((called, survey.ended, survey.discovered), (vec![], Ended::Complete, 0));
}

#[test]
fn an_empty_queue_is_not_the_end_while_a_call_is_in_flight() {
    let (mut frontier, _) = frontier(Policy::new(), &[1]);
    let job = frontier.next(NOW).expect("the root");
    assert!(frontier.next(NOW).is_none());
    assert!(!frontier.is_over());
    frontier.end(job, answered(&[2]), NOW);
    assert_eq!(frontier.ready(), 1);
}

#[test]
fn nodes_at_the_depth_limit_are_reported_and_not_called() {
    let (called, _, survey) = walk(Policy::new().depth(2), &[1], binary(8));
    assert_eq!(called, [1, 2, 3]);
    assert_eq!(survey.truncated, [4, 5, 6, 7].map(|node| (node, Cut::Depth)));
    assert_eq!((survey.ended, survey.visited), (Ended::Truncated, 3));
    let (called, _, survey) = walk(Policy::new().depth(0), &[1, 1], binary(8));
    assert_eq!((called.len(), survey.truncated.len()), (0, 2));
}

#[test]
fn the_limit_on_nodes_is_exact_in_any_order() {
    // Field case 9: 20 children of 10 each.
    let children = |node| match node {
        0 => (1..=20).collect(),
        1..=20 => (0..10).map(|child| 100 * node + child).collect(),
        _ => Vec::new(),
    };
    for order in [Order::fifo(), Order::lifo(), Order::by_key(|node, _| u64::MAX - node)] {
        let (called, _, survey) = walk(Policy::new().nodes(30).order(order), &[0], children);
        assert_eq!((called.len(), survey.visited, survey.truncated.len()), (30, 30, 191));
        assert!(survey.truncated.iter().all(|(_, cut)| *cut == Cut::Nodes));
        assert_eq!(survey.ended, Ended::Truncated);
    }
}

#[test]
fn a_graph_without_a_seen_set_ends_at_its_limits() {
    // Field case 11: the complete graph on six nodes.
    let others = |node| (0..6).filter(|&other| other != node).collect();
    let (_, _, survey) = walk(Policy::new().depth(6).nodes(1_000), &[0], others);
    assert_eq!((survey.ended, survey.visited, survey.truncated.len()), (Ended::Truncated, 1_000, 4_001));
    // Of level 5 there is room for 219, and all their children are at the depth limit.
    let deep = survey.truncated.iter().filter(|(_, cut)| *cut == Cut::Depth).count();
    let beyond = survey.truncated.iter().filter(|(_, cut)| *cut == Cut::Nodes).count();
    assert_eq!((deep, beyond), (5 * 219, 3_125 - 219));
    // Deep enough alone, too: 1 + 5 + 25 + 125 are called.
    let (_, _, survey) = walk(Policy::new().depth(4), &[0], others);
    assert_eq!((survey.visited, survey.truncated.len()), (156, 625));
}

#[test]
fn with_a_seen_set_each_key_is_called_once_the_roots_included() {
    let others = |node| (0..6).filter(|&other| other != node).collect();
    let (called, _, survey) = walk(Policy::new().seen(|node| *node), &[0, 0, 3], others);
    assert_eq!(called, [0, 3, 1, 2, 4, 5]);
    // One root and 6 x 5 children, less the four that were new.
    assert_eq!((survey.ended, survey.seen, survey.discovered), (Ended::Complete, 27, 33));
}

#[test]
fn what_a_limit_cut_can_still_be_called_where_no_limit_is_in_the_way() {
    // Node 9 is met two levels deep before it is met one level deep.
    let children = |node| match node {
        1 => vec![2, 3],
        2 | 3 => vec![9],
        _ => Vec::new(),
    };
    let policy = Policy::new().depth(2).seen(|node| *node).order(Order::lifo());
    let (called, _, survey) = walk(policy, &[9, 1], children);
    assert_eq!((called, survey.seen), (vec![1, 3, 2, 9], 2));
    let policy = Policy::new().depth(2).seen(|node| *node);
    let (called, _, survey) = walk(policy, &[1], children);
    assert_eq!((called, survey.truncated.len(), survey.seen), (vec![1, 2, 3], 2, 0));
}

#[test]
fn a_full_frontier_cuts() {
    let (called, peak, survey) = walk(Policy::new().frontier(3), &[1], binary(8));
    assert_eq!(called, [1, 2, 3, 4, 5, 6, 8, 10, 12]);
    assert_eq!(peak, 3);
    assert_eq!(survey.truncated.len(), survey.discovered - 9);
    assert_eq!((survey.truncated[0], survey.ended), ((7, Cut::Frontier), Ended::Truncated));
}

#[test]
fn order_decides_what_waits() {
    // Branching 10, six levels below the root.
    let children = |node| match node {
        0..111_111 => (10 * node + 1..=10 * node + 10).collect(),
        _ => Vec::new(),
    };
    let peak = |order| walk(Policy::new().order(order), &[0], children).1;
    assert_eq!(peak(Order::fifo()), 1_000_000);
    assert_eq!(peak(Order::by_key(|_, depth| depth)), 1_000_000);
    assert_eq!(peak(Order::lifo()), 55);
    assert_eq!(peak(Order::by_key(|_, depth| std::cmp::Reverse(depth))), 55);
}

#[test]
fn a_failure_is_kept_and_its_subtree_skipped() {
    let (mut frontier, _) = frontier(Policy::new(), &[1, 2]);
    let first = frontier.next(NOW).expect("a root");
    frontier.end(first, failed("gone", Class::Permanent), NOW);
    let second = frontier.next(NOW).expect("a root");
    frontier.end(second, answered(&[]), NOW);
    let survey = frontier.survey();
    assert_eq!(survey.failed, [Failure { node: 1, error: Fault::Call("gone"), attempts: 1 }]);
    assert_eq!((survey.ended, survey.visited), (Ended::Complete, 1));
}

#[test]
fn a_retryable_node_backs_off_and_then_goes_first() {
    let (mut frontier, gauges) = frontier(retried(3, ms(10)), &[1, 2, 3]);
    let job = frontier.next(NOW).expect("a root");
    frontier.end(job, failed("busy", Class::Retryable), ms(5));
    assert_eq!((frontier.alarm(), frontier.ready()), (Some(ms(15)), 2));
    assert_eq!(gauges.read(), Reading { queued: 2, backing_off: 1, in_flight: 0, alive: 0 });
    frontier.advance(ms(14));
    let second = frontier.next(ms(14)).expect("the first of those that wait");
    assert_eq!(second.node, 2);
    frontier.advance(ms(15));
    let again = frontier.next(ms(15)).expect("due");
    assert_eq!(again.node, 1);
    frontier.end(again, failed("busy", Class::Retryable), ms(15));
    assert_eq!(frontier.alarm(), Some(ms(35)));
    frontier.advance(ms(35));
    let last = frontier.next(ms(35)).expect("due");
    frontier.end(last, failed("still busy", Class::Retryable), ms(35));
    assert_eq!((frontier.alarm(), frontier.ready()), (None, 1));
    frontier.end(second, answered(&[]), ms(35));
    let third = frontier.next(ms(35)).expect("a root");
    frontier.end(third, answered(&[]), ms(35));
    assert!(frontier.is_over());
    let survey = frontier.survey();
    assert_eq!(survey.failed, [Failure { node: 1, error: Fault::Call("still busy"), attempts: 3 }]);
    assert_eq!((survey.ended, survey.visited), (Ended::Complete, 2));
}

#[test]
fn a_node_that_backs_off_keeps_the_walk_open_and_its_claim() {
    let (mut frontier, _) = frontier(retried(2, ms(10)).nodes(1), &[1]);
    let job = frontier.next(NOW).expect("the root");
    frontier.end(job, failed("busy", Class::Retryable), NOW);
    assert!(!frontier.is_over());
    frontier.advance(ms(10));
    let again = frontier.next(ms(10)).expect("due");
    frontier.end(again, answered(&[2, 3]), ms(10));
    assert!(frontier.is_over());
    let survey = frontier.survey();
    assert_eq!(survey.visited, 1);
    assert_eq!(survey.truncated, [2, 3].map(|node| (node, Cut::Nodes)));
}

#[test]
fn permanent_faults_are_not_retried() {
    let (mut frontier, _) = frontier(retried(9, ms(10)), &[1]);
    let job = frontier.next(NOW).expect("the root");
    frontier.end(job, failed("gone", Class::Permanent), NOW);
    assert!(frontier.is_over());
}

#[test]
fn after_a_fatal_fault_nothing_is_called() {
    let (mut frontier, gauges) = frontier(retried(2, ms(10)), &[1, 2, 3, 4, 5]);
    let jobs: Vec<_> = (0..4).filter_map(|_| frontier.next(NOW)).collect();
    let [busy, fatal, answers, dropped] = jobs.try_into().expect("four roots");
    frontier.end(busy, failed("busy", Class::Retryable), NOW);
    frontier.end(fatal, failed("unauthorised", Class::Fatal), NOW);
    assert!(frontier.is_stopped() && !frontier.is_over());
    assert!(frontier.next(NOW).is_none());
    assert_eq!(frontier.alarm(), None);
    assert_eq!(gauges.read(), Reading { queued: 0, backing_off: 0, in_flight: 2, alive: 0 });
    frontier.end(answers, answered(&[6]), NOW);
    frontier.end(dropped, Attempt::Dropped, NOW);
    assert!(frontier.is_over());
    let survey = frontier.survey();
    assert_eq!((survey.ended, survey.visited, survey.discovered), (Ended::Fatal, 1, 6));
    let reasons: Vec<_> = survey.failed.iter().map(|failure| (failure.node, failure.error.clone())).collect();
    assert_eq!(reasons, [(2, Fault::Call("unauthorised")), (1, Fault::Call("busy"))]);
    assert_eq!(survey.truncated, [(5, Cut::Fatal), (6, Cut::Fatal)]);
    assert_eq!(survey.cancelled, [4]);
}

#[test]
fn at_the_deadline_nothing_is_called_any_more() {
    let (mut frontier, _) = frontier(Policy::new().deadline(ms(35)), &[1, 2]);
    let job = frontier.next(ms(34)).expect("in time");
    assert_eq!(frontier.alarm(), Some(ms(35)));
    assert!(frontier.next(ms(35)).is_none());
    frontier.end(job, Attempt::Dropped, ms(35));
    let survey = frontier.survey();
    assert_eq!((survey.ended, survey.cancelled), (Ended::Deadline, vec![1]));
    assert_eq!(survey.truncated, [(2, Cut::Deadline)]);
}

#[test]
fn a_walk_that_had_nothing_left_to_do_was_not_stopped() {
    for policy in [Policy::new().deadline(ms(10)), Policy::new()] {
        let (mut frontier, _) = frontier(policy, &[1]);
        let job = frontier.next(NOW).expect("the root");
        frontier.advance(ms(10));
        frontier.cancel();
        frontier.end(job, answered(&[]), ms(10));
        assert_eq!(frontier.survey().ended, Ended::Complete);
    }
}

#[test]
fn the_first_reason_to_stop_is_the_one_that_counts() {
    let (mut frontier, _) = frontier(Policy::new().deadline(ms(10)), &[1]);
    frontier.cancel();
    frontier.advance(ms(10));
    let survey = frontier.survey();
    assert_eq!((survey.ended, survey.truncated), (Ended::Cancelled, vec![(1, Cut::Cancelled)]));
}

#[test]
fn a_frontier_that_is_dropped_shows_nothing() {
    let (frontier, gauges) = frontier(Policy::new(), &[1, 2]);
    assert_eq!(gauges.read().queued, 2);
    drop(frontier);
    assert_eq!(gauges.read(), Reading::default());
}
