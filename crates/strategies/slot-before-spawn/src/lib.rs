//! A slot first, then a task for one item: bounds calls *and* tasks.
//!
//! Whoever wants to start something waits for a slot before there is anything to start. A task is one item, from its
//! start to its end: simple to name, to cancel and to let fail alone. What waits, waits as plain data: in the walk's
//! frontier, or still in the source.
//!
//! [`walk()`] is the idea on one page. [`Walker`] is the same idea for production: retries, limits, deadlines,
//! graphs, cancellation, gauges.

mod consume;
mod consumer;
mod fan_out;
mod walk;
mod walker;

pub use consume::consume;
pub use consumer::{Consumer, InFlight};
pub use fan_out::fan_out;
pub use walk::walk;
pub use walker::Walker;

use tokio::task::JoinError;

/// What a task gave back. A panic in a call goes on in the caller; nobody cancels these tasks but by dropping them all.
fn output<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
