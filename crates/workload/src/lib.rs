//! What a concurrency strategy is given: a [`Tree`] to walk, or a [`Source`] of deliveries and a [`Handler`] for
//! them. And what it gives back: [`Walked`], [`Consumed`]. What a walk for production takes and gives back besides is in
//! [`survey`].
//!
//! There is no runtime and no instrumentation in here. A strategy that is written against these traits runs against
//! a real API as it runs against a simulated one.

pub mod drain;
mod stream;
pub mod survey;
mod tree;
mod worker;

pub use stream::{Consumed, Delivery, Handler, Source, settle};
pub use tree::{Tree, Walked};
pub use worker::Worker;
