//! A slot that is given back by hand, not by a guard (stream).
//!
//! - **The bug**: the slot goes back in a line of its own after the work, and every way past that line keeps it.
//! - **What happens**: each failure, panic or cancelled handler leaves one slot fewer, the stream gets slower and slower,
//!   and with the last slot it stops for good, although nothing is in flight.
//! - **Instead**: keep the permit itself in the task and let its `drop` give it back, as `fanout-slot-before-spawn` does.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_workload::{Consumed, Delivery, Handler, Source, settle};
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};

/// Handles every message of `source`, a task a message, at most `limit` of them at a time, until `limit` of them have
/// failed.
///
/// Dropping the future ends the tasks.
pub async fn consume<S, H>(mut source: S, handler: Arc<H>, limit: NonZeroUsize) -> Consumed<H::Error>
where
    S: Source,
    H: Handler<S::Delivery>,
{
    let slots = Arc::new(Semaphore::new(limit.get()));
    let mut consumed = Consumed::default();
    let mut tasks = JoinSet::new();
    loop {
        slots.acquire().await.expect("the semaphore is never closed").forget();
        let Some(delivery) = source.next().await else { break };
        tasks.spawn(handle(Arc::clone(&handler), delivery, Arc::clone(&slots)));
        while let Some(ended) = tasks.try_join_next() {
            record(&mut consumed, ended);
        }
    }
    while let Some(ended) = tasks.join_next().await {
        record(&mut consumed, ended);
    }
    consumed
}

async fn handle<D: Delivery, H: Handler<D>>(
    handler: Arc<H>,
    delivery: D,
    slots: Arc<Semaphore>,
) -> Result<(), H::Error> {
    // The bug: a failure leaves here, and so does a panic or a task that is cancelled meanwhile.
    settle(&*handler, delivery).await?;
    slots.add_permits(1);
    Ok(())
}

/// A panic, or a task that was cancelled, is a failure of its message alone.
fn record<E>(consumed: &mut Consumed<E>, ended: Result<Result<(), E>, JoinError>) {
    match ended {
        Ok(handled) => consumed.record(handled),
        Err(_) => consumed.failed += 1,
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::pin;

    use fanout_deadlock::watch;

    use super::*;
    use crate::testing::{LATENCY, Messages, Number, Work, alive, limit, ms};

    #[tokio::test(start_paused = true)]
    async fn as_many_failures_as_slots_and_nothing_runs_any_more() {
        let work = Work::failing(|number| number % 10 == 0);
        let messages = Messages::new(1_000);
        let mut consume = pin!(consume(messages.clone(), Arc::clone(&work), limit(4)));
        assert!(watch(consume.as_mut()).await.is_err(), "it never ends");
        // Messages 10, 20, 30 and 40 took the slots.
        assert_eq!((messages.taken(), alive(), work.in_flight()), (40, 0, 0));
        assert_eq!((messages.acknowledged(), messages.rejected()), (36, 4));
    }

    #[tokio::test(start_paused = true)]
    async fn fewer_failures_than_slots_only_make_it_slower() {
        let elapsed = |fails: fn(usize) -> bool| async move {
            let work = Work::failing(fails);
            let consumed = consume(Messages::new(400), Arc::clone(&work), limit(4)).await;
            assert_eq!(consumed.handled + consumed.failed, 400);
            work.elapsed()
        };
        assert_eq!(elapsed(|_| false).await, 100 * LATENCY);
        // All three in the first round: the other 396 go one by one.
        assert_eq!(elapsed(|number| number <= 3).await, 397 * LATENCY);
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_keeps_its_slot_too() {
        let work = Work::failing(|number| if number <= 4 { panic!("poison") } else { false });
        let messages = Messages::new(1_000);
        let mut consume = pin!(consume(messages.clone(), work, limit(4)));
        assert!(watch(consume.as_mut()).await.is_err(), "it never ends");
        assert_eq!((messages.taken(), messages.returned()), (4, 4));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_handler_keeps_its_slot_too() {
        struct Hangs;
        impl Handler<Number> for Hangs {
            type Error = ();
            async fn handle(&self, _: &Number) -> Result<(), ()> {
                pending().await
            }
        }
        let slots = Arc::new(Semaphore::new(2));
        slots.acquire().await.expect("it is open").forget();
        let message = Messages::new(1).next().await.expect("one");
        let task = tokio::spawn(handle(Arc::new(Hangs), message, Arc::clone(&slots)));
        tokio::time::sleep(ms(1)).await;
        task.abort();
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(slots.available_permits(), 1);
    }
}
