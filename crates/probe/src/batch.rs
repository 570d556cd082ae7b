use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use fanout_workload::Batch;

use crate::observed::{Ending, Observed};
use crate::polls::Polls;
use crate::probe::{Ended, Probe};

/// A batch whose calls are counted: in all, and for each dependency.
pub struct ObservedBatch<B: Batch> {
    batch: B,
    all: Probe,
    dependencies: Vec<Probe>,
    polls: Option<Polls>,
    index: fn(&B::Item) -> u64,
    /// For each item and dependency, whether it has been called.
    called: Vec<AtomicBool>,
}

/// An answer, and how long the call took that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Took<V> {
    /// The answer.
    pub value: V,
    /// From the call's start to its end.
    pub took_ns: u64,
}

impl<B: Batch> ObservedBatch<B> {
    /// Puts probes before a batch of so many items: one for all calls, and one for each dependency. `index` says which
    /// item it is, from 0. All calls are due at the probes' start.
    ///
    /// # Panics
    ///
    /// There are not as many probes as dependencies.
    pub fn new(
        batch: B,
        items: u64,
        index: fn(&B::Item) -> u64,
        all: Probe,
        dependencies: Vec<Probe>,
    ) -> Self {
        assert_eq!(dependencies.len(), batch.dependencies().get(), "each dependency has one probe");
        let calls = items * dependencies.len() as u64;
        all.give(calls);
        for dependency in &dependencies {
            dependency.give(items);
        }
        let called = (0..calls).map(|_| AtomicBool::new(false)).collect();
        Self { batch, all, dependencies, polls: None, index, called }
    }

    /// Measures how long the polls of the calls take, on a real clock.
    #[must_use]
    pub fn timing_polls(mut self, polls: Polls) -> Self {
        self.polls = Some(polls);
        self
    }

    /// Whether the call has been made before. From now on it has.
    fn again(&self, item: u64, dependency: usize) -> bool {
        let place = usize::try_from(item).map(|item| item * self.dependencies.len() + dependency);
        let called = place.ok().and_then(|place| self.called.get(place));
        called.expect("the item is one of the batch").swap(true, Ordering::Relaxed)
    }
}

impl<B: Batch> Batch for ObservedBatch<B> {
    type Item = B::Item;
    type Value = Took<B::Value>;
    type Error = B::Error;

    fn dependencies(&self) -> NonZeroUsize {
        self.batch.dependencies()
    }

    fn call(
        &self,
        item: &B::Item,
        dependency: usize,
    ) -> impl Future<Output = Result<Self::Value, B::Error>> + Send {
        let index = (self.index)(item);
        let call = self.batch.call(item, dependency);
        let call = async move { Ok(Took { value: call.await?, took_ns: 0 }) };
        async move {
            // Not before it is polled: a call that is never polled is never made.
            let again = self.again(index, dependency);
            let one = Observed::new(&self.dependencies[dependency], 0, call, Ends).again(again);
            let both = Observed::new(&self.all, 0, one, Ends).again(again);
            match &self.polls {
                None => both.await,
                Some(polls) => polls.time(index, both).await,
            }
        }
    }
}

struct Ends;

impl<V, E> Ending<Result<Took<V>, E>> for Ends {
    fn of(&self, answer: &Result<Took<V>, E>) -> Ended {
        match answer {
            Ok(_) => Ended::Answered { revealed: 0 },
            Err(_) => Ended::Failed,
        }
    }

    fn at(&self, answer: &mut Result<Took<V>, E>, started_ns: u64, ended_ns: u64) {
        if let Ok(answer) = answer {
            answer.took_ns = ended_ns.saturating_sub(started_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::latency::Resolution;

    const MS: u64 = 1_000_000;

    /// Two dependencies, which take 10 and 30 ms; item 1 fails everywhere.
    struct Two;

    impl Batch for Two {
        type Item = u64;
        type Value = usize;
        type Error = &'static str;

        fn dependencies(&self) -> NonZeroUsize {
            NonZeroUsize::new(2).expect("not 0")
        }

        async fn call(&self, item: &u64, dependency: usize) -> Result<usize, &'static str> {
            sleep(Duration::from_millis([10, 30][dependency])).await;
            if *item == 1 { Err("failed") } else { Ok(dependency) }
        }
    }

    fn observed() -> (ObservedBatch<Two>, Probe, Vec<Probe>) {
        let probe = || Probe::new(Resolution::Milliseconds);
        let (all, each) = (probe(), vec![probe(), probe()]);
        (ObservedBatch::new(Two, 2, |item| *item, all.clone(), each.clone()), all, each)
    }

    #[tokio::test(start_paused = true)]
    async fn calls_count_in_all_and_where_they_went() {
        let (batch, all, each) = observed();
        let (first, second) = tokio::join!(batch.call(&0, 0), batch.call(&0, 1));
        assert_eq!(first, Ok(Took { value: 0, took_ns: 10 * MS }));
        assert_eq!(second, Ok(Took { value: 1, took_ns: 30 * MS }));
        assert_eq!(batch.call(&1, 1).await, Err("failed"));
        let all = all.read();
        assert_eq!(
            (all.counts.given, all.counts.started, all.counts.answered, all.counts.failed),
            (4, 3, 2, 1)
        );
        assert_eq!((all.peaks.in_flight, all.counts.backlog(), all.call_time_ns), (2, 1, 70 * MS));
        let each: Vec<_> = each.iter().map(Probe::read).collect();
        assert_eq!(each.iter().map(|one| one.peaks.in_flight).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(each.iter().map(|one| one.counts.started).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(each[1].service.map(|service| service.max_ns), Some(30 * MS));
        assert_eq!(each[1].response.map(|response| response.max_ns), Some(60 * MS));
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_is_given_up_and_made_again_counts_twice_and_its_time_too() {
        let (batch, all, each) = observed();
        assert!(timeout(Duration::from_millis(4), batch.call(&0, 0)).await.is_err());
        drop(batch.call(&0, 1));
        batch.call(&0, 0).await.expect("item 0 answers");
        let counts = all.counts();
        assert_eq!((counts.started, counts.retried, counts.dropped, counts.backlog()), (2, 1, 1, 3));
        assert_eq!(all.read().call_time_ns, 14 * MS);
        assert_eq!(each[1].counts().started, 0);
    }
}
