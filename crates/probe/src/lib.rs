//! Observes a workload from outside. A strategy is handed an [`ObservedTree`], an [`ObservedBatch`], or an
//! [`ObservedSource`] with an [`ObservedHandler`], and cannot tell; the [`Probe`] behind them counts.
//!
//! Nothing here allocates while a walk runs, so that [`heap`] measures the walk alone.

mod batch;
pub mod heap;
mod latency;
mod loop_lag;
mod observed;
mod polls;
mod probe;
mod stream;
mod timeline;
mod tree;

pub use batch::{ObservedBatch, Took};
pub use latency::{Percentiles, Resolution};
pub use loop_lag::LoopLag;
pub use polls::{LONG_POLL, LongPolls, Polls};
pub use probe::{Counts, Peaks, Probe, Reading};
pub use stream::{ObservedHandler, ObservedSource};
pub use timeline::Slice;
pub use tree::{Mark, ObservedTree};
