use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

use thiserror::Error;
use tokio::runtime::Builder;

use crate::Report;

/// Longer than any timer that a program sets in earnest.
const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// Nothing was runnable and no timer was set: the future could never have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("nothing is runnable and no timer is set: this can never end")]
pub struct Stuck;

/// Waits for `future` on a paused clock, or finds that it can never end.
///
/// The watchdog is ten years ahead of the start, and whatever takes longer looks stuck to it. A caller who can see that
/// something has happened meanwhile waits again.
///
/// The future is only borrowed: after [`Stuck`] it is still there as it stopped, so that gauges and holders can be
/// read before it is dropped. On a clock that is not paused the verdict takes ten years.
///
/// # Errors
///
/// [`Stuck`], when nothing is runnable and no timer is set.
pub async fn watch<F: Future>(future: Pin<&mut F>) -> Result<F::Output, Stuck> {
    tokio::select! {
        biased;
        output = future => Ok(output),
        () = tokio::time::sleep(TEN_YEARS) => Err(Stuck),
    }
}

/// Runs `future` to its end on a paused clock of its own, or says why it can never end. For tests: timers take no
/// time, and a deadlock is an error after microseconds instead of a test that hangs.
///
/// A future that rightly takes ten years on its clock is taken for one that never ends: see [`watch`].
///
/// `report` is asked while everything is still as it stopped, before the future is dropped and gives its slots back.
///
/// # Errors
///
/// The report, when nothing is runnable and no timer is set.
///
/// # Panics
///
/// Where a tokio runtime runs already on this thread.
pub fn run<F: Future>(future: F, report: impl FnOnce() -> Report) -> Result<F::Output, Report> {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without I/O asks the system for nothing");
    runtime.block_on(async {
        let mut future = pin!(future);
        watch(future.as_mut()).await.map_err(|Stuck| report())
    })
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    fn no_report() -> Report {
        Report::default()
    }

    #[test]
    fn a_future_that_ends_gives_its_output() {
        let day = Duration::from_secs(24 * 60 * 60);
        let ended = run(
            async {
                let start = Instant::now();
                sleep(day).await;
                start.elapsed()
            },
            no_report,
        );
        assert_eq!(ended, Ok(day));
    }

    #[test]
    fn a_future_that_waits_for_nothing_is_stuck() {
        assert_eq!(run(std::future::pending::<()>(), no_report), Err(no_report()));
    }

    #[test]
    fn a_task_that_is_still_runnable_is_no_deadlock() {
        let ended = run(
            async {
                let (done, wait) = tokio::sync::oneshot::channel();
                tokio::spawn(async {
                    for _ in 0..1000 {
                        tokio::task::yield_now().await;
                    }
                    done.send("done")
                });
                wait.await
            },
            no_report,
        );
        assert_eq!(ended, Ok(Ok("done")));
    }
}
