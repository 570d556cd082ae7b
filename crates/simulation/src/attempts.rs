use std::sync::atomic::{AtomicU32, Ordering};

/// How often each item has been called. Made whole at the start, so that counting allocates nothing.
#[derive(Debug)]
pub(crate) struct Attempts(Box<[AtomicU32]>);

impl Attempts {
    /// None yet, for so many items.
    pub(crate) fn none_yet(items: usize) -> Self {
        Self((0..items).map(|_| AtomicU32::new(0)).collect())
    }

    /// Counts a call. Gives back how many there were before it.
    pub(crate) fn begin(&self, index: u64) -> u32 {
        self.of(index).fetch_add(1, Ordering::Relaxed)
    }

    /// How many calls there were so far.
    pub(crate) fn so_far(&self, index: u64) -> u32 {
        self.of(index).load(Ordering::Relaxed)
    }

    fn of(&self, index: u64) -> &AtomicU32 {
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.0.get(index).expect("attempts are counted for every item of the workload")
    }
}
