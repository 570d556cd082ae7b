use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{HeldWaiting, Holder, Report};

/// A pool of slots, first come, first served, that remembers who holds one and who waits. `N` names them: a node, a
/// request, a string.
///
/// Clones share the pool.
#[derive(Debug)]
pub struct Slots<N> {
    pool: Arc<Pool<N>>,
}

#[derive(Debug)]
struct Pool<N> {
    slots: NonZeroUsize,
    semaphore: Arc<Semaphore>,
    ledger: Mutex<Ledger<N>>,
}

#[derive(Debug)]
struct Ledger<N> {
    next: u64,
    // Keyed by when each asked: the reports' order.
    waiting: BTreeMap<u64, N>,
    holding: BTreeMap<u64, (N, Vec<N>)>,
    // Of those who hold, how many wait for somebody, and the most there were.
    held_waiting: usize,
    held_waiting_peak: usize,
    // The first who did, and one for whom.
    first: Option<(N, N)>,
}

impl<N: Clone> Slots<N> {
    /// A pool of so many slots.
    #[must_use]
    pub fn new(slots: NonZeroUsize) -> Self {
        let ledger = Ledger {
            next: 0,
            waiting: BTreeMap::new(),
            holding: BTreeMap::new(),
            held_waiting: 0,
            held_waiting_peak: 0,
            first: None,
        };
        let semaphore = Arc::new(Semaphore::new(slots.get()));
        Self { pool: Arc::new(Pool { slots, semaphore, ledger: Mutex::new(ledger) }) }
    }

    /// Waits for a slot. Dropped meanwhile, it no longer waits.
    pub async fn acquire(&self, who: N) -> Slot<N> {
        let waiting = Waiting::new(&self.pool, who);
        let permit =
            Arc::clone(&self.pool.semaphore).acquire_owned().await.expect("the semaphore is never closed");
        let ticket = waiting.hold();
        Slot { pool: Arc::clone(&self.pool), ticket, _permit: permit }
    }

    /// Who holds and who waits at this moment, by the names that `name` gives.
    pub fn report(&self, name: impl Fn(&N) -> String) -> Report {
        let ledger = self.pool.ledger();
        Report {
            slots: self.pool.slots.get(),
            holders: ledger
                .holding
                .values()
                .map(|(who, waits_for)| Holder {
                    name: name(who),
                    waits_for: waits_for.iter().map(&name).collect(),
                })
                .collect(),
            waiters: ledger.waiting.values().map(&name).collect(),
        }
    }

    /// How many slots were held at once by holders that waited for others who need a slot too, up to now. Nobody has to
    /// be stuck for that: the pool deadlocks on the day on which it is as many as there are slots. `None` where nobody
    /// has asked for a slot yet.
    pub fn held_waiting(&self, name: impl Fn(&N) -> String) -> Option<HeldWaiting> {
        let ledger = self.pool.ledger();
        (ledger.next > 0).then(|| HeldWaiting {
            peak: ledger.held_waiting_peak,
            slots: self.pool.slots.get(),
            first: ledger.first.as_ref().map(|(holder, other)| (name(holder), name(other))),
        })
    }
}

impl<N> Clone for Slots<N> {
    fn clone(&self) -> Self {
        Self { pool: Arc::clone(&self.pool) }
    }
}

impl<N> Pool<N> {
    /// A panic elsewhere does not make the ledger wrong: each change to it is one call.
    fn ledger(&self) -> MutexGuard<'_, Ledger<N>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One in the queue; leaves it when dropped.
struct Waiting<'a, N> {
    pool: &'a Pool<N>,
    ticket: u64,
}

impl<'a, N> Waiting<'a, N> {
    fn new(pool: &'a Pool<N>, who: N) -> Self {
        let mut ledger = pool.ledger();
        let ticket = ledger.next;
        ledger.next += 1;
        ledger.waiting.insert(ticket, who);
        Self { pool, ticket }
    }

    /// From waiting to holding.
    fn hold(self) -> u64 {
        let mut ledger = self.pool.ledger();
        if let Some(who) = ledger.waiting.remove(&self.ticket) {
            ledger.holding.insert(self.ticket, (who, Vec::new()));
        }
        self.ticket
    }
}

impl<N> Drop for Waiting<'_, N> {
    fn drop(&mut self) {
        self.pool.ledger().waiting.remove(&self.ticket);
    }
}

