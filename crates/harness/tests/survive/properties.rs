//! Whatever the tree, the failures, the limits, the order, and the moment at which the walk is stopped.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use fanout_simulation::{Branching, Node, Shape, TreeSpec};
use fanout_workload::survey::{Class, Cut, Ended, Fault, Order, Reading, Retry, Survey};
use proptest::option;
use proptest::prelude::*;

use crate::support::{BOTH, Kind, Policy, Refused, Scripted, Seen, Turn, Walk, ms, textbook};

/// A walk, as it is drawn.
#[derive(Debug, Clone)]
struct Case {
    kind: Kind,
    limit: usize,
    nodes: u32,
    seed: u64,
    faults: Faults,
    limits: Limits,
    retry: (u32, u64, bool),
    order: Sorted,
    // Nodes whose numbers have the same remainder are the same.
    seen: Option<u32>,
    stop: Option<(How, u64)>,
}

/// How many calls in a hundred go wrong, of each kind.
#[derive(Debug, Clone, Copy)]
struct Faults {
    busy: u64,
    gone: u64,
    panic: u64,
    never: u64,
    fatal: u64,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    depth: Option<u32>,
    nodes: Option<usize>,
    frontier: Option<usize>,
    deadline: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
enum Sorted {
    Fifo,
    Lifo,
    Shallow,
    Deep,
}

#[derive(Debug, Clone, Copy)]
enum How {
    Cancel,
    Drop,
}

const CALL_DEADLINE: Duration = ms(50);

fn faults(often: u64) -> impl Strategy<Value = Faults> {
    // In each hundred calls; a fatal one is rare, or no walk would get far.
    (0..often, 0..often, 0..often, 0..often, prop_oneof![9 => Just(0), 1 => Just(1u64)])
        .prop_map(|(busy, gone, panic, never, fatal)| Faults { busy, gone, panic, never, fatal })
}

prop_compose! {
    fn limits()(
        depth in option::weighted(0.3, 0u32..8),
        nodes in option::weighted(0.3, 0usize..300),
        frontier in option::weighted(0.3, 0usize..60),
        deadline in option::weighted(0.3, 0u64..400),
    ) -> Limits {
        Limits { depth, nodes, frontier, deadline }
    }
}

prop_compose! {
    fn any_case()(
        kind in prop::sample::select(BOTH.to_vec()),
        limit in prop::sample::select(vec![1, 2, 7, 64]),
        nodes in 0u32..300,
        seed in any::<u64>(),
        faults in faults(15),
        limits in limits(),
        retry in (1u32..5, 0u64..100, any::<bool>()),
        order in prop::sample::select(vec![Sorted::Fifo, Sorted::Lifo, Sorted::Shallow, Sorted::Deep]),
        seen in option::of(1u32..200),
        stop in option::weighted(0.4, (prop::sample::select(vec![How::Cancel, How::Drop]), 0u64..400)),
    ) -> Case {
        Case { kind, limit, nodes, seed, faults, limits, retry, order, seen, stop }
    }
}

impl Case {
    fn shape(&self) -> Shape {
        let spec = match self.nodes {
            0 => TreeSpec::empty(),
            nodes => TreeSpec::random(Branching::uniform(0, 5).expect("a range"), nodes).expect("it fits"),
        };
        spec.build(self.seed)
    }

    fn roots(&self) -> Vec<Node> {
        self.shape().root().into_iter().collect()
    }

    fn tree(&self) -> Scripted<Node> {
        let (seed, faults) = (self.seed, self.faults);
        Scripted::of(&self.shape())
            .latency(move |node, attempt| ms(1 + draw(seed, 1, node, attempt) % 20))
            .turn(move |node, attempt| faults.turn(draw(seed, 2, node, attempt) % 100))
    }

