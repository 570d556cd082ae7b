//! What a walk allocates. One binary serves both clocks: its global allocator is the system's, until a cell asks for
//! counting; from then on, and for the rest of the process, it is dhat's.
//!
//! ```
//! # use fanout_probe::heap;
//! #[global_allocator]
//! static ALLOCATOR: heap::Switch = heap::Switch;
//!
//! let counter = heap::Counter::start().expect("the switch is the global allocator");
//! let held = vec![0u8; 1000];
//! assert_eq!(counter.read().peak_bytes, 1000);
//! # drop(held);
//! ```
#![expect(unsafe_code, reason = "a global allocator cannot be written without")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

static COUNTING: AtomicBool = AtomicBool::new(false);

/// The global allocator: the system's, or dhat's once a [`Counter`] was started.
#[derive(Debug, Clone, Copy)]
pub struct Switch;

// SAFETY: each call goes on, with its arguments as they came, to `System` or to `dhat::Alloc`, which is itself a layer
// over `System` that only takes notes. So every block comes from `System` and goes back to `System`, whichever way
// each of the calls took, and a block from before the switch may be freed or grown after it. Neither of them unwinds.
unsafe impl GlobalAlloc for Switch {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTING.load(Ordering::Relaxed) {
            // SAFETY: the caller keeps to this same contract.
            unsafe { dhat::Alloc.alloc(layout) }
        } else {
            // SAFETY: the caller keeps to this same contract.
            unsafe { System.alloc(layout) }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if COUNTING.load(Ordering::Relaxed) {
            // SAFETY: the block came from `System`, see above.
            unsafe { dhat::Alloc.dealloc(block, layout) }
        } else {
            // SAFETY: the block came from `System`, see above.
            unsafe { System.dealloc(block, layout) }
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if COUNTING.load(Ordering::Relaxed) {
            // SAFETY: the block came from `System`, see above.
            unsafe { dhat::Alloc.realloc(block, layout, size) }
        } else {
            // SAFETY: the block came from `System`, see above.
            unsafe { System.realloc(block, layout, size) }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if COUNTING.load(Ordering::Relaxed) {
            // SAFETY: the caller keeps to this same contract.
            unsafe { dhat::Alloc.alloc_zeroed(layout) }
        } else {
            // SAFETY: the caller keeps to this same contract.
            unsafe { System.alloc_zeroed(layout) }
        }
    }
}

/// Counts what is allocated from its start on.
#[derive(Debug)]
pub struct Counter {
    _profiler: dhat::Profiler,
    blocks_before: u64,
}

/// What was allocated since a [`Counter`] was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heap {
    /// Most bytes allocated at one moment.
    pub peak_bytes: u64,
    /// Allocations in all.
    pub total_blocks: u64,
}

impl Counter {
    /// Starts counting. `None` where [`Switch`] is not the global allocator, so that nothing would be counted.
    ///
    /// # Panics
    ///
    /// When a counter was started before in this process.
    #[must_use]
    pub fn start() -> Option<Self> {
        COUNTING.store(true, Ordering::Relaxed);
        let profiler = dhat::Profiler::builder().testing().build();
        std::hint::black_box(Box::new(0u8));
        let blocks_before = dhat::HeapStats::get().total_blocks;
        (blocks_before > 0).then_some(Self { _profiler: profiler, blocks_before })
    }

    /// Reads what was counted so far.
    #[must_use]
    pub fn read(&self) -> Heap {
        let stats = dhat::HeapStats::get();
        Heap { peak_bytes: stats.max_bytes as u64, total_blocks: stats.total_blocks - self.blocks_before }
    }
}
