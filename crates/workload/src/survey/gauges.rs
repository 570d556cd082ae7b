use std::sync::{Arc, Mutex, PoisonError};

/// How a walk stands, to be read from outside at any time: before, while and after it runs. Clones show the same walk.
#[derive(Debug, Clone, Default)]
pub struct Gauges {
    reading: Arc<Mutex<Reading>>,
}

/// One moment of a walk.
///
/// Nodes queued, none in flight and nobody alive, twice in a row, is a walk that will never finish.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// Nodes that wait to be called.
    pub queued: usize,
    /// Nodes that back off before they are called again.
    pub backing_off: usize,
    /// Nodes that are being called.
    pub in_flight: usize,
    /// Tasks alive to make calls: the workers, or one a call.
    pub alive: usize,
}

impl Gauges {
    /// Reads all of them, as they were at one moment.
    #[must_use]
    pub fn read(&self) -> Reading {
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a task as alive until what is given back is dropped.
    #[must_use]
    pub fn alive(&self) -> Alive {
        self.change(|reading| reading.alive += 1);
        Alive(self.clone())
    }

    pub(super) fn show(&self, queued: usize, backing_off: usize, in_flight: usize) {
        self.change(|reading| *reading = Reading { queued, backing_off, in_flight, ..*reading });
    }

    fn change(&self, change: impl FnOnce(&mut Reading)) {
        change(&mut self.reading.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A task that is alive. Kept inside of it, so that however it ends, it is no longer counted.
#[derive(Debug)]
pub struct Alive(Gauges);

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.change(|reading| reading.alive -= 1);
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
        gauges.show(3, 2, 1);
        assert_eq!(seen_from_outside.read(), Reading { queued: 3, backing_off: 2, in_flight: 1, alive: 2 });
        drop(first);
        assert_eq!(seen_from_outside.read().alive, 1);
        drop(second);
        assert_eq!(seen_from_outside.read().alive, 0);
    }
}
