//! Observes a workload from outside. A strategy is handed an [`ObservedTree`], or an [`ObservedSource`] with an
//! [`ObservedHandler`], and cannot tell; the [`Probe`] behind them counts.
//!
//! Nothing here allocates while a walk runs, so that [`heap`] measures the walk alone.

pub mod heap;
mod latency;
mod observed;
mod probe;
mod stream;
mod timeline;
mod tree;

pub use latency::{Percentiles, Resolution};
pub use probe::{Counts, Peaks, Probe, Reading};
pub use stream::{ObservedHandler, ObservedSource};
pub use timeline::Slice;
pub use tree::{Mark, ObservedTree};
