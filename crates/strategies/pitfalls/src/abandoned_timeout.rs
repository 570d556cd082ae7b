//! A timeout around a spawned task, which only stops the waiting (stream).
//!
//! - **The bug**: the timeout drops the task's handle, and a task whose handle is dropped goes on.
//! - **What happens**: the slot is given back while the work still runs, so more calls than the limit are in flight just
//!   when the other side is slow, and messages are reported as failed that are handled later.
//! - **Instead**: put the timeout around the call itself, inside the task, so that giving up drops the call; where it has
//!   to be a task of its own, abort it and keep the slot until it has ended.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_workload::{Consumed, Handler, Source, settle};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Handles every message of `source`, a task a message, at most `limit` of them at a time as it believes, and waits for
/// each of them no longer than `deadline`.
///
/// What took longer goes on after that, and after the end of this function too.
pub async fn consume<S, H>(
    mut source: S,
    handler: Arc<H>,
    limit: NonZeroUsize,
    deadline: Duration,
) -> Consumed<H::Error>
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
            let work = tokio::spawn(async move { settle(&*handler, delivery).await });
            // The bug: after the deadline the slot is free, and the work goes on.
            let handled = timeout(deadline, work).await;
            drop(slot);
            handled.ok().map(crate::output)
        });
        while let Some(ended) = tasks.try_join_next() {
            record(&mut consumed, crate::output(ended));
        }
    }
    while let Some(ended) = tasks.join_next().await {
        record(&mut consumed, crate::output(ended));
    }
    consumed
}

/// A message that took too long counts as failed.
fn record<E>(consumed: &mut Consumed<E>, handled: Option<Result<(), E>>) {
    match handled {
        Some(handled) => consumed.record(handled),
        None => consumed.failed += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{LATENCY, Messages, Work, alive, limit, ms};

    #[tokio::test(start_paused = true)]
    async fn work_goes_on_above_the_limit_and_is_reported_as_failed() {
        let (messages, work) = (Messages::new(40), Work::taking(10 * LATENCY));
        let consumed = consume(messages.clone(), Arc::clone(&work), limit(4), 2 * LATENCY).await;
        assert_eq!((consumed.handled, consumed.failed), (0, 40));
        // Five deadlines pass while a call is answered: five times the limit.
        assert_eq!((work.in_flight_peak(), work.elapsed()), (20, 20 * LATENCY));
        assert_eq!((work.in_flight(), alive()), (16, 16));
        tokio::time::sleep(10 * LATENCY).await;
        assert_eq!((messages.acknowledged(), messages.rejected()), (40, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn within_the_deadline_nothing_is_to_be_seen() {
        let work = Work::taking(LATENCY);
        let consumed = consume(Messages::new(40), Arc::clone(&work), limit(4), 2 * LATENCY).await;
        assert_eq!((consumed.handled, consumed.failed), (40, 0));
        assert_eq!((work.in_flight_peak(), work.elapsed()), (4, ms(100)));
    }
}
