use std::future::Future;

/// Where messages come from: a queue's consumer, a topic's partition.
pub trait Source: Send {
    /// One message on loan from the source.
    type Delivery: Delivery;

    /// Takes the next message, waiting for it; `None` once there will be no more.
    fn next(&mut self) -> impl Future<Output = Option<Self::Delivery>> + Send;
}

/// A message on loan. Dropped without a word, it goes back to its source, so a cancelled handler loses nothing.
pub trait Delivery: Send + Sync + 'static {
    /// The message was handled: its source may forget it.
    fn acknowledge(self);

    /// The message cannot be handled: its source sets it aside and does not deliver it again.
    fn reject(self);
}

/// What is done with each message.
pub trait Handler<D>: Send + Sync + 'static {
    /// Why a message could not be handled.
    type Error: Send + 'static;

    /// Handles one message. This is the call whose concurrency the strategies differ in.
    ///
    /// # Errors
    ///
    /// The message is at fault or the work failed; the delivery is then rejected.
    fn handle(&self, delivery: &D) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

/// Handles one delivery and settles it: acknowledged after a success, rejected after a failure. Dropped half-way, the
/// delivery goes back to its source.
///
/// # Errors
///
/// The handler's.
pub async fn settle<D: Delivery, H: Handler<D>>(handler: &H, delivery: D) -> Result<(), H::Error> {
    let handled = handler.handle(&delivery).await;
    match handled {
        Ok(()) => delivery.acknowledge(),
        Err(_) => delivery.reject(),
    }
    handled
}

/// What a consumer did with a stream. Of constant size: a stream has no end to collect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consumed<E> {
    /// Messages handled and acknowledged.
    pub handled: usize,
    /// Messages rejected.
    pub failed: usize,
    /// The first failure, as it came.
    pub first_error: Option<E>,
}

impl<E> Consumed<E> {
    /// Notes how one message ended.
    pub fn record(&mut self, handled: Result<(), E>) {
        match handled {
            Ok(()) => self.handled += 1,
            Err(error) => {
                self.failed += 1;
                self.first_error.get_or_insert(error);
            }
        }
    }

    /// Adds what another part of the same consumer did; the first error is `self`'s where it has one.
    pub fn absorb(&mut self, other: Self) {
        self.handled += other.handled;
        self.failed += other.failed;
        self.first_error = self.first_error.take().or(other.first_error);
    }
}

// Derived, it would ask for `E: Default`.
impl<E> Default for Consumed<E> {
    fn default() -> Self {
        Self { handled: 0, failed: 0, first_error: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_kept() {
        let mut consumed = Consumed::default();
        consumed.record(Ok(()));
        consumed.record(Err("first"));
        consumed.record(Err("second"));
        consumed.absorb(Consumed { handled: 4, failed: 1, first_error: Some("elsewhere") });
        assert_eq!(consumed, Consumed { handled: 5, failed: 3, first_error: Some("first") });
    }
}
