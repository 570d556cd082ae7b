//! Both consumers by name, on a simulated stream under a probe.

use std::num::{NonZeroU32, NonZeroUsize};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fanout_deadlock::{Report, run};
use fanout_probe::{ObservedHandler, ObservedSource, Probe, Resolution};
use fanout_simulation::{
    Arrivals, CallError, Faults, Latency, Message, Service, SimulatedHandler, SimulatedSource, StreamSpec,
    Tally, Timer,
};
use fanout_slot_before_spawn::InFlight;
use fanout_workload::drain::{DeadLetter, DeadLetterSink, Drained, Fault, Gauges, Reading};
use fanout_workload::{Handler, Worker};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

pub fn count(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).expect("not 0")
}

pub fn at_rate(messages: u32, per_second: u32) -> StreamSpec {
    let per_second = NonZeroU32::new(per_second).expect("not 0");
    StreamSpec::new(messages, 200, Arrivals::Even { per_second })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    SlotFirst,
    /// With a queue of so many messages.
    Workers(NonZeroUsize),
}

impl Kind {
    /// Messages that may wait for a worker.
    pub fn most_waiting(self, limit: NonZeroUsize) -> usize {
        match self {
            // Read in the moment before its task had its turn.
            Self::SlotFirst => limit.get(),
            Self::Workers(queue) => queue.get(),
        }
    }

    /// Messages that it may have taken and not finished.
    pub fn most_taken(self, limit: NonZeroUsize) -> u64 {
        match self {
            Self::SlotFirst => limit.get() as u64,
            Self::Workers(queue) => (limit.get() + queue.get()) as u64,
        }
    }
}

/// One run of a consumer.
#[derive(Debug, Clone)]
pub struct Case {
    pub kind: Kind,
    pub limit: NonZeroUsize,
    pub stream: StreamSpec,
    pub seed: u64,
    pub latency: Latency,
    pub faults: Faults,
    /// Every so many messages, one panics.
    pub panics: Option<u64>,
    /// When it is stopped, if at all.
    pub stop: Option<Duration>,
    pub drain: Duration,
    /// How long the sink takes over a dead letter.
    pub sink: Duration,
    /// Slot first only: how often a message is cancelled or set aside alone, in turns.
    pub interrupt: Option<Duration>,
}

/// What came of it.
pub struct Outcome {
    pub drained: Drained,
    /// Since the start.
    pub elapsed: Duration,
    pub probe: Probe,
    pub source: Arc<Tally>,
    /// Live tasks at the end.
    pub tasks: usize,
    pub gauges: Reading,
    /// Messages among the dead letters, with whether they panicked.
    pub letters: Vec<(u64, bool)>,
    /// Workers that were made.
    pub made: usize,
    /// Most that the gauges showed, read at the start of each call.
    pub most: Reading,
}

/// Panics in place of some calls' ends, and looks at the gauges at their start.
pub struct Watched {
    handler: Arc<ObservedHandler<Message, SimulatedHandler<0>>>,
    panics: Option<u64>,
    gauges: Gauges,
    most: Arc<Mutex<Reading>>,
}

impl Watched {
    fn watch(&self) {
        let now = self.gauges.read();
        let accounted = now.waiting + now.working + now.handled + now.failed + now.returned;
        assert_eq!(accounted, now.received, "{now:?}");
        let mut most = self.most.lock().expect("nobody panics with it");
        most.tasks = most.tasks.max(now.tasks);
        most.working = most.working.max(now.working);
        most.waiting = most.waiting.max(now.waiting);
    }
}

impl Handler<Message> for Watched {
    type Error = CallError;

    async fn handle(&self, message: &Message) -> Result<(), CallError> {
        self.watch();
        let handled = self.handler.handle(message).await;
        if self.panics.is_some_and(|nth| message.index() % nth == nth - 1) {
            // Without its message on standard error, thousands of times.
            resume_unwind(Box::new("as the case says"));
        }
        handled
    }
}

type Letters = Arc<Mutex<Vec<(u64, bool)>>>;

/// Keeps the dead letters, and takes its time.
struct Pile {
    letters: Letters,
    takes: Duration,
}

impl DeadLetterSink<Message, CallError> for Pile {
    async fn take(&self, letter: DeadLetter<'_, Message, CallError>) {
        Timer::Virtual.sleep(self.takes).await;
        assert_eq!(letter.name, format!("number {}", letter.delivery.index()));
        let panicked = matches!(letter.fault, Fault::Panicked(_));
        self.letters.lock().expect("nobody panics with it").push((letter.delivery.index(), panicked));
    }
}

/// Ends messages alone, for a while.
async fn interrupt(every: Duration, in_flight: InFlight) {
    for round in 0..50 {
        tokio::time::sleep(every).await;
        match (round % 2, in_flight.names().first()) {
            (_, None) => {}
            (0, Some(name)) => assert_eq!(in_flight.cancel(name), 1),
            (_, Some(name)) => assert_eq!(in_flight.set_aside(name), 1),
        }
    }
}

/// A worker with something of its own.
struct Own {
    handler: Arc<Watched>,
}

impl Worker<Message> for Own {
    type Error = CallError;

