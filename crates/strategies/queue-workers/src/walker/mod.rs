use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;

use fanout_workload::Tree;
use fanout_workload::survey::{Alive, Frontier, Gauges, Policy, Survey};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

mod call;
mod shared;

use call::Caller;
use shared::Shared;

/// The walk for production: [`walk`](crate::walk()), and what it takes to survive what is on the other side.
///
/// Failures, panics and calls that never answer are the node's own, and the walk goes on; what is called again, how far
/// the walk goes and in which order is said by its [`Policy`]. However it ends, the [`Survey`] accounts for every node.
///
/// There are `limit` tasks from start to end, whatever fails and however much waits or backs off.
///
/// ```
/// use std::num::{NonZeroU32, NonZeroUsize};
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use fanout_queue_workers::Walker;
/// use fanout_workload::Tree;
/// use fanout_workload::survey::{Class, Cut, Ended, Fault, Policy, Retry};
/// use tokio_util::sync::CancellationToken;
///
/// /// Folders behind an API.
/// struct Folders;
///
/// #[derive(Debug, PartialEq)]
/// enum ApiError {
///     NotFound,
///     Unauthorised,
/// }
///
/// impl Tree for Folders {
///     type Node = String;
///     type Error = ApiError;
///
///     async fn children(&self, folder: &String) -> Result<Vec<String>, ApiError> {
///         match folder.as_str() {
///             "/" => Ok(vec!["/etc".into(), "/home".into(), "/lost".into()]),
///             "/home" => Ok(vec!["/home/ada".into()]),
///             "/home/ada" => Ok(vec!["/home/ada/src".into()]),
///             "/lost" => Err(ApiError::NotFound),
///             _ => Ok(vec![]),
///         }
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let policy = Policy::new()
///     .depth(3)
///     .deadline(Duration::from_secs(300))
///     .call_deadline(Duration::from_secs(5))
///     .retry(Retry::new(NonZeroU32::new(4).unwrap(), Duration::from_millis(50)).jitter(17))
///     .classify(|fault| match fault {
///         Fault::Call(ApiError::Unauthorised) => Class::Fatal,
///         Fault::Call(ApiError::NotFound) | Fault::Panicked(_) => Class::Permanent,
///         Fault::NoAnswer(_) => Class::Retryable,
///     });
/// let shutdown = CancellationToken::new();
/// let walker = Walker::new(NonZeroUsize::new(20).unwrap()).policy(policy).cancel(shutdown.clone());
/// let gauges = walker.gauges();
/// // Elsewhere: `gauges.read().queued` for the dashboard, `shutdown.cancel()` when the service has to go.
///
/// let survey = walker.walk(Arc::new(Folders), vec!["/".into()]).await;
///
/// assert_eq!(survey.ended, Ended::Truncated);
/// assert_eq!(survey.visited, 4);
/// assert_eq!(survey.failed[0].error, Fault::Call(ApiError::NotFound));
/// assert_eq!(survey.truncated, [("/home/ada/src".into(), Cut::Depth)]);
/// assert_eq!(survey.accounted(), survey.discovered);
/// assert_eq!(gauges.read().alive, 0);
/// // What to walk next time, to cover the rest.
/// assert!(survey.missing().eq(["/lost", "/home/ada/src"]));
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
    /// A walker with `limit` workers, and so at most as many calls at a time.
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
        let frontier = Frontier::new(policy.clone(), roots, gauges.clone());
        let shared = Arc::new(Shared::new(frontier, cancel, stop.clone()));
        let caller = Arc::new(Caller { tree, policy, stop });
        let mut workers = JoinSet::new();
        for _ in 0..limit.get() {
            workers.spawn(work(Arc::clone(&caller), Arc::clone(&shared), gauges.alive()));
        }
        {
            // Not a task of its own, but done by whoever waits for the walk.
            let mut time = pin!(shared.keep_time());
            loop {
                tokio::select! {
                    biased;
                    ended = workers.join_next() => match ended {
                        Some(ended) => crate::output(ended),
                        None => break,
                    },
                    never = &mut time => match never {},
                }
            }
        }
        Arc::into_inner(shared).expect("the workers had the only other handles").survey()
    }
}

/// A worker: it is alive for as long as there may be nodes to call.
async fn work<T: Tree>(caller: Arc<Caller<T>>, shared: Arc<Shared<T::Node, T::Error>>, _alive: Alive) {
    while let Some(job) = shared.next().await {
        let attempt = caller.call(&job.node).await;
        shared.end(job, attempt);
    }
}
