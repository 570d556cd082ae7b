//! What a consumer for production keeps, whichever tasks it handles its messages in: the account of what became of each
//! ([`Gauges`], [`Drained`]), where those go that cannot be handled ([`DeadLetter`]), and the two steps that every
//! message takes, [`attempt()`] and [`Begun::settle`], in which a failure, a panic or an interruption stays the message's
//! own.
//!
//! There is no runtime in here: tasks, clocks and tokens are the strategies'.

mod attempt;
mod gauges;
mod letters;
mod report;
mod taken;

pub use attempt::{Attempt, Fault, attempt};
pub use gauges::{Alive, Gauges, Reading};
pub use letters::{DeadLetter, DeadLetterSink, DeadLetters};
pub use report::{Drained, Ended};
pub use taken::{Begun, Taken};
#[cfg(test)]
mod tests;
