//! A queue and a fixed number of workers: bounds calls *and* tasks.
//!
//! There are `limit` tasks from start to end, each with one call at a time. What waits, waits in the queue as plain
//! data, an item's size each. This is the walker to use where a tree's size is unknown, and the consumer where each
//! worker has something of its own to keep, such as a connection.
//!
//! [`walk()`] is the idea on one page. [`Walker`] is the same idea for production: retries, limits, deadlines,
//! graphs, cancellation, gauges.

mod consume;
mod consumer;
mod fan_out;
mod walk;
mod walker;

pub use consume::consume;
pub use consumer::Consumer;
pub use fan_out::fan_out;
pub use walk::walk;
pub use walker::Walker;

use tokio::task::JoinError;

/// What a worker gave back. A panic in a call goes on in the caller; nobody cancels workers but by dropping them all.
fn output<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
