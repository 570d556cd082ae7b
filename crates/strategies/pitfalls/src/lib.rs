//! Known bugs of concurrency limits, kept so that they can be measured: one file each, written as people write them.
//!
//! All of them pass a test on something small. Nobody should depend on this crate but to see what they do.

pub mod abandoned_timeout;
pub mod block_on_worker;
pub mod bounded_frontier;
pub mod careless_join;
pub mod detached_timeout;
pub mod idle_receiver;
pub mod manual_release;
pub mod pool_awaits_pool;
pub mod slow_consumer;
pub mod swallowed_cancellation;
pub mod unhandled_errors;
pub mod unreaped_join_set;

#[cfg(test)]
mod testing;

use tokio::task::JoinError;

/// What a task gave back. A panic in it goes on in the caller; nobody cancels these tasks but by dropping them all.
fn output<T>(ended: Result<T, JoinError>) -> T {
    ended.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
}
