use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_workload::{Consumed, Handler, Source, settle};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Handles every message of `source`, a task a message, at most `limit` of them at a time.
///
/// The slot comes before the message too: while all are taken nothing is read, and what waits is still in the source,
/// where another consumer can have it. Dropping the future ends the tasks.
pub async fn consume<S, H>(mut source: S, handler: Arc<H>, limit: NonZeroUsize) -> Consumed<H::Error>
where
    S: Source,
    H: Handler<S::Delivery>,
{
    let slots = Arc::new(Semaphore::new(limit.get()));
    let mut consumed = Consumed::default();
    let mut tasks = JoinSet::new();
    loop {
        let slot = Arc::clone(&slots).acquire_owned().await.expect("the semaphore is never closed");
        let Some(delivery) = source.next().await else { break };
        let handler = Arc::clone(&handler);
        tasks.spawn(async move {
            let handled = settle(&*handler, delivery).await;
            drop(slot);
            handled
        });
        // A finished task keeps its result, and so its memory, until it is joined.
        while let Some(ended) = tasks.try_join_next() {
            consumed.record(crate::output(ended));
        }
    }
    while let Some(ended) = tasks.join_next().await {
        consumed.record(crate::output(ended));
    }
    consumed
}
