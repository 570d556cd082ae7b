use std::future::{Future, pending, ready};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fanout_workload::drain::{DeadLetter, Drained, Ended, Fault};
use fanout_workload::{Delivery, Source, Worker};
use futures::FutureExt;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Consumer;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn count(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("not 0")
}

/// How the messages ended that were taken.
#[derive(Debug, Clone, Default)]
struct Fates(Arc<[AtomicUsize; 4]>);

const READ: usize = 0;
const ACKNOWLEDGED: usize = 1;
const REJECTED: usize = 2;
const RETURNED: usize = 3;

impl Fates {
    fn count(&self, fate: usize) {
        self.0[fate].fetch_add(1, Ordering::Relaxed);
    }

    fn of(&self, fate: usize) -> usize {
        self.0[fate].load(Ordering::Relaxed)
    }
}

/// A source of numbers, all there at the start.
struct Numbers {
    left: Range<usize>,
    fates: Fates,
}

fn numbers(many: usize) -> (Numbers, Fates) {
    let fates = Fates::default();
    (Numbers { left: 0..many, fates: fates.clone() }, fates)
}

impl Source for Numbers {
    type Delivery = Number;

    async fn next(&mut self) -> Option<Number> {
        let number = self.left.next()?;
        self.fates.count(READ);
        Some(Number { number, fates: Some(self.fates.clone()) })
    }
}

struct Number {
    number: usize,
    fates: Option<Fates>,
}

impl Delivery for Number {
    fn acknowledge(mut self) {
        self.fates.take().expect("it ends once").count(ACKNOWLEDGED);
    }

    fn reject(mut self) {
        self.fates.take().expect("it ends once").count(REJECTED);
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        if let Some(fates) = self.fates.take() {
            fates.count(RETURNED);
        }
    }
}

/// A connection, 10 ms a message. The 7th in each ten fails, the 8th panics.
struct Connection {
    sent: usize,
}

impl Worker<Number> for Connection {
    type Error = &'static str;

    async fn handle(&mut self, message: &Number) -> Result<(), &'static str> {
        self.sent += 1;
        sleep(ms(10)).await;
        match message.number % 10 {
            7 => Err("refused"),
            8 => resume_unwind(Box::new("half-way")),
            _ => Ok(()),
        }
    }
}

type NumberConsumer = Consumer<Number, &'static str>;

