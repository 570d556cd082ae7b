use std::any::Any;
use std::error::Error;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

/// What the handling of one message came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt<E> {
    /// It was handled.
    Handled,
    /// It was not, and never will be.
    Failed(Fault<E>),
    /// It was interrupted, and somebody else may handle it.
    Interrupted,
}

/// Why a message was not handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault<E> {
    /// The handler failed.
    Handler(E),
    /// The handler panicked, with this message.
    Panicked(String),
    /// Somebody outside had it set aside while it was worked on.
    SetAside,
}

impl<E: fmt::Display> fmt::Display for Fault<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handler(error) => error.fmt(f),
            Self::Panicked(message) => write!(f, "the handler panicked: {message}"),
            Self::SetAside => f.write_str("set aside while it was worked on"),
        }
    }
}

impl<E: Error> Error for Fault<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // It speaks for the error, so its source is the error's.
            Self::Handler(error) => error.source(),
            Self::Panicked(_) | Self::SetAside => None,
        }
    }
}

/// Handles a message: to the end of `call`, its panic, or to what `interrupted` says, whichever is first. A call that
/// ends in the moment in which it is interrupted has ended.
///
/// When this is done, the call has been dropped. Both futures are pinned by whoever awaits this, since a future that is
/// passed by value is kept twice in the one that it is passed to, and calls may be large.
///
/// ```
/// use std::future::pending;
/// use std::pin::pin;
///
/// use fanout_workload::drain::{Attempt, attempt};
///
/// # async fn handle(_: &str) -> Result<(), std::fmt::Error> { Ok(()) }
/// # async fn example() {
/// let call = pin!(Some(async { handle("a message").await }));
/// assert_eq!(attempt(call, pin!(pending())).await, Attempt::Handled);
/// # }
/// # let _ = example();
/// ```
pub async fn attempt<E, C>(
    call: Pin<&mut Option<C>>,
    interrupted: Pin<&mut impl Future<Output = Attempt<E>>>,
) -> Attempt<E>
where
    C: Future<Output = Result<(), E>>,
{
    match catching(call, interrupted).await {
        Ok(First::Call(Ok(()))) => Attempt::Handled,
        Ok(First::Call(Err(error))) => Attempt::Failed(Fault::Handler(error)),
        Ok(First::Interruption(attempt)) => attempt,
        Err(panic) => Attempt::Failed(Fault::Panicked(panic)),
    }
}

/// Which of two futures was first.
pub(super) enum First<C, I> {
    Call(C),
    Interruption(I),
}

/// Polls `call` and then `interrupted` until one of them is ready, or until `call` panics; then gives the panic's
/// message. Drops the call, and a panic in that goes no further.
pub(super) async fn catching<C: Future, I: Future>(
    mut call: Pin<&mut Option<C>>,
    mut interrupted: Pin<&mut I>,
) -> Result<First<C::Output, I::Output>, String> {
    let first = poll_fn(|context| {
        // Nothing of the call is looked at again that a panic could have left half-done: it is only dropped.
        let polled = catch_unwind(AssertUnwindSafe(|| match call.as_mut().as_pin_mut() {
            Some(call) => call.poll(context),
            None => Poll::Pending,
        }));
        match polled {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(First::Call(output))),
            Ok(Poll::Pending) => interrupted.as_mut().poll(context).map(|why| Ok(First::Interruption(why))),
            Err(panic) => Poll::Ready(Err(message(&*panic))),
        }
    })
    .await;
    let _ = catch_unwind(AssertUnwindSafe(|| call.set(None)));
    first
}

fn message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    message.unwrap_or("a payload that is no text").to_owned()
}