    fn policy(&self) -> Policy<Node> {
        let Limits { depth, nodes, frontier, deadline } = self.limits;
        let (attempts, backoff, jitter) = self.retry;
        let retry = Retry::new(NonZeroU32::new(attempts).expect("not 0"), ms(backoff)).longest(ms(150));
        let mut policy = Policy::new()
            .call_deadline(CALL_DEADLINE)
            .retry(if jitter { retry.jitter(self.seed) } else { retry })
            .classify(|fault| match fault {
                Fault::Call(Refused::Busy) | Fault::NoAnswer(_) | Fault::Panicked(_) => Class::Retryable,
                Fault::Call(Refused::Gone) => Class::Permanent,
                Fault::Call(Refused::Unauthorised) => Class::Fatal,
            })
            .order(match self.order {
                Sorted::Fifo => Order::fifo(),
                Sorted::Lifo => Order::lifo(),
                Sorted::Shallow => Order::by_key(|_, depth| depth),
                Sorted::Deep => Order::by_key(|node: &Node, depth| (std::cmp::Reverse(depth), node.index)),
            });
        if let Some(depth) = depth {
            policy = policy.depth(depth);
        }
        if let Some(nodes) = nodes {
            policy = policy.nodes(nodes);
        }
        if let Some(frontier) = frontier {
            policy = policy.frontier(frontier);
        }
        if let Some(deadline) = deadline {
            policy = policy.deadline(ms(deadline));
        }
        match self.seen {
            Some(different) => policy.seen(move |node: &Node| node.index % different),
            None => policy,
        }
    }

    fn run(&self) -> Seen<Node> {
        let at = |wanted: fn(&How) -> bool| self.stop.filter(|(how, _)| wanted(how)).map(|(_, at)| ms(at));
        Walk::new(self.kind, self.limit, self.policy())
            .cancelled(at(|how| matches!(how, How::Cancel)))
            .dropped(at(|how| matches!(how, How::Drop)))
            .run(|| self.tree(), self.roots())
    }
}

impl Faults {
    const NONE: Self = Self { busy: 0, gone: 0, panic: 0, never: 0, fatal: 0 };

