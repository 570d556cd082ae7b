use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use super::attempt::Fault;

/// A message that cannot be handled.
#[derive(Debug)]
pub struct DeadLetter<'a, D, E> {
    /// The name that the consumer's caller gives such a delivery; without one, its number in the order of being taken.
    pub name: String,
    /// The message. It is rejected at its source once the sink has taken the letter.
    pub delivery: &'a D,
    /// Why.
    pub fault: Fault<E>,
}

/// Takes what cannot be handled: writes it to a log, to a table, to a queue for people to look at.
///
/// Any `Fn(DeadLetter<'_, D, E>)` is one that does not wait for anything.
pub trait DeadLetterSink<D, E>: Send + Sync + 'static {
    /// Takes one. The message's slot is held meanwhile, and the drain deadline counts.
    ///
    /// Dropped half-way, or panicking, it has not taken the letter: the message goes back to its source, and will be
    /// handled, and may become a dead letter, again. So a letter may come twice, but none is lost.
    fn take(&self, letter: DeadLetter<'_, D, E>) -> impl Future<Output = ()> + Send;
}

impl<D, E, F> DeadLetterSink<D, E> for F
where
    D: Sync,
    E: Send,
    F: Fn(DeadLetter<'_, D, E>) + Send + Sync + 'static,
{
    async fn take(&self, letter: DeadLetter<'_, D, E>) {
        self(letter);
    }
}

/// How a consumer's messages are named, and who takes those that cannot be handled: nobody unless somebody is told to,
/// and then they are rejected and counted, and no more.
pub struct DeadLetters<D, E> {
    name: Option<Arc<Name<D>>>,
    sink: Option<Arc<dyn Sink<D, E>>>,
}

type Name<D> = dyn Fn(&D) -> String + Send + Sync;

impl<D, E> DeadLetters<D, E> {
    /// Names deliveries like this.
    #[must_use]
    pub fn name(self, name: impl Fn(&D) -> String + Send + Sync + 'static) -> Self {
        Self { name: Some(Arc::new(name)), ..self }
    }

    /// Hands them to `sink`.
    #[must_use]
    pub fn sink(self, sink: impl DeadLetterSink<D, E>) -> Self
    where
        D: Sync + 'static,
        E: Send + 'static,
    {
        Self { sink: Some(Arc::new(sink)), ..self }
    }

    /// What a delivery is called that was taken as number `number`, from 1. One whose name cannot be told without a
    /// panic goes by its number.
    pub(super) fn name_of(&self, delivery: &D, number: usize) -> String {
        let name = self.name.as_ref().map(|name| catch_unwind(AssertUnwindSafe(|| name(delivery))));
        name.and_then(Result::ok).unwrap_or_else(|| format!("message {number}"))
    }

    /// Hands over one; at once where there is nobody to take it.
    pub(super) async fn take(&self, delivery: &D, number: usize, fault: Fault<E>) {
        if let Some(sink) = &self.sink {
            sink.take_boxed(DeadLetter { name: self.name_of(delivery, number), delivery, fault }).await;
        }
    }
}

impl<D, E> Default for DeadLetters<D, E> {
    fn default() -> Self {
        Self { name: None, sink: None }
    }
}

/// A [`DeadLetterSink`] whose type nobody else has to know.
trait Sink<D, E>: Send + Sync {
    fn take_boxed<'a>(
        &'a self,
        letter: DeadLetter<'a, D, E>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;
}

impl<D: 'static, E: 'static, S: DeadLetterSink<D, E>> Sink<D, E> for S {
    fn take_boxed<'a>(
        &'a self,
        letter: DeadLetter<'a, D, E>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(self.take(letter))
    }
}
