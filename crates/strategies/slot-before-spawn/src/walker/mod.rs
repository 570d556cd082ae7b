use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_workload::Tree;
use fanout_workload::survey::{Alive, Attempt, Frontier, Gauges, Job, Policy, Survey};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

mod call;

use call::Caller;

/// The walk for production: [`walk`](crate::walk()), and what it takes to survive what is on the other side.
///
/// Failures, panics and calls that never answer are the node's own, and the walk goes on; what is called again, how far
/// the walk goes and in which order is said by its [`Policy`]. However it ends, the [`Survey`] accounts for every node.
///
/// There is a task a call, and so at most `limit` of them. A node that backs off has none.
///
/// ```
/// use std::num::{NonZeroU32, NonZeroUsize};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use fanout_slot_before_spawn::Walker;
/// use fanout_workload::Tree;
/// use fanout_workload::survey::{Ended, Order, Policy, Retry};
/// use tokio_util::sync::CancellationToken;
///
/// /// Pages that link to each other, round and round.
/// struct Pages;
///
/// impl Tree for Pages {
///     type Node = u32;
///     type Error = std::io::Error;
///
///     async fn children(&self, page: &u32) -> std::io::Result<Vec<u32>> {
///         Ok(vec![(page + 1) % 10, (page + 2) % 10])
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let policy = Policy::new()
///     .seen(|page: &u32| *page)
///     .order(Order::by_key(|_, depth| depth))
///     .nodes(100_000)
///     .call_deadline(Duration::from_secs(5))
///     .retry(Retry::new(NonZeroU32::new(4).unwrap(), Duration::from_millis(50)).jitter(17));
/// let shutdown = CancellationToken::new();
/// let walker = Walker::new(NonZeroUsize::new(20).unwrap()).policy(policy).cancel(shutdown.clone());
///
/// let survey = walker.walk(Arc::new(Pages), vec![0]).await;
///
/// assert_eq!(survey.ended, Ended::Complete);
/// assert_eq!((survey.discovered, survey.visited, survey.seen), (21, 10, 11));
/// # });
/// ```
#[must_use = "it walks when it is told to"]
pub struct Walker<N, E> {
    limit: NonZeroUsize,
    policy: Policy<N, E>,
    cancel: CancellationToken,
    gauges: Gauges,
}

impl<N, E> Walker<N, E> {
    /// A walker with `limit` slots, and so at most as many calls at a time.
    pub fn new(limit: NonZeroUsize) -> Self {
        Self { limit, policy: Policy::new(), cancel: CancellationToken::new(), gauges: Gauges::default() }
    }

    /// What to do about failures, how far to go and in which order.
    pub fn policy(mut self, policy: Policy<N, E>) -> Self {
        self.policy = policy;
        self
    }

    /// Cancelling this token ends the walk, with a survey of what had been done.
    pub fn cancel(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// How the walk stands, at any time.
    #[must_use]
    pub fn gauges(&self) -> Gauges {
        self.gauges.clone()
    }
}

impl<N, E> Walker<N, E>
where
    N: Clone + Send + Sync + 'static,
    E: Send + 'static,
{
    /// Walks the tree below `roots`. When it gives back the survey, however the walk ended, every task has ended.
    ///
    /// Dropping the future ends the tasks too, but then nobody waits for their end.
    ///
    /// # Panics
    ///
    /// When one of the policy's own functions does. A call that panics is a failure of its node.
    pub async fn walk<T>(self, tree: Arc<T>, roots: Vec<N>) -> Survey<N, E>
    where
        T: Tree<Node = N, Error = E>,
    {
        let Self { limit, policy, cancel, gauges } = self;
        // A child, so that calls in flight are dropped in the moment in which the caller cancels.
        let stop = cancel.child_token();
        let start = Instant::now();
        let mut frontier = Frontier::new(policy.clone(), roots, gauges.clone());
        let caller = Arc::new(Caller { tree, policy, stop: stop.clone() });
        // Each task in it has a slot. Its slot is free once it is joined, and its children and its memory are taken in.
        let mut calls = JoinSet::new();
        loop {
            if cancel.is_cancelled() {
                frontier.cancel();
            }
            frontier.advance(start.elapsed());
            while calls.len() < limit.get()
                && !stop.is_cancelled()
                && let Some(job) = frontier.next(start.elapsed())
            {
                calls.spawn(call(Arc::clone(&caller), job, gauges.alive()));
            }
            if frontier.is_stopped() {
                stop.cancel();
            }
            if frontier.is_over() {
                return frontier.survey();
            }
            let alarm = frontier.alarm().and_then(|alarm| start.checked_add(alarm));
            tokio::select! {
                biased;
                Some(mut ended) = calls.join_next() => loop {
                    let (job, attempt) = crate::output(ended);
                    frontier.end(job, attempt, start.elapsed());
                    // All that have ended, before a slot is given away: one of them may be fatal.
                    match calls.try_join_next() {
                        Some(another) => ended = another,
                        None => break,
                    }
                },
                () = cancel.cancelled(), if !frontier.is_stopped() => {}
                () = sleep_until(alarm) => {}
            }
        }
    }
}

/// A task: one call of one node.
async fn call<T: Tree>(
    caller: Arc<Caller<T>>,
    job: Job<T::Node>,
    _alive: Alive,
) -> (Job<T::Node>, Attempt<T::Node, T::Error>) {
    let attempt = caller.call(&job.node).await;
    (job, attempt)
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
