//! Calls that succeed together: the first failure cancels the rest, and nothing outlives the group.
//!
//! A task whose handle is dropped goes on. So a group that is to end at its first failure has to end its tasks, and to
//! know that they have ended it has to wait for them: after [`group`] nothing of it is alive.

use std::future::Future;
use std::sync::Arc;

use fanout_workload::{Answer, Answers, Batch};
use futures::future::join_all;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What the calls of one item came to: a value of each dependency, in their order, or the failures, each with the
/// dependency's number.
pub type Grouped<B> = Result<Vec<<B as Batch>::Value>, Vec<(usize, <B as Batch>::Error)>>;

/// Makes all calls of one item at the same time. When one fails, the others are cancelled.
///
/// When this returns, every call has ended. Dropping the future ends them too.
///
/// # Errors
///
/// All failures, in the order in which they came: more than one where several calls failed before they were cancelled.
pub async fn group<B: Batch>(batch: Arc<B>, item: B::Item) -> Grouped<B> {
    let mut calls = JoinSet::new();
    for dependency in 0..batch.dependencies().get() {
        let (batch, item) = (Arc::clone(&batch), item.clone());
        calls.spawn(async move { (dependency, batch.call(&item, dependency).await) });
    }
    let mut values: Vec<_> = (0..calls.len()).map(|_| None).collect();
    let mut failures = Vec::new();
    while let Some(ended) = calls.join_next().await {
        match ended {
            Ok((dependency, Ok(value))) => values[dependency] = Some(value),
            Ok((dependency, Err(error))) => {
                failures.push((dependency, error));
                calls.abort_all();
            }
            Err(error) if error.is_cancelled() => {}
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
    if failures.is_empty() { Ok(values.into_iter().flatten().collect()) } else { Err(failures) }
}

/// Makes every call of every item, each item's as a [`group`], all items at once.
pub async fn fan_out<B: Batch>(batch: Arc<B>, items: Vec<B::Item>) -> Answers<B::Value, B::Error> {
    every(&batch, items, |item| group(Arc::clone(&batch), item)).await
}

/// Makes all calls of one item at the same time, in tasks that were handed `token`. At the first failure the token is
/// cancelled, and this returns without waiting for the others: they end when they next run.
///
/// # Errors
///
/// The first failure.
pub async fn group_with_token<B: Batch>(
    batch: Arc<B>,
    item: B::Item,
    token: CancellationToken,
) -> Grouped<B> {
    // Cancels when it is dropped: at the first failure as much as when the caller gives up.
    let _cancels = token.clone().drop_guard();
    let calls: Vec<_> = (0..batch.dependencies().get())
        .map(|dependency| {
            let (batch, item, token) = (Arc::clone(&batch), item.clone(), token.clone());
            tokio::spawn(async move { token.run_until_cancelled(batch.call(&item, dependency)).await })
        })
        .collect();
    let calls = calls.into_iter().enumerate().map(|(dependency, call)| async move {
        let answer: Option<Answer<B>> =
            call.await.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        match answer {
            Some(answer) => answer.map_err(|error| vec![(dependency, error)]),
            None => Err(Vec::new()),
        }
    });
    futures::future::try_join_all(calls).await
}

/// Makes every call of every item, each item's with [`group_with_token`], all items at once. Each has a token of its
/// own: one item's failure is no other's.
pub async fn fan_out_with_token<B: Batch>(batch: Arc<B>, items: Vec<B::Item>) -> Answers<B::Value, B::Error> {
    every(&batch, items, |item| group_with_token(Arc::clone(&batch), item, CancellationToken::new())).await
}

async fn every<B: Batch, G: Future<Output = Grouped<B>>>(
    batch: &Arc<B>,
    items: Vec<B::Item>,
    group: impl Fn(B::Item) -> G,
) -> Answers<B::Value, B::Error> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    for (index, grouped) in join_all(items.into_iter().map(group)).await.into_iter().enumerate() {
        match grouped {
            Ok(values) => answers.record_all(index, values.into_iter().map(Ok)),
            Err(failures) => {
                for (dependency, error) in failures {
                    answers.record(index, dependency, Err(error));
                }
            }
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::*;

    /// Calls of one item that take 100, 50 and 200 ms.
    struct Three {
        failing: &'static [usize],
        ended: AtomicU32,
    }

    impl Three {
        fn failing(failing: &'static [usize]) -> Arc<Self> {
            Arc::new(Self { failing, ended: AtomicU32::new(0) })
        }

        fn ended(&self) -> u32 {
            self.ended.load(Ordering::Relaxed)
        }
    }

    impl Batch for Three {
        type Item = ();
        type Value = usize;
        type Error = &'static str;

        fn dependencies(&self) -> NonZeroUsize {
            NonZeroUsize::new(3).expect("not 0")
        }

        async fn call(&self, (): &(), dependency: usize) -> Result<usize, &'static str> {
            let times = if self.failing.len() > 1 { [50, 50, 200] } else { [100, 50, 200] };
            sleep(Duration::from_millis(times[dependency])).await;
            self.ended.fetch_add(1, Ordering::Relaxed);
            if self.failing.contains(&dependency) { Err("failed") } else { Ok(dependency) }
        }
    }

    fn alive() -> usize {
        tokio::runtime::Handle::current().metrics().num_alive_tasks()
    }

    #[tokio::test(start_paused = true)]
    async fn together_they_take_as_long_as_the_longest() {
        let start = Instant::now();
        assert_eq!(group(Three::failing(&[]), ()).await, Ok(vec![0, 1, 2]));
        assert_eq!(start.elapsed(), Duration::from_millis(200));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_failure_cancels_the_others_and_nothing_is_left() {
        let (three, start) = (Three::failing(&[1]), Instant::now());
        assert_eq!(group(Arc::clone(&three), ()).await, Err(vec![(1, "failed")]));
        assert_eq!((start.elapsed(), alive()), (Duration::from_millis(50), 0));
        sleep(Duration::from_secs(1)).await;
        assert_eq!(three.ended(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn two_that_fail_together_are_both_reported() {
        let failures = group(Three::failing(&[0, 1]), ()).await.expect_err("two of them fail");
        assert_eq!(failures, [(0, "failed"), (1, "failed")]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_ends_them_a_moment_later() {
        let (three, start) = (Three::failing(&[1]), Instant::now());
        let grouped = group_with_token(Arc::clone(&three), (), CancellationToken::new()).await;
        assert_eq!((grouped, start.elapsed()), (Err(vec![(1, "failed")]), Duration::from_millis(50)));
        assert_eq!(alive(), 2);
        sleep(Duration::from_millis(1)).await;
        assert_eq!((alive(), three.ended()), (0, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_that_is_dropped_ends_its_calls() {
        for token in [false, true] {
            let three = Three::failing(&[]);
            let group = async {
                if token {
                    group_with_token(Arc::clone(&three), (), CancellationToken::new()).await
                } else {
                    group(Arc::clone(&three), ()).await
                }
            };
            let given_up = tokio::time::timeout(Duration::from_millis(10), group).await;
            assert!(given_up.is_err());
            sleep(Duration::from_secs(1)).await;
            assert_eq!((alive(), three.ended()), (0, 0));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_group_that_failed_only_the_failures_are_recorded() {
        let answers = fan_out(Three::failing(&[0]), vec![(), ()]).await;
        for item in answers.items() {
            assert_eq!(item, [Some(Err("failed")), None, None]);
        }
        let answers = fan_out_with_token(Three::failing(&[]), vec![()]).await;
        assert_eq!(answers.items().next(), Some(&[Some(Ok(0)), Some(Ok(1)), Some(Ok(2))][..]));
    }
}
