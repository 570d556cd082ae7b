//! Simulated streams.

mod arrivals;
mod handler;
mod source;

pub use arrivals::{Arrivals, StreamSpec};
pub use handler::SimulatedHandler;
pub use source::{Message, SimulatedSource, Tally};
