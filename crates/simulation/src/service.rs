use std::convert::Infallible;
use std::future::pending;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::attempts::Attempts;
use crate::downstream::{Downstream, DownstreamSpec, Full};
use crate::faults::{Answer, Faults, Item};
use crate::latency::Latency;
use crate::manner::{Manner, block_the_pool, compute};
use crate::timer::Timer;

/// What answers the calls: a place in the downstream first, then the latency, then the answer.
#[derive(Debug)]
pub struct Service {
    timer: Timer,
    seed: u64,
    latency: Latency,
    faults: Faults,
    downstream: Option<Downstream>,
    /// Where something depends on them.
    attempts: Option<Attempts>,
    manner: Manner,
    hanging: AtomicU64,
}

/// Why a simulated call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CallError {
    /// A fault rule said so.
    #[error("the call failed")]
    Injected,
    /// A fault rule said so, and that there is no point in calling anything else.
    #[error("the call failed, and so will every other")]
    Fatal,
    /// The downstream was full, or had taken as many calls within a second as it takes.
    #[error("the downstream refused the call: it was full")]
    Refused,
}

impl From<Full> for CallError {
    fn from(Full: Full) -> Self {
        Self::Refused
    }
}

impl Service {
    /// A service. All its draws are functions of `seed`.
    #[must_use]
    pub fn new(
        timer: Timer,
        seed: u64,
        latency: Latency,
        faults: Faults,
        downstream: Option<DownstreamSpec>,
    ) -> Self {
        let downstream = downstream.map(Downstream::new);
        let (manner, hanging) = (Manner::default(), AtomicU64::new(0));
        Self { timer, seed, latency, faults, downstream, attempts: None, manner, hanging }
    }

    /// Says how its calls spend their time. Without it, they wait.
    #[must_use]
    pub fn spending(mut self, manner: Manner) -> Self {
        self.manner = manner;
        self
    }

    /// Counts the calls of each of so many items, for those that are called again. Without it, each call counts as its
    /// item's first.
    #[must_use]
    pub fn counting_attempts(mut self, items: usize) -> Self {
        self.attempts = Some(Attempts::none_yet(items));
        self
    }

    /// How often an item has been called; 0 where nobody counts.
    #[must_use]
    pub fn calls_of(&self, index: u64) -> u32 {
        self.attempts.as_ref().map_or(0, |attempts| attempts.so_far(index))
    }

    /// One call. Its future weighs at least `WEIGHT` bytes: what a real client's buffers and state machines would.
    /// Dropped, it gives back its place in the downstream, or in the queue before it.
    ///
    /// # Errors
    ///
    /// A fault rule says so, or the downstream is full.
    ///
    /// # Panics
    ///
    /// When a fault rule says so.
    pub async fn call<const WEIGHT: usize>(&self, item: Item) -> Result<(), CallError> {
        let weight = [0u8; WEIGHT];
        black_box(&weight);
        let attempt = self.attempts.as_ref().map_or(0, |attempts| attempts.begin(item.index));
        let _place = match &self.downstream {
            Some(downstream) => Some(downstream.enter().await?),
            None => None,
        };
        let latency = self.latency.of(self.seed, item.index, attempt);
        // Here and not in a function of its own, whose future would be part of the weight of every call.
        match self.manner {
            Manner::Waiting => self.timer.sleep(latency).await,
            Manner::Blocking => std::thread::sleep(latency),
            Manner::BlockingPool => block_the_pool(latency).await,
            Manner::Computing => compute(latency),
        }
        let answer = match self.faults.verdict(self.seed, item, attempt) {
            None => Ok(()),
            Some(Answer::Error) => Err(CallError::Injected),
            Some(Answer::Fatal) => Err(CallError::Fatal),
            Some(Answer::Panic) => panic!("the call for item {} panicked, as a fault rule says", item.index),
            Some(Answer::Never) => {
                let _hanging = Hanging::new(&self.hanging);
                match pending::<Infallible>().await {}
            }
        };
        // Used after the waits, so that it has to be kept in the future meanwhile.
        black_box(&weight);
        answer
    }

    /// How much it can do at once, where that is limited.
    #[must_use]
    pub fn downstream(&self) -> Option<&DownstreamSpec> {
        self.downstream.as_ref().map(Downstream::spec)
    }

    /// Calls in flight that will never answer.
    #[must_use]
    pub fn hanging(&self) -> u64 {
        self.hanging.load(Ordering::Relaxed)
    }

    /// Calls refused so far.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.downstream.as_ref().map_or(0, Downstream::refused)
    }

    /// Most calls that waited for a place in the downstream at one moment.
    #[must_use]
    pub fn waiting_peak(&self) -> u64 {
        self.downstream.as_ref().map_or(0, Downstream::waiting_peak)
    }
}