/// A slot that is held; dropped, it goes to whoever has waited longest.
#[derive(Debug)]
pub struct Slot<N> {
    pool: Arc<Pool<N>>,
    ticket: u64,
    _permit: OwnedSemaphorePermit,
}

impl<N: Clone> Slot<N> {
    /// Says for the reports whom the holder waits for while it keeps the slot: those of them who need a slot of this
    /// pool. None of them: it no longer waits.
    pub fn waits_for(&mut self, others: &[N]) {
        let mut ledger = self.pool.ledger();
        let Ledger { holding, held_waiting, held_waiting_peak, first, .. } = &mut *ledger;
        let Some((who, waits_for)) = holding.get_mut(&self.ticket) else { return };
        *held_waiting -= usize::from(!waits_for.is_empty());
        *held_waiting += usize::from(!others.is_empty());
        *held_waiting_peak = (*held_waiting_peak).max(*held_waiting);
        *waits_for = others.to_vec();
        if let (None, Some(other)) = (&first, others.first()) {
            *first = Some((who.clone(), other.clone()));
        }
    }
}

impl<N> Drop for Slot<N> {
    fn drop(&mut self) {
        // Before the permit goes, which happens after this: nobody can be holding more slots than there are.
        let mut ledger = self.pool.ledger();
        let held = ledger.holding.remove(&self.ticket);
        ledger.held_waiting -= usize::from(held.is_some_and(|(_, waits_for)| !waits_for.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn pool(slots: usize) -> Slots<&'static str> {
        Slots::new(NonZeroUsize::new(slots).expect("not 0"))
    }

    fn names(slots: &Slots<&'static str>) -> (Vec<String>, Vec<String>) {
        let report = slots.report(ToString::to_string);
        (report.holders.into_iter().map(|holder| holder.name).collect(), report.waiters)
    }

    #[test]
    fn holders_and_waiters_are_known_and_forgotten() {
        let slots = pool(1);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(first) = pin!(slots.acquire("first")).poll(&mut context) else {
            panic!("a slot is free")
        };
        {
            let mut second = pin!(slots.acquire("second"));
            assert!(second.as_mut().poll(&mut context).is_pending());
            assert_eq!(names(&slots), (vec!["first".into()], vec!["second".into()]));
        }
        assert_eq!(names(&slots), (vec!["first".into()], vec![]));
        drop(first);
        assert_eq!(names(&slots), (vec![], vec![]));
    }

    #[test]
    fn slots_held_by_those_who_wait_are_counted_stuck_or_not() {
        let slots = pool(3);
        assert_eq!(slots.held_waiting(ToString::to_string), None);
        let mut context = Context::from_waker(Waker::noop());
        let mut slot = |who| match pin!(slots.acquire(who)).poll(&mut context) {
            Poll::Ready(slot) => slot,
            Poll::Pending => panic!("a slot is free"),
        };
        let (mut first, mut second) = (slot("first"), slot("second"));
        let seen =
            |slots: &Slots<&'static str>| slots.held_waiting(ToString::to_string).map(|held| held.peak);
        assert_eq!(seen(&slots), Some(0));
        first.waits_for(&["third", "fourth"]);
        second.waits_for(&["fourth"]);
        second.waits_for(&[]);
        drop(first);
        second.waits_for(&["third"]);
        let held = slots.held_waiting(ToString::to_string).expect("slots were asked for");
        assert_eq!(
            (held.peak, held.slots, held.first.clone()),
            (2, 3, Some(("first".into(), "third".into())))
        );
        assert_eq!(
            held.to_string(),
            "at most 2 of 3 slots were held by holders that waited for others who need one, first by first for third: \
             a deadlock once it is all of them"
        );
        drop(second);
        assert_eq!(slots.pool.ledger().held_waiting, 0);
    }

    #[test]
    fn a_slot_goes_to_who_waited_longest() {
        let slots = pool(1);
        let mut context = Context::from_waker(Waker::noop());
        let Poll::Ready(first) = pin!(slots.acquire("first")).poll(&mut context) else {
            panic!("a slot is free")
        };
        let mut second = pin!(slots.acquire("second"));
        let mut third = pin!(slots.acquire("third"));
        assert!(second.as_mut().poll(&mut context).is_pending());
        assert!(third.as_mut().poll(&mut context).is_pending());
        drop(first);
        assert!(third.as_mut().poll(&mut context).is_pending());
        assert!(second.as_mut().poll(&mut context).is_ready());
    }
}
