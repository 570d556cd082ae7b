use std::future::ready;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_channel::Sender;
use fanout_workload::drain::{DeadLetterSink, DeadLetters, Drained, Ended, Gauges, Taken};
use fanout_workload::{Delivery, Handler, Source, Worker};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

mod work;

use work::{Shared, work};

/// The consumer for production: [`consume`](crate::consume()), and what it takes to survive its messages and to be shut
/// down.
#[must_use = "it consumes when it is told to"]
pub struct Consumer<D, E> {
    workers: NonZeroUsize,
    capacity: NonZeroUsize,
    letters: DeadLetters<D, E>,
    stop: CancellationToken,
    drain: Duration,
    gauges: Gauges,
}

impl<D, E> Consumer<D, E> {
    /// A consumer of so many workers, and so of at most as many calls at a time, behind a queue of as many messages.
    pub fn new(workers: NonZeroUsize) -> Self {
        Self {
            workers,
            capacity: workers,
            letters: DeadLetters::default(),
            stop: CancellationToken::new(),
            drain: Duration::ZERO,
            gauges: Gauges::default(),
        }
    }

    /// How many messages may wait for a worker. While as many do, nothing is read.
    pub fn queue(mut self, capacity: NonZeroUsize) -> Self {
        self.capacity = capacity;
        self
    }

    /// What a delivery is called among the dead letters. Without it, deliveries go by their number: `message 1`.
    pub fn name(mut self, name: impl Fn(&D) -> String + Send + Sync + 'static) -> Self {
        self.letters = self.letters.name(name);
        self
    }

    /// Who takes the messages that cannot be handled. Without it, they are rejected and counted, and no more.
    pub fn dead_letters(mut self, sink: impl DeadLetterSink<D, E>) -> Self
    where
        D: Sync + 'static,
        E: Send + 'static,
    {
        self.letters = self.letters.sink(sink);
        self
    }

    /// Cancelling `stop` shuts the consumer down: it reads no more, what is queued goes back to its source, what is being
    /// worked on has `drain` to come to its end, and is dropped then. Handlers that want to know of it keep a clone of
    /// the token.
    pub fn stop(mut self, stop: CancellationToken, drain: Duration) -> Self {
        self.stop = stop;
        self.drain = drain;
        self
    }

    /// How the consumer stands, at any time.
    #[must_use]
    pub fn gauges(&self) -> Gauges {
        self.gauges.clone()
    }
}

impl<D: Delivery, E: Send + 'static> Consumer<D, E> {
    /// Handles every message of `source` with one handler for all workers, until there are no more or the consumer is
    /// stopped. When it gives back its report, every task has ended and every message is settled or back at its source.
    pub async fn consume<S, H>(self, source: S, handler: Arc<H>) -> Drained
    where
        S: Source<Delivery = D>,
        H: Handler<D, Error = E>,
    {
        self.consume_with(source, move |_| ready(Common(Arc::clone(&handler)))).await
    }

    /// Handles every message of `source` like [`consume`](Self::consume), each worker with a [`Worker`] of its own.
    ///
    /// `make` makes one for each, from number 0, and is given as long as it takes: who has none yet takes no messages. It
    /// is asked again only after a panic, which may have left the old one half-done.
    ///
    /// # Panics
    ///
    /// When `make` does. What was taken goes back to its source.
    pub async fn consume_with<S, W, M, F>(self, mut source: S, make: M) -> Drained
    where
        S: Source<Delivery = D>,
        W: Worker<D, Error = E>,
        M: Fn(usize) -> F + Send + Sync + 'static,
        F: Future<Output = W> + Send + 'static,
    {
        let Self { workers: limit, capacity, letters, stop, drain, gauges } = self;
        let shared = Arc::new(Shared { make, letters, stop, cut: CancellationToken::new() });
        let (queue, messages) = async_channel::bounded(capacity.get());
        let mut workers = JoinSet::new();
        for number in 0..limit.get() {
            workers.spawn(work(Arc::clone(&shared), number, messages.clone(), gauges.alive()));
        }
        let all = async {
            {
                let mut feeding = pin!(feed(&mut source, &queue, capacity, &gauges));
                loop {
                    tokio::select! {
                        biased;
                        // Before the queue's end, only by a panic in `make`, which goes on here.
                        Some(ended) = workers.join_next() => crate::output(ended),
                        () = &mut feeding => break,
                    }
                }
            }
            queue.close();
            join(&mut workers).await;
        };
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => gauges.stop(),
            () = all => return gauges.report(Ended::Complete),
        }
        queue.close();
        // What nobody has begun goes back: its source can have it handled elsewhere, before a deadline here.
        while let Ok(queued) = messages.try_recv() {
            drop(queued);
        }
        let ended = tokio::select! {
            biased;
            () = join(&mut workers) => Ended::Drained,
            () = tokio::time::sleep(drain) => Ended::Deadline,
        };
        // Not an abort: each worker drops its call where it is, after a last look whether it has ended.
        shared.cut.cancel();
        join(&mut workers).await;
        gauges.report(ended)
    }
}

/// A worker that has nothing of its own.
struct Common<H>(Arc<H>);

impl<D: Sync, H: Handler<D>> Worker<D> for Common<H> {
    type Error = H::Error;

    async fn handle(&mut self, delivery: &D) -> Result<(), H::Error> {
        self.0.handle(delivery).await
    }
}

/// A message that waits, and the room that it takes.
struct Queued<D: Delivery> {
    taken: Taken<D>,
    room: OwnedSemaphorePermit,
}

/// Queues what the source has. Room first, then the message: nothing is ever taken that has no place in the queue.
async fn feed<S: Source>(
    source: &mut S,
    queue: &Sender<Queued<S::Delivery>>,
    capacity: NonZeroUsize,
    gauges: &Gauges,
) {
    let room = Arc::new(Semaphore::new(capacity.get()));
    loop {
        let room = Arc::clone(&room).acquire_owned().await.expect("the semaphore is never closed");
        let Some(delivery) = source.next().await else { return };
        let queued = Queued { taken: Taken::new(delivery, gauges), room };
        // It neither waits nor fails: there is a permit a message, and the queue is closed only after this.
        queue.try_send(queued).unwrap_or_else(|_| unreachable!("a queue that is full or closed too early"));
    }
}

async fn join(workers: &mut JoinSet<()>) {
    while let Some(ended) = workers.join_next().await {
        crate::output(ended);
    }
}

#[cfg(test)]
mod tests;
