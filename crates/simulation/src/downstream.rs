use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::coop::unconstrained;
use tokio::time::Instant;

use crate::rate::Rate;

/// What a downstream does with a call that comes while it is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// Refuses it, at once.
    Reject,
    /// Lets it wait, first come, first served.
    Queue,
}

/// A service that can do only so much at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DownstreamSpec {
    /// How many calls it serves at once.
    pub capacity: NonZeroUsize,
    /// What it does with more.
    pub when_full: WhenFull,
    /// How many calls it takes in any one second, refusing more whatever it has free; none: any number.
    pub per_second: Option<NonZeroUsize>,
}

impl DownstreamSpec {
    /// The capacity, where what is above it waits; none where it is refused.
    #[must_use]
    pub fn queueing_capacity(&self) -> Option<NonZeroUsize> {
        (self.when_full == WhenFull::Queue).then_some(self.capacity)
    }
}

/// A call was refused: the downstream was full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Full;

/// A downstream at work.
#[derive(Debug)]
pub(crate) struct Downstream {
    spec: DownstreamSpec,
    rate: Option<Rate>,
    places: Semaphore,
    /// Calls being served or waiting. Those above the capacity wait, whether or not a call that has been given a place
    /// has run since.
    present: AtomicU64,
    waiting_peak: AtomicU64,
    refused: AtomicU64,
}

impl Downstream {
    pub(crate) fn new(spec: DownstreamSpec) -> Self {
        let places = Semaphore::new(spec.capacity.get().min(Semaphore::MAX_PERMITS));
        Self {
            spec,
            rate: spec.per_second.map(Rate::new),
            places,
            present: AtomicU64::new(0),
            waiting_peak: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }

    pub(crate) const fn spec(&self) -> &DownstreamSpec {
        &self.spec
    }

    /// Calls refused so far.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Most calls that waited at one moment.
    pub(crate) fn waiting_peak(&self) -> u64 {
        self.waiting_peak.load(Ordering::Relaxed)
    }

    /// Takes a place, waiting for it where calls may wait. Dropped, it no longer waits.
    pub(crate) async fn enter(&self) -> Result<Place<'_>, Full> {
        let present = Present::new(self);
        if self.rate.as_ref().is_some_and(|rate| !rate.admit(Instant::now())) {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return Err(Full);
        }
        if let Ok(permit) = self.places.try_acquire() {
            return Ok(Place { _present: present, _permit: permit });
        }
        match self.spec.when_full {
            WhenFull::Reject => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                Err(Full)
            }
            WhenFull::Queue => {
                let waiting = present.count.saturating_sub(self.spec.capacity.get() as u64);
                self.waiting_peak.fetch_max(waiting, Ordering::Relaxed);
                // Unconstrained for the reason that the virtual timer is: see `Timer::Virtual`.
                let permit =
                    unconstrained(self.places.acquire()).await.expect("the semaphore is never closed");
                Ok(Place { _present: present, _permit: permit })
            }
        }
    }
}

/// A call's place in the downstream: dropped, it is free.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    // Goes first: a call that comes meanwhile is not counted as one too many.
    _present: Present<'a>,
    _permit: SemaphorePermit<'a>,
}

/// One call that is being served, or waits.
#[derive(Debug)]
struct Present<'a> {
    downstream: &'a Downstream,
    /// How many there were when it came, with it.
    count: u64,
}

impl<'a> Present<'a> {
    fn new(downstream: &'a Downstream) -> Self {
        Self { downstream, count: downstream.present.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Present<'_> {
    fn drop(&mut self) {
        self.downstream.present.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn downstream(capacity: usize, when_full: WhenFull) -> Downstream {
        let capacity = NonZeroUsize::new(capacity).expect("not 0");
        Downstream::new(DownstreamSpec { capacity, when_full, per_second: None })
    }

    #[test]
    fn what_is_above_the_capacity_is_refused() {
        let downstream = downstream(2, WhenFull::Reject);
        let mut context = Context::from_waker(Waker::noop());
        let mut enter = || match pin!(downstream.enter()).poll(&mut context) {
            Poll::Ready(entered) => entered,
            Poll::Pending => panic!("nobody waits here"),
        };
        let (first, second) = (enter(), enter());
        assert!(first.is_ok() && second.is_ok());
        assert!(matches!(enter(), Err(Full)));
        drop(first);
        assert!(enter().is_ok());
        assert_eq!((downstream.refused(), downstream.waiting_peak()), (1, 0));
    }

    #[test]
    fn what_is_above_the_capacity_waits_and_may_leave() {
        let downstream = downstream(1, WhenFull::Queue);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok(first)) = pin!(downstream.enter()).poll(&mut context) else {
            panic!("it is free")
        };
        let mut last = pin!(downstream.enter());
        {
            let mut dropped = pin!(downstream.enter());
            assert!(dropped.as_mut().poll(&mut context).is_pending());
            assert!(last.as_mut().poll(&mut context).is_pending());
            assert_eq!(downstream.waiting_peak(), 2);
        }
        drop(first);
        assert!(last.as_mut().poll(&mut context).is_ready());
        assert_eq!((downstream.present.load(Ordering::Relaxed), downstream.refused()), (0, 0));
    }

    #[test]
    fn a_call_that_was_given_a_place_waits_no_more() {
        let downstream = downstream(1, WhenFull::Queue);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok(first)) = pin!(downstream.enter()).poll(&mut context) else {
            panic!("it is free")
        };
        let mut next = pin!(downstream.enter());
        assert!(next.as_mut().poll(&mut context).is_pending());
        drop(first);
        // It has not run yet when another one comes.
        assert!(pin!(downstream.enter()).poll(&mut context).is_pending());
        assert_eq!(downstream.waiting_peak(), 1);
    }

    #[test]
    fn a_place_that_was_given_and_never_taken_goes_to_the_next() {
        let downstream = downstream(1, WhenFull::Queue);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok(first)) = pin!(downstream.enter()).poll(&mut context) else {
            panic!("it is free")
        };
        let mut next = Box::pin(downstream.enter());
        let mut last = pin!(downstream.enter());
        assert!(next.as_mut().poll(&mut context).is_pending());
        assert!(last.as_mut().poll(&mut context).is_pending());
        drop(first);
        // Whoever comes now does not overtake.
        assert!(pin!(downstream.enter()).poll(&mut context).is_pending());
        assert!(last.as_mut().poll(&mut context).is_pending());
        drop(next);
        assert!(last.as_mut().poll(&mut context).is_ready());
    }
}
