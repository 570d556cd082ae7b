//! A tree, a source and a handler just large enough for this crate's tests, on tokio's paused clock.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fanout_workload::{Delivery, Handler, Source, Tree};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep};

pub(crate) const LATENCY: Duration = Duration::from_millis(10);

pub(crate) fn limit(limit: usize) -> NonZeroUsize {
    NonZeroUsize::new(limit).expect("not 0")
}

pub(crate) fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Live tasks of the runtime, the test itself not among them.
pub(crate) fn alive() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

/// Level and place in it.
pub(crate) type Node = (u32, u32);

/// A full tree whose calls take [`LATENCY`], and what was asked of it.
pub(crate) struct Full {
    branching: u32,
    depth: u32,
    /// Whether a call fails, by the node's level and place, and the call's own number from 1.
    fails: fn(u32, u32, usize) -> bool,
    start: Instant,
    calls: AtomicUsize,
    seen: Mutex<Seen>,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seen {
    /// Nodes that were revealed, the root included.
    pub(crate) known: usize,
    pub(crate) calls: usize,
    pub(crate) answered: usize,
    pub(crate) failed: usize,
    /// When a call last ended, since the start, and how many tasks were alive then.
    pub(crate) last_end: Duration,
    pub(crate) alive_at_last_end: usize,
    /// The longest time from a call's start to its end.
    pub(crate) longest_call: Duration,
}

impl Seen {
    /// Nodes that were revealed and never called.
    pub(crate) fn waiting(&self) -> usize {
        self.known - self.calls
    }
}

impl Full {
    pub(crate) fn new(branching: u32, depth: u32, fails: fn(u32, u32, usize) -> bool) -> Self {
        Self {
            branching,
            depth,
            fails,
            start: Instant::now(),
            calls: AtomicUsize::new(0),
            seen: Mutex::default(),
        }
    }

    pub(crate) fn roots(&self) -> Vec<Node> {
        self.note(|seen| seen.known += 1);
        vec![(0, 0)]
    }

    pub(crate) fn seen(&self) -> Seen {
        Seen { calls: self.calls.load(Ordering::Relaxed), ..self.note(|seen| *seen) }
    }

    fn note<R>(&self, note: impl FnOnce(&mut Seen) -> R) -> R {
        note(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refused;

impl Tree for Full {
    type Node = Node;
    type Error = Refused;

    async fn children(&self, &(level, place): &Node) -> Result<Vec<Node>, Refused> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let start = Instant::now();
        sleep(LATENCY).await;
        let fails = (self.fails)(level, place, call);
        let branching = if level < self.depth && !fails { self.branching } else { 0 };
        self.note(|seen| {
            seen.last_end = self.start.elapsed();
            seen.alive_at_last_end = alive();
            seen.longest_call = seen.longest_call.max(start.elapsed());
            seen.known += branching as usize;
            *if fails { &mut seen.failed } else { &mut seen.answered } += 1;
        });
        if fails {
            return Err(Refused);
        }
        Ok((0..branching).map(|child| (level + 1, place * self.branching + child)).collect())
    }
}

/// A source of numbers from 1, all there at once. Clones share what became of them.
#[derive(Clone)]
pub(crate) struct Messages {
    count: usize,
    ends: Arc<Ends>,
}

#[derive(Default)]
struct Ends {
    taken: AtomicUsize,
    acknowledged: AtomicUsize,
    rejected: AtomicUsize,
    returned: AtomicUsize,
}

impl Messages {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, ends: Arc::default() }
    }

    pub(crate) fn taken(&self) -> usize {
        self.ends.taken.load(Ordering::Relaxed)
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.ends.acknowledged.load(Ordering::Relaxed)
    }

    pub(crate) fn rejected(&self) -> usize {
        self.ends.rejected.load(Ordering::Relaxed)
    }

    pub(crate) fn returned(&self) -> usize {
        self.ends.returned.load(Ordering::Relaxed)
    }
}

impl Source for Messages {
    type Delivery = Number;

    async fn next(&mut self) -> Option<Number> {
        if self.taken() == self.count {
            return None;
        }
        let number = self.ends.taken.fetch_add(1, Ordering::Relaxed) + 1;
        Some(Number { number, ends: Some(Arc::clone(&self.ends)) })
    }
}

pub(crate) struct Number {
    number: usize,
    /// Where its end is counted; none once it was.
    ends: Option<Arc<Ends>>,
}

impl Delivery for Number {
    fn acknowledge(mut self) {
        if let Some(ends) = self.ends.take() {
            ends.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn reject(mut self) {
        if let Some(ends) = self.ends.take() {
            ends.rejected.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        if let Some(ends) = self.ends.take() {
            ends.returned.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A handler, and what was asked of it.
pub(crate) struct Work {
    latency: Duration,
    fails: fn(usize) -> bool,
    start: Instant,
    last_end: Mutex<Duration>,
    in_flight: AtomicUsize,
    in_flight_peak: AtomicUsize,
}

impl Work {
    /// Messages take [`LATENCY`], and those of these numbers fail.
    pub(crate) fn failing(fails: fn(usize) -> bool) -> Arc<Self> {
        Self::new(LATENCY, fails)
    }

    /// Messages take so long, and none fails.
    pub(crate) fn taking(latency: Duration) -> Arc<Self> {
        Self::new(latency, |_| false)
    }

    fn new(latency: Duration, fails: fn(usize) -> bool) -> Arc<Self> {
        Arc::new(Self {
            latency,
            fails,
            start: Instant::now(),
            last_end: Mutex::default(),
            in_flight: AtomicUsize::new(0),
            in_flight_peak: AtomicUsize::new(0),
        })
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    pub(crate) fn in_flight_peak(&self) -> usize {
        self.in_flight_peak.load(Ordering::Relaxed)
    }

    /// When a message was last done, since the start.
    pub(crate) fn elapsed(&self) -> Duration {
        *self.last_end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Handler<Number> for Work {
    type Error = Refused;

    async fn handle(&self, message: &Number) -> Result<(), Refused> {
        let in_flight = InFlight::enter(&self.in_flight);
        self.in_flight_peak.fetch_max(self.in_flight(), Ordering::Relaxed);
        sleep(self.latency).await;
        let fails = (self.fails)(message.number);
        drop(in_flight);
        *self.last_end.lock().unwrap_or_else(PoisonError::into_inner) = self.start.elapsed();
        if fails { Err(Refused) } else { Ok(()) }
    }
}

/// One call, until it ends or is dropped.
struct InFlight<'a>(&'a AtomicUsize);

impl<'a> InFlight<'a> {
    fn enter(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
