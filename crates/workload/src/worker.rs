use std::future::Future;
use std::sync::Arc;

use crate::stream::Handler;

/// What is done with each message by one of several workers that has something of its own to keep between them: a
/// connection, a buffer, a prepared statement. Where there is nothing to keep, any [`Handler`] behind an `Arc` is one.
pub trait Worker<D>: Send + 'static {
    /// Why a message could not be handled.
    type Error: Send + 'static;

    /// Handles one message. A worker handles one at a time, so what it keeps is its own meanwhile.
    ///
    /// # Errors
    ///
    /// The message is at fault or the work failed; the delivery is then rejected, and the worker goes on with the next.
    fn handle(&mut self, delivery: &D) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

impl<D, H: Handler<D>> Worker<D> for Arc<H> {
    type Error = H::Error;

    fn handle(&mut self, delivery: &D) -> impl Future<Output = Result<(), H::Error>> + Send {
        H::handle(self, delivery)
    }
}
