use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;

use async_channel::Receiver;
use fanout_workload::drain::{Alive, Attempt, DeadLetters, Fault, attempt};
use fanout_workload::{Delivery, Worker};
use tokio_util::sync::CancellationToken;

use super::Queued;

/// What the workers of one consumer have in common.
pub(super) struct Shared<M, D, E> {
    pub(super) make: M,
    pub(super) letters: DeadLetters<D, E>,
    /// The caller's: nothing begins any more.
    pub(super) stop: CancellationToken,
    /// Cancelled at the drain deadline: nothing goes on any more.
    pub(super) cut: CancellationToken,
}

impl<M, D, E> Shared<M, D, E> {
    /// Makes what worker number `number` keeps; none once the consumer is stopped.
    async fn make<W, F>(&self, number: usize) -> Option<W>
    where
        M: Fn(usize) -> F,
        F: Future<Output = W>,
    {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            // In a block, so that it is not even asked for once there is nothing left to do.
            worker = async { (self.make)(number).await } => Some(worker),
        }
    }

    async fn interrupted(&self) -> Attempt<E> {
        self.cut.cancelled().await;
        Attempt::Interrupted
    }
}

/// A task: one worker, for as long as there may be messages.
pub(super) async fn work<D, W, M, F>(
    shared: Arc<Shared<M, D, W::Error>>,
    number: usize,
    messages: Receiver<Queued<D>>,
    _alive: Alive,
) where
    D: Delivery,
    W: Worker<D>,
    M: Fn(usize) -> F,
    F: Future<Output = W>,
{
    let Some(mut worker) = shared.make(number).await else { return };
    while let Ok(Queued { taken, room }) = messages.recv().await {
        // Dropped, what was queued goes back.
        if shared.stop.is_cancelled() {
            return;
        }
        let begun = taken.begin();
        drop(room);
        let attempt = {
            let call = pin!(Some(async { worker.handle(begun.delivery()).await }));
            attempt(call, pin!(shared.interrupted())).await
        };
        let panicked = matches!(attempt, Attempt::Failed(Fault::Panicked(_)));
        begun.settle(attempt, &shared.letters, pin!(shared.cut.cancelled())).await;
        if panicked {
            // What a panic left half-done may well panic again when it goes.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(worker)));
            match shared.make(number).await {
                Some(made) => worker = made,
                None => return,
            }
        }
    }
}
