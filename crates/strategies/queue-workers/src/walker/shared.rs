use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fanout_workload::survey::{Attempt, Frontier, Job, Survey};
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The frontier of one walk, shared by its workers.
pub(super) struct Shared<N, E> {
    // Held for one change at a time, never across an await.
    frontier: Mutex<Frontier<N, E>>,
    start: Instant,
    // A permit for each node that is ready: whoever has one finds a node, and nobody is woken who would not. Closed
    // once there will be no more.
    ready: Semaphore,
    // The next alarm is earlier than whoever keeps the time knows.
    earlier: Notify,
    // The caller's, and what ends the calls: also when it was not the caller who ended the walk.
    cancel: CancellationToken,
    stop: CancellationToken,
}

impl<N, E> Shared<N, E> {
    pub(super) fn new(frontier: Frontier<N, E>, cancel: CancellationToken, stop: CancellationToken) -> Self {
        let ready = Semaphore::new(frontier.ready());
        if frontier.is_over() {
            ready.close();
        }
        let start = Instant::now();
        Self { frontier: Mutex::new(frontier), start, ready, earlier: Notify::new(), cancel, stop }
    }

    /// Waits for a node to call; `None` once there will be none.
    pub(super) async fn next(&self) -> Option<Job<N>> {
        self.ready.acquire().await.ok()?.forget();
        self.change(Frontier::next)
    }

    /// Takes in what became of a node.
    pub(super) fn end(&self, job: Job<N>, attempt: Attempt<N, E>) {
        self.change(|frontier, now| frontier.end(job, attempt, now));
    }

    /// Heeds the clock and the caller's token for as long as the walk goes on.
    pub(super) async fn keep_time(&self) -> Infallible {
        loop {
            let (alarm, stopped) = self.change(|frontier, now| {
                frontier.advance(now);
                (frontier.alarm(), frontier.is_stopped())
            });
            tokio::select! {
                biased;
                () = self.cancel.cancelled(), if !stopped => {}
                () = self.earlier.notified() => {}
                () = sleep_until(alarm.and_then(|alarm| self.start.checked_add(alarm))) => {}
            }
        }
    }

    /// What became of all nodes. To be asked once every worker has ended.
    pub(super) fn survey(self) -> Survey<N, E> {
        self.frontier.into_inner().unwrap_or_else(PoisonError::into_inner).survey()
    }

    /// Changes the frontier, and wakes whom that concerns.
    fn change<R>(&self, change: impl FnOnce(&mut Frontier<N, E>, Duration) -> R) -> R {
        // Poisoned by a panic in the policy's own functions, which goes on in the caller and ends the walk.
        let mut frontier = self.frontier.lock().unwrap_or_else(PoisonError::into_inner);
        let (ready, alarm) = (frontier.ready(), frontier.alarm());
        if self.cancel.is_cancelled() {
            frontier.cancel();
        }
        let result = change(&mut frontier, self.start.elapsed());
        let more = frontier.ready().saturating_sub(ready);
        let earlier = frontier.alarm().is_some_and(|new| alarm.is_none_or(|old| new < old));
        let (stopped, over) = (frontier.is_stopped(), frontier.is_over());
        drop(frontier);
        self.ready.add_permits(more);
        if earlier {
            self.earlier.notify_one();
        }
        if stopped {
            self.stop.cancel();
        }
        if stopped || over {
            self.ready.close();
        }
        result
    }
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::pin::pin;

    use fanout_workload::survey::{Class, Cut, Ended, Fault, Gauges, Policy, Retry};
    use tokio::time::timeout;

    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn shared(policy: Policy<u32, ()>, roots: &[u32], cancel: &CancellationToken) -> Shared<u32, ()> {
        let frontier = Frontier::new(policy, roots.to_vec(), Gauges::default());
        Shared::new(frontier, cancel.clone(), cancel.child_token())
    }

    /// Whoever waits for a node, and nobody else, for so long.
    async fn next(shared: &Shared<u32, ()>, within: Duration) -> Option<Option<u32>> {
        let next = async { shared.next().await.map(|job| job.node) };
        let time = pin!(shared.keep_time());
        tokio::select! {
            biased;
            next = timeout(within, next) => next.ok(),
            never = time => match never {},
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_roots_nobody_waits() {
        let shared = shared(Policy::new(), &[], &CancellationToken::new());
        assert!(shared.next().await.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_is_idle_waits_for_children_or_for_the_end() {
        let shared = shared(Policy::new(), &[1], &CancellationToken::new());
        let root = shared.next().await.expect("the root");
        assert_eq!(next(&shared, ms(60_000)).await, None);
        shared.end(root, Attempt::Answered(vec![2]));
        let child = shared.next().await.expect("the child");
        shared.end(child, Attempt::Answered(vec![]));
        assert_eq!(next(&shared, ms(60_000)).await, Some(None));
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_gave_up_waiting_took_nothing_with_it() {
        let shared = shared(Policy::new(), &[1], &CancellationToken::new());
        let root = shared.next().await.expect("the root");
        {
            let mut waiting = pin!(shared.next());
            assert!(futures::poll!(waiting.as_mut()).is_pending());
            shared.end(root, Attempt::Answered(vec![2]));
        }
        assert_eq!(next(&shared, ms(1)).await, Some(Some(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_alarm_is_heeded_by_who_sleeps_until_a_later_one() {
        let retry = Retry::new(NonZeroU32::MAX, ms(100));
        let shared = shared(Policy::new().deadline(ms(10_000)).retry(retry), &[1], &CancellationToken::new());
        let job = shared.next().await.expect("the root");
        let failing = async {
            tokio::time::sleep(ms(50)).await;
            shared.end(job, Attempt::Failed { fault: Fault::Call(()), class: Class::Retryable });
        };
        let (again, ()) = tokio::join!(next(&shared, ms(60_000)), failing);
        assert_eq!((again, shared.start.elapsed()), (Some(Some(1)), ms(150)));
    }

    #[tokio::test(start_paused = true)]
    async fn the_deadline_and_the_callers_token_let_everybody_go() {
        for (policy, ended, cut) in [
            (Policy::new().deadline(ms(50)), Ended::Deadline, Cut::Deadline),
            (Policy::new(), Ended::Cancelled, Cut::Cancelled),
        ] {
            let cancel = CancellationToken::new();
            let shared = shared(policy, &[1], &cancel);
            let job = shared.next().await.expect("the root");
            let cancelling = async {
                tokio::time::sleep(ms(60)).await;
                cancel.cancel();
            };
            let (end, ()) = tokio::join!(next(&shared, ms(60_000)), cancelling);
            assert_eq!(end, Some(None));
            assert!(shared.stop.is_cancelled());
            // An answer that was on its way still counts, and what it reveals is cut.
            shared.end(job, Attempt::Answered(vec![2]));
            let survey = shared.survey();
            assert_eq!((survey.ended, survey.visited), (ended, 1));
            assert_eq!(survey.truncated, [(2, cut)]);
        }
    }
}
