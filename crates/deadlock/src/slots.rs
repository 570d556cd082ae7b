use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Holder, Report};

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
}

impl<N: Clone> Slots<N> {
    /// A pool of so many slots.
    #[must_use]
    pub fn new(slots: NonZeroUsize) -> Self {
        let ledger = Ledger { next: 0, waiting: BTreeMap::new(), holding: BTreeMap::new() };
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
    /// Says for the reports whom the holder waits for while it keeps the slot.
    pub fn waits_for(&mut self, others: &[N]) {
        if let Some((_, waits_for)) = self.pool.ledger().holding.get_mut(&self.ticket) {
            *waits_for = others.to_vec();
        }
    }
}

impl<N> Drop for Slot<N> {
    fn drop(&mut self) {
        // Before the permit goes, which happens after this: nobody can be holding more slots than there are.
        self.pool.ledger().holding.remove(&self.ticket);
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
