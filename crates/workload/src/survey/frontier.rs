use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use super::gauges::Gauges;
use super::order::{First, Queue, Waiting};
use super::outcome::{Cut, Ended, Failure, Fault, Survey};
use super::policy::{Class, Policy};
use super::seen::{Key, Seen};

/// A node that is being called. To be given back with what its call came to, whatever that was.
#[derive(Debug)]
pub struct Job<N> {
    /// The node to call.
    pub node: N,
    depth: u32,
    // Its place among first calls: tells nodes apart where nothing about `N` is known.
    number: u64,
    attempt: u32,
}

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt<N, E> {
    /// It answered, with these children.
    Answered(Vec<N>),
    /// It did not, as [`Policy::judge`] says.
    Failed {
        /// Why not.
        fault: Fault<E>,
        /// What to make of it.
        class: Class,
    },
    /// It was dropped because the walk ends.
    Dropped,
}

/// The nodes that a walk knows and has not finished, and what has become of the others.
///
/// Every node that comes in is counted as discovered, and leaves as one of the things that a [`Survey`] counts: it is
/// seen or cut on arrival, or it is queued, becomes a [`Job`], and ends as visited, failed or cancelled, perhaps after
/// backing off. What still waits when the walk is stopped is cut then.
///
/// Times are since the walk's start.
pub struct Frontier<N, E> {
    policy: Policy<N, E>,
    queue: Queue<N>,
    seen: Option<Box<dyn Seen<N>>>,
    // Nodes that were queued: what the limit on nodes counts.
    claimed: usize,
    // First calls handed out.
    called: u64,
    in_flight: usize,
    // By when they are due, and of equals in the order of their first calls.
    backing_off: BinaryHeap<First<(Duration, u64), Retry<N, E>>>,
    due: VecDeque<Retry<N, E>>,
    stopped: Option<Stop>,
    // Whether the stop kept anything from being done.
    missed: bool,
    survey: Survey<N, E>,
    gauges: Gauges,
}

/// A node between two calls, with what the last came to: that is why it failed, if there is not to be another.
struct Retry<N, E> {
    job: Job<N>,
    fault: Fault<E>,
}

#[derive(Debug, Clone, Copy)]
enum Stop {
    Fatal,
    Deadline,
    Cancelled,
}

impl<N, E> Frontier<N, E> {
    /// What there is to do at the start. The gauges show it from here on, until it is dropped.
    #[must_use]
    pub fn new(policy: Policy<N, E>, roots: Vec<N>, gauges: Gauges) -> Self {
        let mut frontier = Self {
            queue: policy.order.queue(),
            seen: policy.seen.as_ref().map(Key::none_yet),
            policy,
            claimed: 0,
            called: 0,
            in_flight: 0,
            backing_off: BinaryHeap::new(),
            due: VecDeque::new(),
            stopped: None,
            missed: false,
            survey: Survey::default(),
            gauges,
        };
        frontier.offer(roots, 0);
        frontier.show();
        frontier
    }

    /// Takes the next node to call, if one is ready. None at or after the deadline, nor once the walk is stopped.
    pub fn next(&mut self, now: Duration) -> Option<Job<N>> {
        self.heed_deadline(now);
        let job = match self.due.pop_front() {
            Some(Retry { job, .. }) => Some(Job { attempt: job.attempt + 1, ..job }),
            None => self.queue.pop().map(|Waiting { node, depth }| {
                self.called += 1;
                Job { node, depth, number: self.called, attempt: 1 }
            }),
        };
        self.in_flight += usize::from(job.is_some());
        self.show();
        job
    }

    /// Takes in what became of a job. A fatal fault stops the walk.
    pub fn end(&mut self, job: Job<N>, attempt: Attempt<N, E>, now: Duration) {
        self.in_flight -= 1;
        match attempt {
            Attempt::Answered(children) => {
                self.survey.visited += 1;
                self.offer(children, job.depth.saturating_add(1));
            }
            Attempt::Failed { fault, class } => self.fail(job, fault, class, now),
            Attempt::Dropped => {
                self.missed = true;
                self.survey.cancelled.push(job.node);
            }
        }
        self.show();
    }

    /// Heeds the time: nodes that have backed off for long enough are ready, and a deadline stops the walk.
    pub fn advance(&mut self, now: Duration) {
        self.heed_deadline(now);
        while self.backing_off.peek().is_some_and(|first| first.key.0 <= now) {
            self.due.extend(self.backing_off.pop().map(|first| first.value));
        }
        self.show();
    }

    /// When to [`advance`](Self::advance) next; `None` where no time changes anything.
    #[must_use]
    pub fn alarm(&self) -> Option<Duration> {
        if self.is_stopped() {
            return None;
        }
        let due = self.backing_off.peek().map(|first| first.key.0);
        due.into_iter().chain(self.policy.deadline).min()
    }

