use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use super::frontier::Attempt;
use super::order::Order;
use super::outcome::Fault;
use super::retry::Retry;
use super::seen::Key;

/// What to make of a call that did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// The node may be called again, as often as [`Retry`] says.
    Retryable,
    /// The node is given up, and its subtree with it. The walk goes on.
    Permanent,
    /// The walk ends: no call starts any more, and those in flight are dropped.
    Fatal,
}

/// What a walk does about failures, how far it goes and in which order. By default it visits every node it is given,
/// once, first in, first out, without a limit.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
///
/// use fanout_workload::survey::{Class, Fault, Order, Policy, Retry};
///
/// enum ApiError {
///     Busy,
///     Gone,
///     Unauthorised,
/// }
///
/// let attempts = NonZeroU32::new(4).unwrap();
/// let policy: Policy<String, ApiError> = Policy::new()
///     .depth(12)
///     .nodes(100_000)
///     .deadline(Duration::from_secs(300))
///     .call_deadline(Duration::from_secs(5))
///     .retry(Retry::new(attempts, Duration::from_millis(50)).longest(Duration::from_secs(2)).jitter(17))
///     .classify(|fault| match fault {
///         Fault::Call(ApiError::Busy) | Fault::NoAnswer(_) => Class::Retryable,
///         Fault::Call(ApiError::Gone) | Fault::Panicked(_) => Class::Permanent,
///         Fault::Call(ApiError::Unauthorised) => Class::Fatal,
///     })
///     .seen(|path: &String| path.to_lowercase())
///     .order(Order::lifo());
/// # drop(policy);
/// ```
///
/// The functions that it is given are the caller's own: a panic in one of them ends the walk and goes on in the caller.
pub struct Policy<N, E> {
    pub(super) depth: Option<u32>,
    pub(super) nodes: Option<usize>,
    pub(super) frontier: Option<usize>,
    pub(super) deadline: Option<Duration>,
    pub(super) retry: Retry,
    pub(super) order: Order<N>,
    pub(super) seen: Option<Key<N>>,
    call_deadline: Option<Duration>,
    classify: Arc<Classify<E>>,
}

type Classify<E> = dyn Fn(&Fault<E>) -> Class + Send + Sync;

impl<N, E> Policy<N, E> {
    /// No limits, no second calls.
    #[must_use]
    pub fn new() -> Self {
        Self {
            depth: None,
            nodes: None,
            frontier: None,
            deadline: None,
            retry: Retry::NEVER,
            order: Order::fifo(),
            seen: None,
            call_deadline: None,
            classify: Arc::new(|fault| match fault {
                Fault::Call(_) | Fault::NoAnswer(_) => Class::Retryable,
                Fault::Panicked(_) => Class::Permanent,
            }),
        }
    }

    /// Nodes at this depth are reported and not called. The roots' is 0.
    #[must_use]
    pub fn depth(mut self, limit: u32) -> Self {
        self.depth = Some(limit);
        self
    }

    /// So many nodes are called, and the others reported. A node claims its place when it is queued, so the number is
    /// exact whatever is in flight. A node that is called again has its place already.
    #[must_use]
    pub fn nodes(mut self, limit: usize) -> Self {
        self.nodes = Some(limit);
        self
    }

    /// While so many nodes wait, to be called or called again, others are reported instead of queued. A call is never
    /// held up by it: who feeds a queue and waits for room in it may wait for itself.
    ///
    /// A node that backs off is never cut, so the number may be exceeded by the calls in flight. What is cut is kept
    /// for the report.
    #[must_use]
    pub fn frontier(mut self, limit: usize) -> Self {
        self.frontier = Some(limit);
        self
    }

    /// When so much time has passed since the walk's start, no call starts any more, and those in flight are dropped.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// A call that takes longer is dropped, and is a [`Fault::NoAnswer`].
    #[must_use]
    pub fn call_deadline(mut self, deadline: Duration) -> Self {
        self.call_deadline = Some(deadline);
        self
    }

    /// Calls nodes again whose fault is [`Class::Retryable`]. Meanwhile their slot is free, and a node that is due
    /// goes before those that have not been called at all.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Says what to make of a fault. Without it, errors and calls that never answered are retryable, panics permanent.
    #[must_use]
    pub fn classify(mut self, classify: impl Fn(&Fault<E>) -> Class + Send + Sync + 'static) -> Self {
        self.classify = Arc::new(classify);
        self
    }

    /// Walks a graph: of nodes with the same key one is called, and the others are counted as seen. The key is claimed
    /// when a node is queued, the roots included. What a limit cut is not claimed: met again within the limits, it is
    /// called.
    #[must_use]
    pub fn seen<K>(mut self, key: impl Fn(&N) -> K + Send + Sync + 'static) -> Self
    where
        N: 'static,
        K: Eq + Hash + Send + 'static,
    {
        self.seen = Some(Key::new(key));
        self
    }

    /// Which of the nodes that wait is called next.
    #[must_use]
    pub fn order(mut self, order: Order<N>) -> Self {
        self.order = order;
        self
    }

    /// How long a call may take.
    #[must_use]
    pub const fn longest_call(&self) -> Option<Duration> {
        self.call_deadline
    }

    /// What a call that did not answer comes to.
    #[must_use]
    pub fn judge(&self, fault: Fault<E>) -> Attempt<N, E> {
        let class = (self.classify)(&fault);
        Attempt::Failed { fault, class }
    }
}

impl<N, E> Default for Policy<N, E> {
    fn default() -> Self {
        Self::new()
    }
}

// Derived, it would ask for `N: Clone` and `E: Clone`.
impl<N, E> Clone for Policy<N, E> {
    fn clone(&self) -> Self {
        Self {
            order: self.order.clone(),
            seen: self.seen.clone(),
            classify: Arc::clone(&self.classify),
            ..*self
        }
    }
}
