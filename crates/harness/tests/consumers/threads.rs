//! The accounts again, on several threads, where everything may happen at once.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fanout_simulation::{Arrivals, Message, SimulatedSource, StreamSpec, Tally, Timer};
use fanout_workload::drain::{Drained, Ended, Gauges};
use fanout_workload::{Handler, Source};
use tokio_util::sync::CancellationToken;

use crate::support::count;

const LIMIT: usize = 7;
const QUEUE: usize = 5;

/// Cancels a token with the message of this number.
struct StopsAt(SimulatedSource, u64, CancellationToken);

impl Source for StopsAt {
    type Delivery = Message;

    async fn next(&mut self) -> Option<Message> {
        let message = self.0.next().await?;
        if message.index() == self.1 {
            self.2.cancel();
        }
        Some(message)
    }
}

/// Gives way a few times, and ends in one way or another; some never, where there is somebody to drop them.
#[derive(Default)]
struct GivesWay {
    may_hang: bool,
    now: AtomicUsize,
    most: AtomicUsize,
}

struct One<'a>(&'a GivesWay);

impl<'a> One<'a> {
    fn enter(of: &'a GivesWay) -> Self {
        let now = of.now.fetch_add(1, Ordering::SeqCst) + 1;
        of.most.fetch_max(now, Ordering::SeqCst);
        Self(of)
    }
}

impl Drop for One<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Handler<Message> for GivesWay {
    type Error = u64;

    async fn handle(&self, message: &Message) -> Result<(), u64> {
        let _one = One::enter(self);
        for _ in 0..message.index() % 4 {
            tokio::task::yield_now().await;
        }
        match message.index() % 50 {
            7 => Err(message.index()),
            11 => resume_unwind(Box::new("as told")),
            13 if self.may_hang => pending().await,
            _ => Ok(()),
        }
    }
}

/// What holds of a consumer that ended, by its own account, by the gauges and by its source's.
fn check(drained: Drained, gauges: &Gauges, source: &Tally, handler: &GivesWay) {
    assert_eq!((drained.lost(), drained.accounted()), (0, drained.received));
    let settled = (source.acknowledged(), source.rejected(), source.returned());
    let by_consumer = (drained.handled as u64, drained.failed as u64, drained.returned as u64);
    assert_eq!((source.read(), settled), (drained.received as u64, by_consumer));
    let left = gauges.read();
    assert_eq!((left.tasks, left.working, left.waiting), (0, 0, 0));
    assert_eq!(handler.now.load(Ordering::SeqCst), 0);
    assert!(handler.most.load(Ordering::SeqCst) <= LIMIT);
}

/// Consumes 2,000 messages with both, and stops with the message of number `stop`.
fn both(stop: u64, drain: Duration, may_hang: bool) -> [Drained; 2] {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build();
    let runtime = runtime.expect("threads");
    let source = || {
        let tally = Arc::new(Tally::default());
        let stream = StreamSpec::new(2_000, 8, Arrivals::AtOnce);
        let token = CancellationToken::new();
        let source = SimulatedSource::new(&stream, 1, Timer::Wall, Arc::clone(&tally));
        (
            StopsAt(source, stop, token.clone()),
            token,
            tally,
            Arc::new(GivesWay { may_hang, ..GivesWay::default() }),
        )
    };
    runtime.block_on(async {
        let (messages, token, tally, handler) = source();
        let consumer = fanout_slot_before_spawn::Consumer::new(count(LIMIT)).stop(token, drain);
        let gauges = consumer.gauges();
        let consume = tokio::spawn(consumer.consume(messages, Arc::clone(&handler)));
        let slot_first = consume.await.expect("it does not panic");
        check(slot_first, &gauges, &tally, &handler);

        let (messages, token, tally, handler) = source();
        let consumer =
            fanout_queue_workers::Consumer::new(count(LIMIT)).queue(count(QUEUE)).stop(token, drain);
        let gauges = consumer.gauges();
        let consume = tokio::spawn(consumer.consume(messages, Arc::clone(&handler)));
        let workers = consume.await.expect("it does not panic");
        check(workers, &gauges, &tally, &handler);
        [slot_first, workers]
    })
}

#[test]
fn a_whole_stream() {
    for drained in both(u64::MAX, Duration::ZERO, false) {
        let ended = (drained.ended, drained.handled, drained.failed, drained.panicked);
        assert_eq!(ended, (Ended::Complete, 1_920, 80, 40));
    }
}

#[test]
fn stopped_and_drained() {
    for stop in (0..300).step_by(13) {
        for drained in both(stop, Duration::from_secs(3_600), false) {
            assert_eq!((drained.ended, drained.cancelled), (Ended::Drained, 0));
        }
    }
}

#[test]
fn stopped_and_dropped() {
    for stop in (0..300).step_by(13) {
        both(stop, Duration::ZERO, true);
    }
}