    /// Stops the walk from outside.
    pub fn cancel(&mut self) {
        self.stop(Stop::Cancelled);
        self.show();
    }

    /// Nodes that are ready to be called.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.queue.len() + self.due.len()
    }

    /// Whether the walk is to end without the nodes that it had still to call: calls in flight are to be dropped.
    #[must_use]
    pub const fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    /// Whether nothing is left that could be called or reveal something.
    #[must_use]
    pub fn is_over(&self) -> bool {
        // A queue that is empty means nothing alone: a call in flight may reveal children, or be made again.
        self.ready() == 0 && self.backing_off.is_empty() && self.in_flight == 0
    }

    /// What has become of all nodes. To be asked once the walk is over.
    #[must_use]
    pub fn survey(mut self) -> Survey<N, E> {
        let mut survey = std::mem::take(&mut self.survey);
        survey.ended = match self.stopped {
            // However much it had still to do: the error is what the caller has to know.
            Some(Stop::Fatal) => Ended::Fatal,
            Some(Stop::Deadline) if self.missed => Ended::Deadline,
            Some(Stop::Cancelled) if self.missed => Ended::Cancelled,
            _ if survey.truncated.is_empty() => Ended::Complete,
            _ => Ended::Truncated,
        };
        survey
    }

    /// Queues those nodes that have not been seen and that no limit cuts.
    fn offer(&mut self, nodes: Vec<N>, depth: u32) {
        self.survey.discovered += nodes.len();
        for node in nodes {
            if self.seen.as_ref().is_some_and(|seen| seen.has(&node)) {
                self.survey.seen += 1;
            } else if let Some(cut) = self.cut(depth) {
                self.missed |= self.is_stopped();
                self.survey.truncated.push((node, cut));
            } else {
                if let Some(seen) = &mut self.seen {
                    seen.claim(&node);
                }
                self.claimed += 1;
                self.queue.push(Waiting { node, depth });
            }
        }
    }

    /// What keeps a node of this depth from being queued.
    fn cut(&self, depth: u32) -> Option<Cut> {
        let reached = |limit: Option<usize>, count| limit.is_some_and(|limit| count >= limit);
        if let Some(stop) = self.stopped {
            Some(stop.cut())
        } else if self.policy.depth.is_some_and(|limit| depth >= limit) {
            Some(Cut::Depth)
        } else if reached(self.policy.nodes, self.claimed) {
            Some(Cut::Nodes)
        } else if reached(self.policy.frontier, self.ready() + self.backing_off.len()) {
            Some(Cut::Frontier)
        } else {
            None
        }
    }

    fn fail(&mut self, job: Job<N>, fault: Fault<E>, class: Class, now: Duration) {
        let again = class == Class::Retryable && job.attempt < self.policy.retry.attempts().get();
        if again && !self.is_stopped() {
            let due = now.saturating_add(self.policy.retry.delay(job.number, job.attempt));
            self.backing_off.push(First { key: (due, job.number), value: Retry { job, fault } });
            return;
        }
        self.missed |= again;
        self.give_up(Retry { job, fault });
        if class == Class::Fatal {
            self.stop(Stop::Fatal);
        }
    }

    fn give_up(&mut self, Retry { job, fault }: Retry<N, E>) {
        self.survey.failed.push(Failure { node: job.node, error: fault, attempts: job.attempt });
    }

    fn heed_deadline(&mut self, now: Duration) {
        if self.policy.deadline.is_some_and(|deadline| now >= deadline) {
            self.stop(Stop::Deadline);
        }
    }

    /// Cuts what waits. The first reason to stop is the one that counts.
    fn stop(&mut self, stop: Stop) {
        if self.is_stopped() {
            return;
        }
        self.stopped = Some(stop);
        self.missed |= self.ready() > 0 || !self.backing_off.is_empty();
        while let Some(Waiting { node, .. }) = self.queue.pop() {
            self.survey.truncated.push((node, stop.cut()));
        }
        // These had their call, and it failed: that says more than that there was no time for another.
        while let Some(retry) = self.due.pop_front() {
            self.give_up(retry);
        }
        while let Some(First { value, .. }) = self.backing_off.pop() {
            self.give_up(value);
        }
    }

    fn show(&self) {
        self.gauges.show(self.ready(), self.backing_off.len(), self.in_flight);
    }
}

// The gauges outlive the walk, which may be dropped at any time.
impl<N, E> Drop for Frontier<N, E> {
    fn drop(&mut self) {
        self.gauges.show(0, 0, 0);
    }
}

impl Stop {
    const fn cut(self) -> Cut {
        match self {
            Self::Fatal => Cut::Fatal,
            Self::Deadline => Cut::Deadline,
            Self::Cancelled => Cut::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests;
