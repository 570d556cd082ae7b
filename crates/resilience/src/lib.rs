//! What goes around a call whatever the strategy: a deadline for the whole batch, a budget for one call with all its
//! attempts, a limit for each attempt, a fallback for what is not answered in time.
//!
//! [`Resilient`] is a [`Batch`] around another. A strategy decides when a call is made; this decides how long it is
//! waited for and how often it is tried. Giving up drops the call, and so ends it.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use fanout_workload::Batch;
use thiserror::Error;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// How long calls are waited for, and how often they are tried. By default: forever, and once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the whole batch, from when the [`Resilient`] was made. A call that comes later is not made.
    pub deadline: Option<Duration>,
    /// For one call with all its attempts and the pauses between them.
    pub budget: Option<Duration>,
    /// For one attempt. An attempt that takes longer has failed, and the next one begins.
    pub timeout: Option<Duration>,
    /// How often a call that fails is tried in all.
    pub attempts: NonZeroU32,
    /// The pause after the first attempt; each later one is twice as long. There is none after the last attempt.
    pub backoff: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            deadline: None,
            budget: None,
            timeout: None,
            attempts: NonZeroU32::MIN,
            backoff: Duration::ZERO,
        }
    }
}

impl Patience {
    /// The pause after an attempt, counted from 0.
    #[must_use]
    pub fn pause(&self, attempt: u32) -> Duration {
        self.backoff.saturating_mul(2u32.saturating_pow(attempt))
    }
}

/// What was served for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Served<V> {
    /// What the dependency answered, in time.
    Fresh(V),
    /// What the fallback had, because time was up.
    Stale(V),
}

/// Why nothing was served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unserved<E> {
    /// Every attempt failed, within the time there was. This is not the deadline's doing, so no fallback covers it up.
    #[error("all {attempts} attempts failed, the last one: {last}")]
    Exhausted {
        /// How many there were.
        attempts: NonZeroU32,
        /// Why the last one failed.
        last: AttemptError<E>,
    },
    /// Time was up, and the fallback had nothing.
    #[error("there was no answer in time")]
    Expired,
}

/// Why one attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AttemptError<E> {
    /// The call itself failed.
    #[error("{0}")]
    Failed(E),
    /// It took longer than one attempt may.
    #[error("it took too long")]
    TooLong,
}

/// A batch whose calls are given so much time and so many attempts.
#[derive(Debug)]
pub struct Resilient<B, F> {
    batch: B,
    patience: Patience,
    ends: Option<Instant>,
    fallback: F,
}

impl<B: Batch> Resilient<B, fn(&B::Item, usize) -> Option<B::Value>> {
    /// Puts patience around a batch, whose time starts now. There is no fallback.
    ///
    /// A deadline too far away to be an instant is none.
    pub fn new(batch: B, patience: Patience) -> Self {
        let ends = patience.deadline.and_then(|deadline| Instant::now().checked_add(deadline));
        Self { batch, patience, ends, fallback: |_, _| None }
    }
}

impl<B: Batch, F> Resilient<B, F> {
    /// What is served for an item and the number of a dependency when time is up: a cached value, if there is one.
    pub fn fallback<G>(self, fallback: G) -> Resilient<B, G>
    where
        G: Fn(&B::Item, usize) -> Option<B::Value> + Send + Sync + 'static,
    {
        let Self { batch, patience, ends, .. } = self;
        Resilient { batch, patience, ends, fallback }
    }

    /// Until when a call that begins now is waited for.
    fn ends(&self) -> Option<Instant> {
        let budget = self.patience.budget.and_then(|budget| Instant::now().checked_add(budget));
        [self.ends, budget].into_iter().flatten().min()
    }

    async fn attempts(&self, item: &B::Item, dependency: usize) -> Result<B::Value, Unserved<B::Error>> {
        let mut attempt = 0;
        loop {
            let call = self.batch.call(item, dependency);
            let answer = match self.patience.timeout {
                None => call.await.map_err(AttemptError::Failed),
                Some(limit) => match timeout(limit, call).await {
                    Ok(answer) => answer.map_err(AttemptError::Failed),
                    Err(_) => Err(AttemptError::TooLong),
                },
            };
            match answer {
                Ok(value) => return Ok(value),
                Err(last) if attempt + 1 == self.patience.attempts.get() => {
                    return Err(Unserved::Exhausted { attempts: self.patience.attempts, last });
                }
                Err(_) => sleep(self.patience.pause(attempt)).await,
            }
            attempt += 1;
        }
    }
}

impl<B, F> Batch for Resilient<B, F>
where
    B: Batch,
    F: Fn(&B::Item, usize) -> Option<B::Value> + Send + Sync + 'static,
{
    type Item = B::Item;
    type Value = Served<B::Value>;
    type Error = Unserved<B::Error>;

    fn dependencies(&self) -> NonZeroUsize {
        self.batch.dependencies()
    }

    async fn call(&self, item: &B::Item, dependency: usize) -> Result<Self::Value, Self::Error> {
        let in_time = match self.ends() {
            None => Some(self.attempts(item, dependency).await),
            // A timeout polls what it is around before it looks at the time: too late, and the call would be made.
            Some(ends) if ends <= Instant::now() => None,
            Some(ends) => timeout_at(ends, self.attempts(item, dependency)).await.ok(),
        };
        match in_time {
            Some(answer) => answer.map(Served::Fresh),
            None => (self.fallback)(item, dependency).map(Served::Stale).ok_or(Unserved::Expired),
        }
    }
}

#[cfg(test)]
mod tests;
