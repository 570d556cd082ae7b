//! A `JoinSet` that is not reaped before the end (stream).
//!
//! - **The bug**: tasks are only ever added to the set, and a task that has ended stays in it, with its result, until it
//!   is joined.
//! - **What happens**: memory grows with the messages done and not with those alive, while the calls in flight and the
//!   runtime's live tasks look as they should.
//! - **Instead**: join what has ended as the loop goes, with `try_join_next` after each spawn, as
//!   `fanout-slot-before-spawn` does.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_workload::{Consumed, Handler, Source, settle};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Handles every message of `source`, a task a message, at most `limit` of them at a time, and keeps what is left of
/// each until the last.
///
/// Dropping the future ends the tasks.
pub async fn consume<S, H>(mut source: S, handler: Arc<H>, limit: NonZeroUsize) -> Consumed<H::Error>
where
    S: Source,
    H: Handler<S::Delivery>,
{
    let slots = Arc::new(Semaphore::new(limit.get()));
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
        // The bug: nothing here takes out what has ended.
    }
    let mut consumed = Consumed::default();
    while let Some(ended) = tasks.join_next().await {
        consumed.record(crate::output(ended));
    }
    consumed
}

#[cfg(test)]
mod tests {
    use std::sync::Weak;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::testing::{LATENCY, Messages, Number, alive, limit};

    /// Gives a result that can be counted for as long as somebody keeps it.
    #[derive(Default)]
    struct Counted {
        results: Arc<()>,
        kept: AtomicUsize,
        alive: AtomicUsize,
    }

    impl Handler<Number> for Counted {
        type Error = Arc<()>;

        async fn handle(&self, _: &Number) -> Result<(), Arc<()>> {
            tokio::time::sleep(LATENCY).await;
            self.kept.store(Arc::strong_count(&self.results) - 1, Ordering::Relaxed);
            self.alive.store(alive(), Ordering::Relaxed);
            Err(Arc::clone(&self.results))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_done_is_kept_while_few_are_alive() {
        for messages in [10, 1_000] {
            let handler = Arc::new(Counted::default());
            let consumed = consume(Messages::new(messages), Arc::clone(&handler), limit(2)).await;
            assert_eq!(consumed.failed, messages);
            // As the last message ends, there are the results of all before it; alive is at most one more.
            assert_eq!(handler.kept.load(Ordering::Relaxed), messages - 1);
            assert!(handler.alive.load(Ordering::Relaxed) <= 2);
            drop(consumed);
            let results: Weak<()> = Arc::downgrade(&handler.results);
            assert_eq!(results.strong_count(), 1);
        }
    }
}
