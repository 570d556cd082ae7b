use std::future::Future;

/// What is done with each message by one of several workers that has something of its own to keep between them: a
/// connection, a buffer, a prepared statement. Where there is nothing to keep, a [`Handler`](crate::Handler) is enough,
/// one for all.
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
