use std::convert::Infallible;
use std::future::pending;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

use crate::downstream::{Downstream, DownstreamSpec, Full};
use crate::faults::{Answer, Faults, Item};
use crate::latency::Latency;
use crate::timer::Timer;

/// What answers the calls: a place in the downstream first, then the latency, then the answer.
#[derive(Debug)]
pub struct Service {
    timer: Timer,
    seed: u64,
    latency: Latency,
    faults: Faults,
    downstream: Option<Downstream>,
    hanging: AtomicU64,
}

/// Why a simulated call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CallError {
    /// A fault rule said so.
    #[error("the call failed")]
    Injected,
    /// The downstream was full.
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
        Self { timer, seed, latency, faults, downstream, hanging: AtomicU64::new(0) }
    }

    /// One call. Its future weighs at least `WEIGHT` bytes: what a real client's buffers and state machines would.
    /// Dropped, it gives back its place in the downstream, or in the queue before it.
    ///
    /// # Errors
    ///
    /// A fault rule says so, or the downstream is full.
    pub async fn call<const WEIGHT: usize>(&self, item: Item) -> Result<(), CallError> {
        let weight = [0u8; WEIGHT];
        black_box(&weight);
        let _place = match &self.downstream {
            Some(downstream) => Some(downstream.enter().await?),
            None => None,
        };
        let verdict = self.faults.verdict(self.seed, item);
        if verdict == Some(Answer::Never) {
            let _hanging = Hanging::new(&self.hanging);
            match pending::<Infallible>().await {}
        }
        self.timer.sleep(self.latency.of(self.seed, item.index, 0)).await;
        // Used after the wait, so that it has to be kept in the future meanwhile.
        black_box(&weight);
        if verdict.is_some() { Err(CallError::Injected) } else { Ok(()) }
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

    #[tokio::test(start_paused = true)]
    async fn a_failure_takes_its_time() {
        let service = service(every_second(Answer::Error), None);
        let start = Instant::now();
        assert_eq!(service.call::<0>(item(0)).await, Err(CallError::Injected));
        assert_eq!(service.call::<0>(item(1)).await, Ok(()));
        assert_eq!(start.elapsed(), 2 * TEN);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_never_answers_is_counted_until_it_is_dropped() {
        let service = service(every_second(Answer::Never), None);
        let call = tokio::time::timeout(Duration::from_secs(60), service.call::<0>(item(0)));
        let (ended, hanging) = tokio::join!(call, async { service.hanging() });
        assert!(ended.is_err());
        assert_eq!((hanging, service.hanging()), (1, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_is_kept_for_as_long_as_the_call_takes() {
        let capacity = NonZeroUsize::MIN;
        let queue = service(Faults::default(), Some(DownstreamSpec { capacity, when_full: WhenFull::Queue }));
        let start = Instant::now();
        let ended = tokio::join!(queue.call::<0>(item(0)), queue.call::<0>(item(1)));
        assert_eq!((ended, start.elapsed()), ((Ok(()), Ok(())), 2 * TEN));
        let reject =
            service(Faults::default(), Some(DownstreamSpec { capacity, when_full: WhenFull::Reject }));
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
