use std::sync::{Arc, Mutex, PoisonError};

use super::report::{Drained, Ended};

/// How a consumer stands, to be read from outside at any time: before, while and after it runs. Clones show the same
/// consumer.
#[derive(Debug, Clone, Default)]
pub struct Gauges {
    account: Arc<Mutex<Account>>,
}

/// One moment of a consumer.
///
/// `received` is always `waiting + working + handled + failed + returned`. Live tasks far above the messages worked on,
/// under load, are tasks that wait for something; messages that wait with nobody alive will wait for ever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// Tasks alive: the workers, or one a message.
    pub tasks: usize,
    /// Messages that are being worked on.
    pub working: usize,
    /// Messages taken that nobody works on yet.
    pub waiting: usize,
    /// Messages taken since the start.
    pub received: usize,
    /// Messages acknowledged.
    pub handled: usize,
    /// Messages rejected.
    pub failed: usize,
    /// How many of the failed panicked.
    pub panicked: usize,
    /// Messages that went back to their source.
    pub returned: usize,
    /// How many of the returned had been begun.
    pub cancelled: usize,
}

#[derive(Debug, Default)]
struct Account {
    reading: Reading,
    // Handled and failed when the reading stopped.
    settled_at_stop: Option<usize>,
}

impl Gauges {
    /// Reads all of them, as they were at one moment.
    #[must_use]
    pub fn read(&self) -> Reading {
        self.change(|account| account.reading)
    }

    /// Counts a task as alive until what is given back is dropped.
    #[must_use]
    pub fn alive(&self) -> Alive {
        self.update(|reading| reading.tasks += 1);
        Alive(self.clone())
    }

    /// Notes that the consumer was told to stop: what is settled from here on was drained.
    pub fn stop(&self) {
        self.change(|account| {
            let Reading { handled, failed, .. } = account.reading;
            account.settled_at_stop.get_or_insert(handled + failed);
        });
    }

    /// The account of a consumer that is done.
    #[must_use]
    pub fn report(&self, ended: Ended) -> Drained {
        self.change(|account| {
            let Reading { received, handled, failed, panicked, returned, cancelled, .. } = account.reading;
            let drained = account.settled_at_stop.map_or(0, |before| handled + failed - before);
            Drained { ended, received, handled, failed, panicked, returned, cancelled, drained }
        })
    }

    pub(super) fn update<T>(&self, update: impl FnOnce(&mut Reading) -> T) -> T {
        self.change(|account| update(&mut account.reading))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Account) -> T) -> T {
        change(&mut self.account.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A task that is alive. Kept inside of it, so that however it ends, it is no longer counted.
#[derive(Debug)]
pub struct Alive(Gauges);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.update(|reading| reading.tasks -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_counts_for_as_long_as_it_is_there() {
        let gauges = Gauges::default();
        let seen_from_outside = gauges.clone();
        let (first, second) = (gauges.alive(), gauges.alive());
        assert_eq!(seen_from_outside.read().tasks, 2);
        drop(first);
        assert_eq!(seen_from_outside.read().tasks, 1);
        drop(second);
        assert_eq!(seen_from_outside.read(), Reading::default());
    }

    #[test]
    fn what_is_settled_after_the_stop_was_drained() {
        let gauges = Gauges::default();
        gauges.update(|reading| (reading.received, reading.handled) = (9, 5));
        assert_eq!(gauges.report(Ended::Complete).drained, 0);
        gauges.stop();
        gauges.update(|reading| (reading.handled, reading.failed) = (6, 2));
        // A second stop is none.
        gauges.stop();
        assert_eq!(gauges.report(Ended::Drained).drained, 3);
    }
}
