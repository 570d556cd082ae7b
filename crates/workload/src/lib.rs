//! What a concurrency strategy is given: a [`Tree`] to walk, a [`Source`] of deliveries and a [`Handler`] for them, or
//! a [`Batch`] of items to fan out. And what it gives back: [`Walked`], [`Consumed`], [`Answers`]. What a walk for
//! production takes and gives back besides is in [`survey`].
//!
//! There is no runtime and no instrumentation in here. A strategy that is written against these traits runs against
//! a real API as it runs against a simulated one.

mod batch;
pub mod drain;
mod stream;
pub mod survey;
mod tree;
mod worker;

pub use batch::{Answer, Answers, Batch};
pub use stream::{Consumed, Delivery, Handler, Source, settle};
pub use tree::{Tree, Walked};
pub use worker::Worker;
