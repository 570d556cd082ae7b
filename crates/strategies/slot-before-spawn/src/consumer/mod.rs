use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use fanout_workload::drain::{Alive, DeadLetterSink, DeadLetters, Drained, Ended, Gauges, Taken, attempt};
use fanout_workload::{Delivery, Handler, Source};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

mod in_flight;

use in_flight::Entry;
pub use in_flight::InFlight;

/// The consumer for production: [`consume`](crate::consume()), and what it takes to survive its messages and to be shut
/// down.
#[must_use = "it consumes when it is told to"]
pub struct Consumer<D, E> {
    limit: NonZeroUsize,
    letters: DeadLetters<D, E>,
    stop: CancellationToken,
    drain: Duration,
    gauges: Gauges,
    in_flight: InFlight,
}

impl<D, E> Consumer<D, E> {
    /// A consumer of `limit` slots, and so of at most as many tasks, each with one message.
    pub fn new(limit: NonZeroUsize) -> Self {
        Self {
            limit,
            letters: DeadLetters::default(),
            stop: CancellationToken::new(),
            drain: Duration::ZERO,
            gauges: Gauges::default(),
            in_flight: InFlight::default(),
        }
    }

    /// What a delivery is called, among the dead letters and the messages [in flight](Self::in_flight). Without it,
    /// deliveries go by their number: `message 1`.
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

    /// Cancelling `stop` shuts the consumer down: it reads no more, what is being worked on has `drain` to come to its
    /// end, and is dropped then. Handlers that want to know of it keep a clone of the token.
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

    /// The messages that have a task, to end one of them alone.
    #[must_use]
    pub fn in_flight(&self) -> InFlight {
        self.in_flight.clone()
    }
}

impl<D: Delivery, E: Send + 'static> Consumer<D, E> {
    /// Handles every message of `source`, until there are no more or the consumer is stopped. When it gives back its
    /// report, every task has ended and every message is settled or back at its source.
    pub async fn consume<S, H>(self, mut source: S, handler: Arc<H>) -> Drained
    where
        S: Source<Delivery = D>,
        H: Handler<D, Error = E>,
    {
        let Self { limit, letters, stop, drain, gauges, in_flight } = self;
        let shared = Arc::new(Shared { handler, letters, stop, cut: CancellationToken::new() });
        let mut tasks = JoinSet::new();
        let all = async {
            let mut number = 0;
            while let Some(delivery) = next(&mut source, &mut tasks, limit).await {
                let taken = Taken::new(delivery, &gauges);
                let name = taken.name(&shared.letters);
                let entry = in_flight.enter(name, number, &shared.cut);
                tasks.spawn(work(Arc::clone(&shared), taken, entry, gauges.alive()));
                number += 1;
            }
            join(&mut tasks).await;
        };
        tokio::select! {
            biased;
            () = shared.stop.cancelled() => gauges.stop(),
            () = all => return gauges.report(Ended::Complete),
        }
        let ended = tokio::select! {
            biased;
            () = join(&mut tasks) => Ended::Drained,
            () = tokio::time::sleep(drain) => Ended::Deadline,
        };
        // Not an abort: each task drops its call where it is, after a last look whether it has ended.
        shared.cut.cancel();
        join(&mut tasks).await;
        gauges.report(ended)
    }
}

/// What the tasks of one consumer have in common.
struct Shared<H, D, E> {
    handler: Arc<H>,
    letters: DeadLetters<D, E>,
    stop: CancellationToken,
    /// Cancelled at the drain deadline.
    cut: CancellationToken,
}

/// The next message, taken only once there is a slot: a task's place in the set, until it is joined.
async fn next<S: Source>(
    source: &mut S,
    tasks: &mut JoinSet<()>,
    limit: NonZeroUsize,
) -> Option<S::Delivery> {
    while tasks.len() >= limit.get() {
        tasks.join_next().await.into_iter().for_each(crate::output);
    }
    let mut next = pin!(source.next());
    loop {
        tokio::select! {
            biased;
            // A finished task keeps its memory until it is joined, however long the source is silent.
            Some(ended) = tasks.join_next() => crate::output(ended),
            delivery = &mut next => return delivery,
        }
    }
}

async fn join(tasks: &mut JoinSet<()>) {
    while let Some(ended) = tasks.join_next().await {
        crate::output(ended);
    }
}

/// A task: one message.
async fn work<D, H>(shared: Arc<Shared<H, D, H::Error>>, taken: Taken<D>, entry: Entry, _alive: Alive)
where
    D: Delivery,
    H: Handler<D>,
{
    // Stopped between its being read and now: somebody else can have it at once.
    if shared.stop.is_cancelled() {
        return;
    }
    let begun = taken.begin();
    let attempt = {
        let call = pin!(Some(async { shared.handler.handle(begun.delivery()).await }));
        attempt(call, pin!(entry.interrupted())).await
    };
    begun.settle(attempt, &shared.letters, pin!(shared.cut.cancelled())).await;
}

#[cfg(test)]
mod tests;
