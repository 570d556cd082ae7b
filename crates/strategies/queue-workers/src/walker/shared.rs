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
    // A permit for each node that is ready. Whoever has one finds a node, and nobody is woken who would not. Closed once
    // there will be no more.
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
