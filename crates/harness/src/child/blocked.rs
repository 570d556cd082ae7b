//! Which worker threads of a stuck runtime do nothing and do not rest either.

use std::time::Duration;

use tokio::runtime::RuntimeMetrics;

/// How long a thread that is at work may go without resting before it is called blocked.
const APART: Duration = Duration::from_millis(50);

/// The worker threads that have not parked for a while, in words; nothing where all of them have.
///
/// Blocks for a moment, so it is for the verdict, on a thread that is none of them.
pub(super) fn workers(runtime: &RuntimeMetrics) -> Option<String> {
    let counts = || (0..runtime.num_workers()).map(|worker| runtime.worker_park_unpark_count(worker));
    let before: Vec<u64> = counts().collect();
    std::thread::sleep(APART);
    // It is counted when a worker parks and when it is woken: odd, and it rests.
    let blocked = counts().zip(&before).filter(|(now, before)| now == *before && now % 2 == 0).count();
    let all = runtime.num_workers();
    (blocked > 0).then(|| {
        let are = if blocked == 1 { "is" } else { "are" };
        format!("{blocked} of {all} worker threads {are} blocked inside a poll")
    })
}