/// One call that never answers, until it is dropped.
struct Hanging<'a>(&'a AtomicU64);

impl<'a> Hanging<'a> {
    fn new(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Hanging<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::num::{NonZeroU32, NonZeroUsize};
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;
    use crate::downstream::WhenFull;
    use crate::faults::{Rule, Which};

    const TEN: Duration = Duration::from_millis(10);

    fn item(index: u64) -> Item {
        Item { index, depth: None, position: index }
    }

    fn service(faults: Faults, downstream: Option<DownstreamSpec>) -> Service {
        Service::new(Timer::Virtual, 1, Latency::constant(TEN), faults, downstream)
    }

    fn every_second(answer: Answer) -> Faults {
        let which = Which::Every { nth: NonZeroU32::new(2).expect("not 0"), depth: None };
        Faults::new(vec![Rule::new(which, answer).expect("a rule")])
    }

    /// Every heap that is published holds this weight once a call. It hangs on the compiler, so there is room.
    #[test]
    fn a_call_weighs_little_more_than_its_wait() {
        let service = service(Faults::default(), None);
        let wait = size_of_val(&Timer::Virtual.sleep(TEN));
        let call = size_of_val(&service.call::<0>(item(0)));
        assert!(call <= wait + 112, "{call} bytes, of which {wait} are the wait's");
    }

    #[tokio::test(start_paused = true)]
    async fn a_failure_takes_its_time() {
        let service = service(every_second(Answer::Error), None);
        let start = Instant::now();
        assert_eq!(service.call::<0>(item(0)).await, Err(CallError::Injected));
        assert_eq!(service.call::<0>(item(1)).await, Ok(()));
        assert_eq!(start.elapsed(), 2 * TEN);
    }

    #[tokio::test(start_paused = true)]
    async fn each_attempt_is_a_call_of_its_own() {
        let first = Rule::new(Which::Share(1.0), Answer::Fatal).expect("a rule").first(NonZeroU32::MIN);
        let latency = Latency::uniform(TEN, 100 * TEN).expect("a range");
        let service =
            Service::new(Timer::Virtual, 1, latency, Faults::new(vec![first]), None).counting_attempts(2);
        let start = Instant::now();
        assert_eq!(service.call::<0>(item(1)).await, Err(CallError::Fatal));
        let took = start.elapsed();
        assert_eq!(service.call::<0>(item(1)).await, Ok(()));
        assert_ne!(start.elapsed(), 2 * took);
        assert_eq!((service.calls_of(0), service.calls_of(1)), (0, 2));
    }

    #[tokio::test(start_paused = true)]
    #[should_panic(expected = "the call for item 6 panicked, as a fault rule says")]
    async fn a_call_panics_when_it_is_told_to() {
        let _ = service(every_second(Answer::Panic), None).call::<0>(item(6)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_never_answers_is_counted_until_it_is_dropped() {
        let service = service(every_second(Answer::Never), None);
        let call = tokio::time::timeout(Duration::from_secs(60), service.call::<0>(item(0)));
        let look = async {
            tokio::time::sleep(2 * TEN).await;
            service.hanging()
        };
        let (ended, hanging) = tokio::join!(call, look);
        assert!(ended.is_err());
        assert_eq!((hanging, service.hanging()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_kept_for_as_long_as_the_call_takes() {
        let capacity = NonZeroUsize::MIN;
        let queue = service(
            Faults::default(),
            Some(DownstreamSpec { capacity, when_full: WhenFull::Queue, per_second: None }),
        );
        let start = Instant::now();
        let ended = tokio::join!(queue.call::<0>(item(0)), queue.call::<0>(item(1)));
        assert_eq!((ended, start.elapsed()), ((Ok(()), Ok(())), 2 * TEN));
        let reject = service(
            Faults::default(),
            Some(DownstreamSpec { capacity, when_full: WhenFull::Reject, per_second: None }),
        );
        let ended = tokio::join!(reject.call::<0>(item(0)), reject.call::<0>(item(1)));
        assert_eq!((ended, reject.refused()), ((Ok(()), Err(CallError::Refused)), 1));
    }

    #[test]
    fn a_call_weighs_what_it_is_told_to() {
        let service = service(Faults::default(), None);
        let light = size_of_val(&service.call::<0>(item(0)));
        let heavy = size_of_val(&service.call::<2048>(item(0)));
        assert!(light < 300, "{light}");
        assert!((2_048..2_048 + 300).contains(&heavy), "{heavy}");
    }
}
