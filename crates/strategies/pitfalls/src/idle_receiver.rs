//! A receiver that is kept although its workers are gone (stream).
//!
//! - **The bug**: the function that starts the workers keeps its own receiver of their queue, and so the queue stays open
//!   when the last worker has ended.
//! - **What happens**: the queue fills, the producer waits for room in it for ever, and nobody learns that there are no
//!   workers left.
//! - **Instead**: drop the receiver once the workers have theirs, as `fanout-queue-workers` does: then a send fails when
//!   nobody can receive. And let no single message end a worker.

use std::num::NonZeroUsize;
use std::sync::Arc;

use async_channel::Receiver;
use fanout_workload::{Consumed, Delivery, Handler, Source, settle};
use tokio::task::JoinSet;

/// Handles the messages of `source` with `limit` workers behind a queue of `capacity` messages. A worker ends with its
/// first failure; once all have, this never does.
///
/// Dropping the future ends the workers that are left.
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
    // The bug: `messages` lives to the end of this function. Nobody receives from it, and it keeps the queue open.
    let (queue, messages) = async_channel::bounded(capacity.get());
    let mut workers = JoinSet::new();
    for _ in 0..limit.get() {
        workers.spawn(work(Arc::clone(&handler), messages.clone()));
    }
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

async fn work<D: Delivery, H: Handler<D>>(handler: Arc<H>, messages: Receiver<D>) -> Consumed<H::Error> {
    let mut consumed = Consumed::default();
    while let Ok(delivery) = messages.recv().await {
        let handled = settle(&*handler, delivery).await;
        // A worker whose connection has broken, say: it cannot go on.
        let broken = handled.is_err();
        consumed.record(handled);
        if broken {
            break;
        }
    }
    consumed
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use fanout_deadlock::watch;

    use super::*;
    use crate::testing::{Messages, Work, alive, limit};

    #[tokio::test(start_paused = true)]
    async fn without_workers_the_producer_waits_for_ever() {
        let work = Work::failing(|number| number % 10 == 0);
        let messages = Messages::new(1_000);
        let mut consume = pin!(consume(messages.clone(), Arc::clone(&work), limit(4), limit(8)));
        assert!(watch(consume.as_mut()).await.is_err(), "it never ends");
        assert_eq!((messages.acknowledged(), messages.rejected()), (36, 4));
        // Eight in the queue, one in the producer's hand.
        assert_eq!((messages.taken(), work.in_flight(), alive()), (49, 0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn fewer_failures_than_workers_pass() {
        let work = Work::failing(|number| number <= 3);
        let messages = Messages::new(100);
        let consumed = consume(messages.clone(), work, limit(4), limit(8)).await;
        assert_eq!((consumed.handled, consumed.failed), (97, 3));
    }
}
