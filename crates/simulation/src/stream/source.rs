use std::iter::Peekable;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fanout_workload::{Delivery, Source};
use tokio::time::Instant;

use super::arrivals::StreamSpec;
use crate::timer::Timer;

/// A source whose messages arrive as its [`StreamSpec`] says, and wait in it until they are read. A `next` that is
/// dropped while it waits loses none.
pub struct SimulatedSource {
    start: Instant,
    timer: Timer,
    payload_bytes: usize,
    arrivals: Peekable<Box<dyn Iterator<Item = (u64, Duration)> + Send>>,
    tally: Arc<Tally>,
}

/// What became of the messages of a source.
#[derive(Debug, Default)]
pub struct Tally {
    read: AtomicU64,
    acknowledged: AtomicU64,
    rejected: AtomicU64,
    returned: AtomicU64,
}

impl Tally {
    /// Messages read.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Messages acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Messages rejected.
    #[must_use]
    pub fn rejected(&self) -> u64 {
        self.rejected.load(Ordering::Relaxed)
    }

    /// Messages that were dropped unsettled, and so came back.
    #[must_use]
    pub fn returned(&self) -> u64 {
        self.returned.load(Ordering::Relaxed)
    }
}

impl SimulatedSource {
    /// A source whose time starts now. Inside a tokio runtime, since its clock may be paused.
    #[must_use]
    pub fn new(stream: &StreamSpec, seed: u64, timer: Timer, tally: Arc<Tally>) -> Self {
        let arrivals: Box<dyn Iterator<Item = _> + Send> = Box::new((0..).zip(stream.arrival_times(seed)));
        Self {
            start: Instant::now(),
            timer,
            payload_bytes: stream.payload_bytes(),
            arrivals: arrivals.peekable(),
            tally,
        }
    }
}

impl Source for SimulatedSource {
    type Delivery = Message;

    async fn next(&mut self) -> Option<Message> {
        let &(index, arrival) = self.arrivals.peek()?;
        let arrived = self.start + arrival;
        self.timer.sleep_until(arrived).await;
        // Only now: whoever gave up waiting for it has not lost it.
        self.arrivals.next();
        self.tally.read.fetch_add(1, Ordering::Relaxed);
        // Allocated only now: a message that waits in its source costs its consumer nothing. And written: pages of
        // zeros that nobody has touched would take addresses, but no memory.
        let payload = vec![b'x'; self.payload_bytes].into_boxed_slice();
        Some(Message { index, payload, arrived, tally: Some(Arc::clone(&self.tally)) })
    }
}

/// A message on loan from a [`SimulatedSource`].
#[derive(Debug)]
pub struct Message {
    index: u64,
    payload: Box<[u8]>,
    arrived: Instant,
    /// Where its end is counted; none once it was.
    tally: Option<Arc<Tally>>,
}

impl Message {
    /// Its number in order of arrival, from 0.
    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// What it carries.
    #[must_use]
    pub const fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// When it could be read at the earliest.
    #[must_use]
    pub const fn arrived(&self) -> Instant {
        self.arrived
    }
}

impl Delivery for Message {
    fn acknowledge(mut self) {
        if let Some(tally) = self.tally.take() {
            tally.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn reject(mut self) {
        if let Some(tally) = self.tally.take() {
            tally.rejected.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        if let Some(tally) = self.tally.take() {
            tally.returned.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;
    use crate::stream::Arrivals;

    #[tokio::test(start_paused = true)]
    async fn messages_come_when_they_are_due_and_late_ones_at_once() {
        let per_second = NonZeroU32::new(100).expect("not 0");
        let stream = StreamSpec::new(3, 200, Arrivals::Even { per_second });
        let mut source = SimulatedSource::new(&stream, 1, Timer::Virtual, Arc::default());
        let start = Instant::now();
        let first = source.next().await.expect("three");
        assert_eq!((first.index(), first.payload().len()), (0, 200));
        assert_eq!(start.elapsed(), Duration::from_millis(10));
        tokio::time::sleep(Duration::from_millis(50)).await;
        let second = source.next().await.expect("three");
        assert_eq!(second.arrived() - start, Duration::from_millis(20));
        assert!(source.next().await.is_some());
        assert_eq!(start.elapsed(), Duration::from_millis(60));
        assert!(source.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_gives_up_loses_nothing() {
        let per_second = NonZeroU32::new(100).expect("not 0");
        let stream = StreamSpec::new(1, 0, Arrivals::Even { per_second });
        let mut source = SimulatedSource::new(&stream, 1, Timer::Virtual, Arc::default());
        let gave_up = tokio::time::timeout(Duration::from_millis(5), source.next()).await;
        assert!(gave_up.is_err());
        assert_eq!(source.next().await.map(|message| message.index()), Some(0));
    }

    #[tokio::test(start_paused = true)]
    async fn each_message_ends_in_one_way() {
        let tally = Arc::new(Tally::default());
        let stream = StreamSpec::new(3, 0, Arrivals::AtOnce);
        let mut source = SimulatedSource::new(&stream, 1, Timer::Virtual, Arc::clone(&tally));
        source.next().await.expect("three").acknowledge();
        source.next().await.expect("three").reject();
        drop(source.next().await);
        assert_eq!((tally.read(), tally.acknowledged(), tally.rejected(), tally.returned()), (3, 1, 1, 1));
    }
}
