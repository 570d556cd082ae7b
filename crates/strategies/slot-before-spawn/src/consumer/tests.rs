use std::collections::VecDeque;
use std::future::pending;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fanout_workload::drain::{DeadLetter, Drained, Ended, Fault};
use fanout_workload::{Delivery, Handler, Source};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Consumer;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// What a source still has, and what became of what it had.
#[derive(Default)]
struct Stock {
    left: VecDeque<&'static str>,
    acknowledged: Vec<&'static str>,
    rejected: Vec<&'static str>,
    returned: Vec<&'static str>,
    closed: bool,
}

#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Stock>>);

impl Shelf {
    fn of(words: &[&'static str]) -> Self {
        let shelf = Self::default();
        shelf.with(|stock| stock.left.extend(words));
        shelf
    }

    fn with<T>(&self, with: impl FnOnce(&mut Stock) -> T) -> T {
        with(&mut self.0.lock().expect("nobody panics with it"))
    }

    fn source(&self) -> Words {
        Words(self.clone())
    }
}

/// A source of words, all there at the start.
struct Words(Shelf);

impl Source for Words {
    type Delivery = Word;

    async fn next(&mut self) -> Option<Word> {
        let text = self.0.with(|stock| stock.left.pop_front())?;
        Some(Word { text, shelf: Some(self.0.clone()) })
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.0.with(|stock| stock.closed = true);
    }
}

struct Word {
    text: &'static str,
    shelf: Option<Shelf>,
}

impl Delivery for Word {
    fn acknowledge(mut self) {
        let shelf = self.shelf.take().expect("it ends once");
        shelf.with(|stock| stock.acknowledged.push(self.text));
    }

    fn reject(mut self) {
        let shelf = self.shelf.take().expect("it ends once");
        shelf.with(|stock| stock.rejected.push(self.text));
    }
}

impl Drop for Word {
    fn drop(&mut self) {
        if let Some(shelf) = self.shelf.take() {
            shelf.with(|stock| stock.returned.push(self.text));
        }
    }
}

/// Does as the word says, after 10 ms.
struct Obey;

impl Handler<Word> for Obey {
    type Error = &'static str;

    async fn handle(&self, word: &Word) -> Result<(), &'static str> {
        sleep(ms(10)).await;
        match word.text {
            "fail" => Err("as told"),
            "panic" => resume_unwind(Box::new("as told")),
            "hang" => pending().await,
            _ => Ok(()),
        }
    }
}

type WordConsumer = Consumer<Word, &'static str>;
type Letter<'a> = DeadLetter<'a, Word, &'static str>;

fn consumer(limit: usize) -> WordConsumer {
    Consumer::new(NonZeroUsize::new(limit).expect("not 0")).name(|word: &Word| word.text.to_owned())
}

/// Consumes while `meanwhile` happens.
async fn consume(consumer: WordConsumer, shelf: &Shelf, meanwhile: impl Future<Output = ()>) -> Drained {
    tokio::join!(consumer.consume(shelf.source(), Arc::new(Obey)), meanwhile).0
}

#[tokio::test(start_paused = true)]
async fn nothing_that_a_message_does_costs_a_slot() {
    let shelf = Shelf::of(&["fail", "panic", "hang", "unwanted", "good"]);
    let letters = Arc::new(Mutex::new(Vec::new()));
    let consumer = {
        let letters = Arc::clone(&letters);
        consumer(1).dead_letters(move |letter: Letter<'_>| {
            letters.lock().expect("nobody panics with it").push((letter.name, letter.fault));
        })
    };
    let in_flight = consumer.in_flight();
    let drained = consume(consumer, &shelf, async move {
        sleep(ms(40)).await;
        assert_eq!(in_flight.names(), ["hang"]);
        assert_eq!(in_flight.cancel("hang"), 1);
        sleep(ms(5)).await;
        assert_eq!(in_flight.set_aside("unwanted"), 1);
    })
    .await;
    let expected = Drained {
        ended: Ended::Complete,
        received: 5,
        handled: 1,
        failed: 3,
        panicked: 1,
        returned: 1,
        cancelled: 1,
        drained: 0,
    };
    assert_eq!(drained, expected);
    shelf.with(|stock| {
        assert_eq!(stock.acknowledged, ["good"]);
        assert_eq!(stock.rejected, ["fail", "panic", "unwanted"]);
        assert_eq!(stock.returned, ["hang"]);
    });
    let as_told = "as told".to_owned();
    let expected = [
        ("fail".to_owned(), Fault::Handler("as told")),
        ("panic".to_owned(), Fault::Panicked(as_told)),
        ("unwanted".to_owned(), Fault::SetAside),
    ];
    assert_eq!(*letters.lock().expect("nobody panics with it"), expected);
}

#[tokio::test(start_paused = true)]
async fn a_message_is_cancelled_alone() {
    let shelf = Shelf::of(&["hang", "one", "hang", "two", "hang"]);
    let consumer = consumer(4);
    let (in_flight, gauges) = (consumer.in_flight(), consumer.gauges());
    let drained = consume(consumer, &shelf, async move {
        sleep(ms(5)).await;
        assert_eq!(in_flight.names(), ["hang", "hang", "one", "two"]);
        assert_eq!(in_flight.cancel("three"), 0);
        assert_eq!(in_flight.cancel("hang"), 2);
        sleep(ms(1)).await;
        // The others go on, and a slot that came free is another's.
        assert_eq!(in_flight.names(), ["hang", "one", "two"]);
        sleep(ms(10)).await;
        assert_eq!(in_flight.names(), ["hang"]);
        assert_eq!((gauges.read().working, gauges.read().tasks), (1, 1));
        in_flight.cancel("hang");
        sleep(ms(1)).await;
        assert!(in_flight.names().is_empty());
    })
    .await;
    assert_eq!((drained.handled, drained.returned, drained.lost()), (2, 3, 0));
    shelf.with(|stock| assert_eq!(stock.returned, ["hang"; 3]));
}

