//! Seeded trees, streams and batches, latency, faults, and a downstream with a capacity.
//!
//! Latency, failure and shape are functions of the seed and of what they are about, by hash, and never draws from one
//! shared generator: whatever order a strategy calls in, it faces the same work.
//!
//! All times are whole milliseconds, rounded half-up once when they are drawn, and at least one unless they are zero:
//! what the virtual clock can tell apart, and so what both clocks use.

mod attempts;
mod batch;
mod downstream;
mod draw;
mod facts;
mod faults;
mod latency;
mod manner;
mod rate;
mod service;
mod stream;
mod timer;
mod tree;

pub use batch::{BatchSpec, DependencySpec, NoDependency, Reply, SimulatedBatch};
pub use downstream::{DownstreamSpec, WhenFull};
pub use facts::Facts;
pub use faults::{Answer, FaultError, Faults, Item, Rule, Which};
pub use latency::{Latency, LatencyError, Samples, SamplesError};
pub use manner::Manner;
pub use service::{CallError, Service};
pub use stream::{Arrivals, Message, SimulatedHandler, SimulatedSource, StreamSpec, Tally};
pub use timer::Timer;
pub use tree::{Branching, Listing, ListingError, Node, Shape, ShapeError, SimulatedTree, TreeSpec};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
