//! What a walk for production has to keep, whichever tasks it makes its calls in: the [`Policy`] that it is given,
//! the [`Survey`] that it gives back, and between them the [`Frontier`], which decides what is called next, again, or
//! never.
//!
//! The frontier has no runtime and no clock: it is told what ended and what time it is. So the strategies that walk by
//! it differ in their tasks alone, and every rule can be tested without one.

mod frontier;
mod gauges;
mod order;
mod outcome;
mod policy;
mod retry;
mod seen;

pub use frontier::{Attempt, Frontier, Job};
pub use gauges::{Alive, Gauges, Reading};
pub use order::Order;
pub use outcome::{Cut, Ended, Failure, Fault, Survey};
pub use policy::{Class, Policy};
pub use retry::Retry;