#[tokio::test(start_paused = true)]
async fn while_all_slots_are_busy_nothing_is_read() {
    let shelf = Shelf::of(&["good"; 10]);
    let consumer = consumer(3);
    let gauges = consumer.gauges();
    let watched = shelf.clone();
    let drained = consume(consumer, &shelf, async move {
        for round in 1..=3 {
            sleep(ms(if round == 1 { 5 } else { 10 })).await;
            let moment = gauges.read();
            assert_eq!((moment.working, moment.waiting, moment.tasks), (3, 0, 3));
            assert_eq!(watched.with(|stock| stock.left.len()), 10 - 3 * round);
        }
    })
    .await;
    assert_eq!(drained.handled, 10);
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_was_stopped_before_it_started_reads_nothing() {
    let shelf = Shelf::of(&["good"]);
    let stop = CancellationToken::new();
    stop.cancel();
    let start = Instant::now();
    let drained = consume(consumer(3).stop(stop, ms(100)), &shelf, async {}).await;
    assert_eq!((drained.ended, drained.received, start.elapsed()), (Ended::Drained, 0, ms(0)));
    shelf.with(|stock| assert_eq!(stock.left.len(), 1));
}

#[tokio::test(start_paused = true)]
async fn what_is_worked_on_at_the_stop_may_finish_and_what_is_not_goes_back() {
    let shelf = Shelf::of(&["good", "hang", "fail", "good", "good"]);
    let stop = CancellationToken::new();
    let consumer = consumer(3).stop(stop.clone(), ms(100));
    let start = Instant::now();
    let drained = consume(consumer, &shelf, async move {
        sleep(ms(8)).await;
        stop.cancel();
    })
    .await;
    let expected = Drained {
        ended: Ended::Deadline,
        received: 3,
        handled: 1,
        failed: 1,
        panicked: 0,
        returned: 1,
        cancelled: 1,
        drained: 2,
    };
    assert_eq!((drained, start.elapsed()), (expected, ms(108)));
    shelf.with(|stock| assert_eq!((stock.left.len(), &stock.returned[..]), (2, &["hang"][..])));
}

#[tokio::test(start_paused = true)]
async fn without_a_drain_everything_goes_back_at_once() {
    let shelf = Shelf::of(&["good", "good"]);
    let stop = CancellationToken::new();
    let start = Instant::now();
    let drained = consume(consumer(2).stop(stop.clone(), ms(0)), &shelf, async move {
        sleep(ms(3)).await;
        stop.cancel();
    })
    .await;
    assert_eq!((drained.ended, drained.cancelled, start.elapsed()), (Ended::Deadline, 2, ms(3)));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_was_read_in_the_moment_of_the_stop_is_not_begun() {
    /// Stops its consumer with the last of its words.
    struct Last(Words, CancellationToken);
    impl Source for Last {
        type Delivery = Word;
        async fn next(&mut self) -> Option<Word> {
            self.1.cancel();
            self.0.next().await
        }
    }
    let shelf = Shelf::of(&["good"]);
    let stop = CancellationToken::new();
    let source = Last(shelf.source(), stop.clone());
    let drained = consumer(1).stop(stop, ms(100)).consume(source, Arc::new(Obey)).await;
    assert_eq!((drained.received, drained.returned, drained.cancelled), (1, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_source_is_open_until_the_last_message_is_settled() {
    /// Asks whether the source is open.
    struct Ask(Shelf);
    impl Handler<Word> for Ask {
        type Error = &'static str;
        async fn handle(&self, _: &Word) -> Result<(), &'static str> {
            sleep(ms(10)).await;
            if self.0.with(|stock| stock.closed) { Err("closed") } else { Ok(()) }
        }
    }
    let shelf = Shelf::of(&["good"]);
    let stop = CancellationToken::new();
    let consume =
        consumer(1).stop(stop.clone(), ms(100)).consume(shelf.source(), Arc::new(Ask(shelf.clone())));
    let (drained, ()) = tokio::join!(consume, async {
        sleep(ms(5)).await;
        stop.cancel();
    });
    assert_eq!((drained.ended, drained.drained, drained.handled), (Ended::Drained, 1, 1));
    assert!(shelf.with(|stock| stock.closed));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_consumer_ends_its_tasks_and_returns_what_it_had() {
    let shelf = Shelf::of(&["good", "hang", "good"]);
    let consumer = consumer(2);
    let gauges = consumer.gauges();
    let _ = tokio::time::timeout(ms(5), consume(consumer, &shelf, pending())).await;
    // A turn for the tasks to end in.
    sleep(ms(1)).await;
    let moment = gauges.read();
    assert_eq!((moment.tasks, moment.working, moment.received, moment.returned), (0, 0, 2, 2));
    shelf.with(|stock| assert_eq!((stock.returned.len(), stock.left.len()), (2, 1)));
}
