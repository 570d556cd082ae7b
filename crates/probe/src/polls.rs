use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A poll that takes so long, or longer, is a long one: it keeps a thread of the runtime from everything else.
pub const LONG_POLL: Duration = Duration::from_millis(50);

/// How long the polls of calls take, on a real clock. Clones share the account.
#[derive(Debug, Clone, Default)]
pub struct Polls {
    account: Arc<Mutex<LongPolls>>,
}

/// The longest poll of all, and how many were long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LongPolls {
    /// How long the longest poll took.
    pub longest: Duration,
    /// Of which item's call it was.
    pub item: u64,
    /// How many took [`LONG_POLL`] or longer.
    pub long: u64,
}

impl Polls {
    /// How things stand now.
    #[must_use]
    pub fn read(&self) -> LongPolls {
        *self.account()
    }

    pub(crate) async fn time<F: Future>(&self, item: u64, call: F) -> F::Output {
        let mut call = pin!(call);
        std::future::poll_fn(|context| {
            let start = Instant::now();
            let polled = call.as_mut().poll(context);
            self.record(item, start.elapsed());
            polled
        })
        .await
    }

    fn record(&self, item: u64, took: Duration) {
        let mut account = self.account();
        if took > account.longest {
            (account.longest, account.item) = (took, item);
        }
        account.long += u64::from(took >= LONG_POLL);
    }

    /// Each change is whole, whoever panicked since.
    fn account(&self) -> MutexGuard<'_, LongPolls> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_poll_has_its_item_and_the_long_ones_are_counted() {
        let polls = Polls::default();
        for (item, milliseconds) in [(1, 10), (2, 50), (3, 70), (4, 49)] {
            polls.record(item, Duration::from_millis(milliseconds));
        }
        let expected = LongPolls { longest: Duration::from_millis(70), item: 3, long: 2 };
        assert_eq!(polls.clone().read(), expected);
    }

    #[tokio::test]
    async fn each_poll_is_looked_at() {
        let polls = Polls::default();
        let mut times = 0;
        let call = std::future::poll_fn(move |context| {
            times += 1;
            context.waker().wake_by_ref();
            if times == 3 { std::task::Poll::Ready(times) } else { std::task::Poll::Pending }
        });
        assert_eq!(polls.time(7, call).await, 3);
        assert_eq!((polls.read().item, polls.read().long), (7, 0));
    }
}
