use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fanout_workload::drain::{Attempt, Fault};
use tokio_util::sync::CancellationToken;

/// The messages that have a task, by name, each of which can be ended alone. Clones show the same consumer.
#[derive(Debug, Clone, Default)]
pub struct InFlight {
    // Names may be given twice, so a number tells them apart. Held for one change at a time, never across an await.
    entries: Arc<Mutex<BTreeMap<(String, u64), Interrupt>>>,
}

impl InFlight {
    /// The names of all of them, in alphabetical order; a name for each message that has it.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.change(|entries| entries.keys().map(|(name, _)| name.clone()).collect())
    }

    /// Drops what is being done for the messages of this name: they go back to their source. Says how many there were.
    pub fn cancel(&self, name: &str) -> usize {
        self.interrupt(name, false)
    }

    /// Drops what is being done for the messages of this name, and sets them aside, as dead letters. Says how many there
    /// were. For a message that will only hang again if it comes again.
    pub fn set_aside(&self, name: &str) -> usize {
        self.interrupt(name, true)
    }

    fn interrupt(&self, name: &str, set_aside: bool) -> usize {
        let named: Vec<_> = self.change(|entries| {
            let named = entries.range((name.to_owned(), 0)..=(name.to_owned(), u64::MAX));
            named.map(|(_, interrupt)| interrupt.clone()).collect()
        });
        named.iter().for_each(|interrupt| interrupt.now(set_aside));
        named.len()
    }

    /// Lists a message until what is given back is dropped.
    pub(super) fn enter(&self, name: String, number: u64, cut: &CancellationToken) -> Entry {
        let interrupt = Interrupt { token: cut.child_token(), set_aside: Arc::default() };
        let key = (name, number);
        self.change(|entries| entries.insert(key.clone(), interrupt.clone()));
        Entry { key, interrupt, list: self.clone() }
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<(String, u64), Interrupt>) -> T) -> T {
        change(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug, Clone)]
struct Interrupt {
    token: CancellationToken,
    set_aside: Arc<AtomicBool>,
}

impl Interrupt {
    fn now(&self, set_aside: bool) {
        if set_aside {
            // Seen by whoever sees the token cancelled after it.
            self.set_aside.store(true, Ordering::Relaxed);
        }
        self.token.cancel();
    }
}

/// A message's place in the list.
pub(super) struct Entry {
    key: (String, u64),
    interrupt: Interrupt,
    list: InFlight,
}

impl Entry {
    /// Ends when the message is interrupted, alone or with all others, and says what is to become of it.
    pub(super) async fn interrupted<E>(&self) -> Attempt<E> {
        self.interrupt.token.cancelled().await;
        if self.interrupt.set_aside.load(Ordering::Relaxed) {
            Attempt::Failed(Fault::SetAside)
        } else {
            Attempt::Interrupted
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.list.change(|entries| entries.remove(&self.key));
    }
}