    fn turn(self, mut drawn: u64) -> Turn {
        let turns = [
            (self.busy, Turn::Fail(Refused::Busy)),
            (self.gone, Turn::Fail(Refused::Gone)),
            (self.panic, Turn::Panic),
            (self.never, Turn::Never),
            (self.fatal, Turn::Fail(Refused::Unauthorised)),
        ];
        for (share, turn) in turns {
            if drawn < share {
                return turn;
            }
            drawn -= share;
        }
        Turn::Answer
    }
}

/// By hash, so that a call's fate does not depend on when it is made.
fn draw(seed: u64, purpose: u64, node: &Node, attempt: u32) -> u64 {
    let mut bits = seed;
    for part in [purpose, u64::from(node.index), u64::from(attempt)] {
        bits = (bits ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits ^= bits >> 29;
        bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^= bits >> 32;
    }
    bits
}

/// How many nodes were cut by each limit.
fn cuts(survey: &Survey<Node, Refused>) -> impl Fn(Cut) -> usize {
    move |wanted| survey.truncated.iter().filter(|(_, cut)| *cut == wanted).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn every_node_is_accounted_for_and_nothing_is_left_behind(case in any_case()) {
        let seen = case.run();
        let log = &seen.log;
        prop_assert_eq!((seen.tasks, log.in_flight, seen.reading), (0, 0, Reading::default()));
        prop_assert!(log.in_flight_peak <= case.limit, "{} in flight", log.in_flight_peak);
        prop_assert!(log.tasks_peak <= case.limit, "{} tasks", log.tasks_peak);
        prop_assert!(!log.after_fatal, "a call started after a fatal error");
        if seen.was_dropped() {
            return Ok(());
        }
        let survey = seen.survey();
        let roots = usize::from(case.nodes > 0);
        // Each is counted on its own, and against what the tree says of itself.
        prop_assert_eq!(survey.accounted(), survey.discovered);
        prop_assert_eq!(survey.discovered, roots + log.revealed);
        prop_assert_eq!(survey.visited, log.answered);
        let calls: usize = log.calls.values().map(Vec::len).sum();
        let (attempts, most) = (case.retry.0 as usize, survey.visited + survey.failed.len() + survey.cancelled.len());
        prop_assert!(log.calls.len() <= most && calls <= most * attempts, "{} calls of {} nodes", calls, most);
    }

    #[test]
    fn a_limit_that_cuts_says_so_and_one_that_does_not_is_silent(mut case in any_case()) {
        case.stop = None;
        let seen = case.run();
        let (survey, limits) = (seen.survey(), case.limits);
        let cut = cuts(survey);
        let claimed = survey.visited + survey.failed.len() + survey.cancelled.len();
        prop_assert!(seen.log.calls.keys().all(|node| limits.depth.is_none_or(|depth| node.depth < depth)));
        prop_assert!(limits.nodes.is_none_or(|nodes| claimed <= nodes));
        if cut(Cut::Nodes) > 0 {
            // Exact: as many were claimed as could be. What a stop kept from being called had been, too.
            let stopped = cut(Cut::Deadline) + cut(Cut::Fatal);
            prop_assert!(limits.nodes.is_some_and(|nodes| claimed <= nodes && nodes <= claimed + stopped));
        }
        for (limit, is_set) in [
            (Cut::Depth, limits.depth.is_some()),
            (Cut::Nodes, limits.nodes.is_some()),
            (Cut::Frontier, limits.frontier.is_some()),
            (Cut::Deadline, survey.ended == Ended::Deadline),
            (Cut::Fatal, survey.ended == Ended::Fatal),
            (Cut::Cancelled, false),
        ] {
            prop_assert!(is_set || cut(limit) == 0, "{:?}", limit);
        }
        match survey.ended {
            Ended::Complete => prop_assert_eq!((survey.truncated.len(), survey.cancelled.len()), (0, 0)),
            Ended::Truncated => prop_assert!(!survey.truncated.is_empty() && survey.cancelled.is_empty()),
            Ended::Fatal => prop_assert!(seen.log.fatal),
            Ended::Deadline => prop_assert_eq!(limits.deadline.map(ms), Some(seen.elapsed)),
            Ended::Cancelled => prop_assert!(false, "nobody cancelled it"),
        }
        prop_assert!(limits.deadline.is_none_or(|deadline| seen.elapsed <= ms(deadline)));
    }

    #[test]
    fn a_second_walk_from_what_is_missing_covers_exactly_the_rest(mut case in any_case()) {
        case.seen = None;
        case.stop = case.stop.map(|(_, at)| (How::Cancel, at));
        let first = case.run();
        let again = Case {
            faults: Faults::NONE,
            limits: Limits { depth: None, nodes: None, frontier: None, deadline: None },
            ..case.clone()
        };
        let roots = first.survey().missing().copied().collect();
        let second = Walk::new(again.kind, again.limit, again.policy()).run(|| again.tree(), roots);
        prop_assert_eq!(second.survey().ended, Ended::Complete);
        prop_assert_eq!((first.survey().visited + second.survey().visited) as u64, case.shape().nodes());
        if first.survey().ended == Ended::Complete {
            prop_assert_eq!(first.survey().missing().count(), first.survey().failed.len());
        }
    }

    #[test]
    fn with_a_seen_set_each_key_is_called_once(mut case in any_case()) {
        // A limit lets a key go unclaimed, and another attempt is another call.
        case.retry.0 = 1;
        let different = case.seen.unwrap_or(50);
        case.seen = Some(different);
        let seen = case.run();
        let mut calls: BTreeMap<u32, usize> = BTreeMap::new();
        for (node, starts) in &seen.log.calls {
            *calls.entry(node.index % different).or_default() += starts.len();
        }
        prop_assert!(calls.values().all(|&calls| calls == 1), "{:?}", calls);
    }

    #[test]
    fn without_limits_and_faults_a_walker_is_the_textbooks_walk(case in any_case()) {
        let case = Case {
            faults: Faults::NONE,
            limits: Limits { depth: None, nodes: None, frontier: None, deadline: None },
            order: Sorted::Fifo,
            seen: None,
            stop: None,
            ..case
        };
        let seen = case.run();
        let (walked, elapsed, log) = textbook(case.kind, case.limit, || case.tree(), case.roots());
        prop_assert_eq!((seen.survey().visited, seen.survey().ended), (walked.visited, Ended::Complete));
        prop_assert_eq!(walked.visited as u64, case.shape().nodes());
        prop_assert_eq!(seen.elapsed, elapsed);
        prop_assert_eq!(seen.log, log);
    }

    #[test]
    fn the_same_walk_is_the_same_again(case in any_case()) {
        let (first, second) = (case.run(), case.run());
        prop_assert_eq!(first.elapsed, second.elapsed);
        prop_assert_eq!(&first.log, &second.log);
        prop_assert_eq!(first.was_dropped(), second.was_dropped());
        if !first.was_dropped() {
            prop_assert_eq!(first.survey(), second.survey());
        }
    }
}