/// Consumes with connections that are counted, while `meanwhile` happens.
async fn consume(
    consumer: NumberConsumer,
    source: Numbers,
    meanwhile: impl Future<Output = ()>,
) -> (Drained, usize) {
    let made = Arc::new(AtomicUsize::new(0));
    let connect = {
        let made = Arc::clone(&made);
        move |_| {
            made.fetch_add(1, Ordering::Relaxed);
            async {
                sleep(ms(1)).await;
                Connection { sent: 0 }
            }
        }
    };
    let (drained, ()) = tokio::join!(consumer.consume_with(source, connect), meanwhile);
    (drained, made.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn a_hundred_connections_are_made_for_twenty_thousand_messages() {
    /// A connection that tells, when it is closed, how many messages it had.
    struct Busy(usize, Arc<Mutex<Vec<usize>>>);
    impl Worker<Number> for Busy {
        type Error = &'static str;
        async fn handle(&mut self, _: &Number) -> Result<(), &'static str> {
            self.0 += 1;
            sleep(ms(50)).await;
            Ok(())
        }
    }
    impl Drop for Busy {
        fn drop(&mut self) {
            self.1.lock().expect("nobody panics with it").push(self.0);
        }
    }
    let closed = Arc::default();
    let (source, fates) = numbers(20_000);
    let start = Instant::now();
    let connect = {
        let closed = Arc::clone(&closed);
        move |_| ready(Busy(0, Arc::clone(&closed)))
    };
    let drained = NumberConsumer::new(count(100)).consume_with(source, connect).await;
    assert_eq!((drained.ended, drained.handled, drained.lost()), (Ended::Complete, 20_000, 0));
    assert_eq!(fates.of(ACKNOWLEDGED), 20_000);
    assert_eq!(start.elapsed(), ms(10_000));
    let closed = closed.lock().expect("nobody panics with it");
    assert_eq!((closed.len(), closed.iter().sum::<usize>()), (100, 20_000));
}

#[tokio::test(start_paused = true)]
async fn a_failure_keeps_the_connection_and_a_panic_renews_it() {
    let (source, fates) = numbers(100);
    let consumer = NumberConsumer::new(count(4));
    let letters = Arc::new(Mutex::new(Vec::new()));
    let consumer = {
        let letters = Arc::clone(&letters);
        consumer.name(|message: &Number| format!("number {}", message.number)).dead_letters(
            move |letter: DeadLetter<'_, Number, &'static str>| {
                letters.lock().expect("nobody panics with it").push((letter.name, letter.fault));
            },
        )
    };
    let (drained, made) = consume(consumer, source, ready(())).await;
    assert_eq!((drained.handled, drained.failed, drained.panicked, drained.lost()), (80, 20, 10, 0));
    assert_eq!((fates.of(ACKNOWLEDGED), fates.of(REJECTED), fates.of(RETURNED)), (80, 20, 0));
    assert_eq!(made, 4 + 10);
    let letters = letters.lock().expect("nobody panics with it");
    assert_eq!(letters.len(), 20);
    assert!(letters.contains(&("number 7".to_owned(), Fault::Handler("refused"))));
    assert!(letters.contains(&("number 98".to_owned(), Fault::Panicked("half-way".to_owned()))));
}

#[tokio::test(start_paused = true)]
async fn the_queue_never_exceeds_its_size_and_nothing_more_is_read() {
    let (source, fates) = numbers(30);
    let consumer = NumberConsumer::new(count(2)).queue(count(5));
    let gauges = consumer.gauges();
    let watched = fates.clone();
    let (drained, _) = consume(consumer, source, async move {
        // The workers connect: nobody has taken anything from the queue.
        assert_eq!((gauges.read().waiting, gauges.read().working), (5, 0));
        sleep(ms(5)).await;
        let moment = gauges.read();
        assert_eq!((moment.waiting, moment.working, moment.tasks), (5, 2, 2));
        assert_eq!((moment.received, watched.of(READ)), (7, 7));
        sleep(ms(10)).await;
        assert_eq!((gauges.read().waiting, gauges.read().received), (5, 9));
    })
    .await;
    assert_eq!((drained.received, drained.lost()), (30, 0));
}

#[tokio::test(start_paused = true)]
async fn at_the_stop_what_is_queued_goes_back_and_what_is_worked_on_may_finish() {
    let (source, fates) = numbers(30);
    let stop = CancellationToken::new();
    let consumer = NumberConsumer::new(count(2)).queue(count(5)).stop(stop.clone(), ms(100));
    let gauges = consumer.gauges();
    let start = Instant::now();
    let (drained, _) = consume(consumer, source, async move {
        sleep(ms(5)).await;
        stop.cancel();
        sleep(ms(1)).await;
        let moment = gauges.read();
        assert_eq!((moment.waiting, moment.working, moment.returned), (0, 2, 5));
    })
    .await;
    let expected = Drained {
        ended: Ended::Drained,
        received: 7,
        handled: 2,
        failed: 0,
        panicked: 0,
        returned: 5,
        cancelled: 0,
        drained: 2,
    };
    assert_eq!((drained, start.elapsed()), (expected, ms(11)));
    assert_eq!((fates.of(READ), fates.of(RETURNED)), (7, 5));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_never_gets_its_connection_takes_nothing_and_stops_when_told() {
    let (source, fates) = numbers(30);
    let stop = CancellationToken::new();
    let consumer = NumberConsumer::new(count(2)).queue(count(5)).stop(stop.clone(), ms(100));
    let start = Instant::now();
    let connect = |_| pending::<Connection>();
    let (drained, ()) = tokio::join!(consumer.consume_with(source, connect), async {
        sleep(ms(50)).await;
        stop.cancel();
    });
    assert_eq!((drained.ended, drained.received, drained.returned), (Ended::Drained, 5, 5));
    assert_eq!((start.elapsed(), fates.of(RETURNED)), (ms(50), 5));
}

#[tokio::test(start_paused = true)]
async fn one_worker_without_a_connection_leaves_the_messages_to_the_others() {
    let (source, _) = numbers(6);
    let stop = CancellationToken::new();
    let consumer = NumberConsumer::new(count(2)).stop(stop.clone(), ms(100));
    let gauges = consumer.gauges();
    let connect = |number| async move {
        if number == 0 {
            pending::<()>().await;
        }
        Connection { sent: 0 }
    };
    let (drained, ()) = tokio::join!(consumer.consume_with(source, connect), async {
        sleep(ms(61)).await;
        assert_eq!((gauges.read().handled, gauges.read().tasks), (6, 1));
        stop.cancel();
    });
    assert_eq!((drained.ended, drained.handled), (Ended::Drained, 6));
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_making_a_connection_goes_on_in_the_caller_and_everything_goes_back() {
    let (source, fates) = numbers(30);
    let consumer = NumberConsumer::new(count(2)).queue(count(5));
    let gauges = consumer.gauges();
    let connect = |number| async move {
        sleep(ms(5)).await;
        if number == 1 {
            resume_unwind(Box::new("no route"));
        }
        Connection { sent: 0 }
    };
    let consume = std::panic::AssertUnwindSafe(consumer.consume_with(source, connect));
    let panic = consume.catch_unwind().await.expect_err("it panicked");
    assert_eq!(panic.downcast_ref(), Some(&"no route"));
    // A turn for the other worker to end in.
    sleep(ms(1)).await;
    let moment = gauges.read();
    assert_eq!((moment.tasks, moment.working, moment.waiting), (0, 0, 0));
    assert_eq!((fates.of(RETURNED), fates.of(READ)), (moment.received, moment.received));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_consumer_ends_its_workers_and_returns_what_it_had() {
    let (source, fates) = numbers(30);
    let consumer = NumberConsumer::new(count(2)).queue(count(5));
    let gauges = consumer.gauges();
    let _ = tokio::time::timeout(ms(5), consume(consumer, source, pending())).await;
    sleep(ms(1)).await;
    let moment = gauges.read();
    assert_eq!((moment.tasks, moment.received, moment.returned, moment.cancelled), (0, 7, 7, 2));
    assert_eq!(fates.of(RETURNED), 7);
}
