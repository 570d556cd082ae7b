use std::convert::Infallible;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use fanout_workload::Tree;
use fanout_workload::survey::{Attempt, Fault, Policy};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

/// Makes the calls of one walk.
pub(super) struct Caller<T: Tree> {
    pub(super) tree: Arc<T>,
    pub(super) policy: Policy<T::Node, T::Error>,
    /// Cancelled when the walk is to end.
    pub(super) stop: CancellationToken,
}

impl<T: Tree> Caller<T> {
    /// Calls a node: to its answer, its deadline or the end of the walk, whichever is first. An answer that comes in
    /// the same moment as one of the others is an answer.
    pub(super) async fn call(&self, node: &T::Node) -> Attempt<T::Node, T::Error> {
        // Another thread may have stopped the walk since this node was taken.
        if self.stop.is_cancelled() {
            return Attempt::Dropped;
        }
        let call = async {
            tokio::select! {
                biased;
                answer = self.tree.children(node) => match answer {
                    Ok(children) => Ok(children),
                    Err(error) => Err(Some(Fault::Call(error))),
                },
                deadline = expiry(self.policy.longest_call()) => Err(Some(Fault::NoAnswer(deadline))),
                () = self.stop.cancelled() => Err(None),
            }
        };
        // Around everything that is the call's own: it may panic when it is made, and when it is dropped, too. Nothing
        // is looked at again that a panic could have left half-done, but for what the tree itself shares.
        match AssertUnwindSafe(call).catch_unwind().await {
            Ok(Ok(children)) => Attempt::Answered(children),
            Ok(Err(Some(fault))) => self.policy.judge(fault),
            Ok(Err(None)) => Attempt::Dropped,
            Err(panic) => self.policy.judge(Fault::panicked(&*panic)),
        }
    }
}

/// Ends when a call has taken too long, and says how long that is.
async fn expiry(deadline: Option<Duration>) -> Duration {
    match deadline {
        Some(deadline) => {
            tokio::time::sleep(deadline).await;
            deadline
        }
        None => match pending::<Infallible>().await {},
    }
}
