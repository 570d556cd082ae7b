//! The account of a walk that heeds a policy.

use std::cmp::Reverse;

use fanout_probe::Counts;
use fanout_record::{Outcome, Row};
use fanout_scenario::{WalkOrder, WalkPolicy};
use fanout_simulation::{CallError, Node, Shape};
use fanout_workload::survey::{Class, Cut, Ended, Fault, Order, Policy, Retry, Survey};

use super::account::Account;
use super::measure::Known;

/// A policy as the walkers take it.
pub(crate) fn policy(told: &WalkPolicy, seed: u64) -> Policy<Node, CallError> {
    let order = match told.order {
        WalkOrder::FirstInFirstOut => Order::fifo(),
        WalkOrder::LastInFirstOut => Order::lifo(),
        WalkOrder::DeepestFirst => Order::by_key(|_, depth| Reverse(depth)),
        WalkOrder::ShallowestFirst => Order::by_key(|_, depth| depth),
    };
    let mut policy = Policy::new().order(order).classify(|fault| match fault {
        Fault::Call(CallError::Fatal) => Class::Fatal,
        Fault::Call(CallError::Injected | CallError::Refused) | Fault::NoAnswer(_) => Class::Retryable,
        Fault::Panicked(_) => Class::Permanent,
    });
    if let Some(depth) = told.depth {
        policy = policy.depth(depth);
    }
    if let Some(nodes) = told.nodes {
        policy = policy.nodes(nodes);
    }
    if let Some(frontier) = told.frontier {
        policy = policy.frontier(frontier);
    }
    if let Some(deadline) = told.deadline {
        policy = policy.deadline(deadline);
    }
    if let Some(deadline) = told.call_deadline {
        policy = policy.call_deadline(deadline);
    }
    if let Some(told) = told.retry {
        let retry = Retry::new(told.attempts, told.backoff);
        let retry = told.longest.map_or(retry, |longest| retry.longest(longest));
        policy = policy.retry(if told.jitter { retry.jitter(seed) } else { retry });
    }
    if told.seen {
        policy = policy.seen(|node: &Node| node.index);
    }
    policy
}

/// What a walk said of its nodes, and what it was told.
pub(crate) struct Surveyed {
    pub(crate) survey: Survey<Node, CallError>,
    pub(crate) policy: WalkPolicy,
    pub(crate) shape: Shape,
}

impl Account for Surveyed {
    fn judge(&self, known: &Known<'_>, counts: Counts) -> Result<(Outcome, Option<String>), String> {
        let Survey { ended, discovered, visited, failed, truncated, cancelled, .. } = &self.survey;
        let Counts { given, started, retried, answered, .. } = counts;
        if counts.in_flight() > 0 {
            return Err(format!("{} calls outlived the walk", counts.in_flight()));
        }
        if *discovered != self.survey.accounted() {
            let accounted = self.survey.accounted();
            return Err(format!("of {discovered} nodes discovered {accounted} are accounted for"));
        }
        if (*discovered as u64, *visited as u64) != (given, answered) {
            return Err(format!(
                "the strategy says {discovered} discovered and {visited} visited, but {given} nodes were revealed and \
                 {answered} calls answered"
            ));
        }
        let calls = (visited + failed.len() + cancelled.len()) as u64 + retried;
        if calls != started {
            return Err(format!("the strategy accounts for {calls} calls, {started} were made"));
        }
        if let Some(nodes) = self.policy.nodes.filter(|&nodes| started - retried > nodes as u64) {
            return Err(format!("{} nodes were called, under a limit of {nodes}", started - retried));
        }
        let whole = self.policy.keeps_calls() && *ended == Ended::Complete;
        if let Some(calls) = known.calls.filter(|&calls| whole && calls != started) {
            return Err(format!("{started} calls were made, there are {calls} items to call"));
        }
        let rest = || format!("{} calls dropped, {} nodes never called", cancelled.len(), truncated.len());
        Ok(match ended {
            Ended::Complete => (Outcome::Complete, None),
            Ended::Truncated => (Outcome::Truncated, Some(self.cuts())),
            Ended::Fatal => (Outcome::Fatal, Some(format!("fatal at {}: {}", self.fatal(), rest()))),
            Ended::Deadline => (Outcome::Deadline, Some(format!("the walk's deadline: {}", rest()))),
            Ended::Cancelled => (Outcome::Cancelled, Some(format!("cancelled: {}", rest()))),
        })
    }

    fn tell(&self, row: &mut Row, counts: Counts) {
        let Survey { discovered, visited, failed, truncated, seen, cancelled, .. } = &self.survey;
        row.discovered = Some(*discovered as u64);
        row.visited = Some(*visited as u64);
        row.failed = Some(failed.len() as u64);
        row.retried = Some(counts.retried);
        row.truncated = Some(truncated.len() as u64);
        row.seen = Some(*seen as u64);
        row.cancelled = Some(cancelled.len() as u64);
    }
}

impl Surveyed {
    /// Which limits cut how many.
    fn cuts(&self) -> String {
        let cuts = [(Cut::Depth, "depth"), (Cut::Nodes, "nodes"), (Cut::Frontier, "frontier")];
        let of = |cut| self.survey.truncated.iter().filter(|(_, by)| *by == cut).count();
        let words: Vec<String> = cuts
            .into_iter()
            .map(|(cut, name)| (of(cut), name))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} by the limit on {name}"))
            .collect();
        format!("nodes cut: {}", words.join(", "))
    }

    /// Where the error was that stopped the walk.
    fn fatal(&self) -> String {
        let fatal = |error: &Fault<CallError>| matches!(error, Fault::Call(CallError::Fatal));
        let failure = self.survey.failed.iter().find(|failure| fatal(&failure.error));
        failure.map_or_else(String::new, |failure| self.shape.path(failure.node))
    }
}