    async fn handle(&mut self, message: &Message) -> Result<(), CallError> {
        self.handler.handle(message).await
    }
}

impl Case {
    /// A case without anything that goes wrong.
    pub fn new(kind: Kind, limit: usize, stream: StreamSpec, latency: Duration) -> Self {
        Self {
            kind,
            limit: count(limit),
            stream,
            seed: 1,
            latency: Latency::constant(latency),
            faults: Faults::default(),
            panics: None,
            stop: None,
            drain: ms(0),
            sink: ms(0),
            interrupt: None,
        }
    }

    pub fn stopped(self, stop: Duration, drain: Duration) -> Self {
        Self { stop: Some(stop), drain, ..self }
    }

    pub fn run(&self) -> Outcome {
        let consume = async { self.consume(Probe::new(Resolution::Milliseconds), Arc::default()).await };
        run(consume, Report::default).expect("a consumer is never stuck")
    }

    /// Drops the consumer after so long, and says what had become of the messages and how many tasks were left, once
    /// those that were cancelled have had their turn.
    pub fn run_dropped(&self, after: Duration) -> (Arc<Tally>, u64, usize) {
        let dropped = async {
            let (probe, tally) = (Probe::new(Resolution::Milliseconds), Arc::new(Tally::default()));
            let consume = self.consume(probe.clone(), Arc::clone(&tally));
            let _ = tokio::time::timeout(after, consume).await;
            tokio::time::sleep(ms(1)).await;
            (tally, probe.counts().in_flight(), tasks())
        };
        run(dropped, Report::default).expect("time goes on")
    }

    /// Consumes the stream. Nothing but the consumer has a task.
    async fn consume(&self, probe: Probe, tally: Arc<Tally>) -> Outcome {
        let service =
            Service::new(Timer::Virtual, self.seed, self.latency.clone(), self.faults.clone(), None);
        let simulated = SimulatedHandler::new(Arc::new(service));
        let handler =
            Arc::new(ObservedHandler::new(simulated, probe.clone(), Message::arrived as fn(&_) -> _));
        let source = SimulatedSource::new(&self.stream, self.seed, Timer::Virtual, Arc::clone(&tally));
        let source = ObservedSource::new(source, probe.clone());
        let letters = Letters::default();
        let sink = Pile { letters: Arc::clone(&letters), takes: self.sink };
        let name = |message: &Message| format!("number {}", message.index());
        let stop = CancellationToken::new();
        let most = Arc::new(Mutex::new(Reading::default()));
        let watched = |gauges| {
            let most = Arc::clone(&most);
            Arc::new(Watched { handler, panics: self.panics, gauges, most })
        };
        let made = Arc::new(AtomicUsize::new(0));
        let start = Instant::now();
        let stopping = async {
            if let Some(after) = self.stop {
                tokio::time::sleep(after).await;
                stop.cancel();
            }
        };
        let (drained, gauges, elapsed) = match self.kind {
            Kind::SlotFirst => {
                let consumer = fanout_slot_before_spawn::Consumer::new(self.limit)
                    .name(name)
                    .dead_letters(sink)
                    .stop(stop.clone(), self.drain);
                let (gauges, in_flight) = (consumer.gauges(), consumer.in_flight());
                let consume = consumer.consume(source, watched(gauges.clone()));
                let meddling = async {
                    if let Some(every) = self.interrupt {
                        interrupt(every, in_flight).await;
                    }
                };
                let meanwhile = async { tokio::join!(stopping, meddling) };
                let (drained, elapsed) = until(consume, meanwhile, start).await;
                (drained, gauges, elapsed)
            }
            Kind::Workers(queue) => {
                let consumer = fanout_queue_workers::Consumer::new(self.limit)
                    .queue(queue)
                    .name(name)
                    .dead_letters(sink)
                    .stop(stop.clone(), self.drain);
                let gauges = consumer.gauges();
                let handler = watched(gauges.clone());
                let make = {
                    let made = Arc::clone(&made);
                    move |_| {
                        made.fetch_add(1, Ordering::Relaxed);
                        std::future::ready(Own { handler: Arc::clone(&handler) })
                    }
                };
                let (drained, elapsed) = until(consumer.consume_with(source, make), stopping, start).await;
                (drained, gauges, elapsed)
            }
        };
        // At once: a consumer that is done has no task that still has to end.
        let tasks = tasks();
        let most = *most.lock().expect("nobody panics with it");
        let letters = std::mem::take(&mut *letters.lock().expect("nobody panics with it"));
        let made = made.load(Ordering::Relaxed);
        Outcome { drained, elapsed, probe, source: tally, tasks, gauges: gauges.read(), letters, made, most }
    }
}

/// Live tasks of the runtime.
fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// The consumer's end, and when it was, with something else going on meanwhile.
async fn until(
    consume: impl Future<Output = Drained>,
    meanwhile: impl Future,
    start: Instant,
) -> (Drained, Duration) {
    let consume = async {
        let drained = consume.await;
        (drained, start.elapsed())
    };
    let meanwhile = async {
        meanwhile.await;
        std::future::pending::<std::convert::Infallible>().await
    };
    tokio::select! {
        biased;
        ended = consume => ended,
        never = meanwhile => match never {},
    }
}
