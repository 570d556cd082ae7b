use std::num::NonZeroUsize;
use std::sync::Arc;

use async_channel::Receiver;
use fanout_workload::{Consumed, Handler, Source, settle};
use tokio::task::JoinSet;

/// Handles every message of `source` with `limit` workers behind a queue of `capacity` messages.
///
/// A full queue stops the reading, so at most `limit + capacity + 1` messages are taken and not done: one may be in
/// the producer's hand. Dropping the future ends the workers, and what was queued goes back to its source.
pub async fn consume<S, H>(
    mut source: S,
    handler: Arc<H>,
    limit: NonZeroUsize,
    capacity: NonZeroUsize,
) -> Consumed<H::Error>
where
    S: Source,
    H: Handler<S::Delivery>,
{
    let (queue, messages) = async_channel::bounded(capacity.get());
    let mut workers = JoinSet::new();
    for _ in 0..limit.get() {
        workers.spawn(work(Arc::clone(&handler), messages.clone()));
    }
    // With the workers' ends as the only ones, a send fails once no worker is left, instead of waiting for ever.
    drop(messages);
    while let Some(delivery) = source.next().await {
        if queue.send(delivery).await.is_err() {
            break;
        }
    }
    drop(queue);

    let mut consumed = Consumed::default();
    while let Some(ended) = workers.join_next().await {
        consumed.absorb(crate::output(ended));
    }
    consumed
}

async fn work<D, H>(handler: Arc<H>, messages: Receiver<D>) -> Consumed<H::Error>
where
    D: fanout_workload::Delivery,
    H: Handler<D>,
{
    let mut consumed = Consumed::default();
    while let Ok(delivery) = messages.recv().await {
        consumed.record(settle(&*handler, delivery).await);
    }
    consumed
}
