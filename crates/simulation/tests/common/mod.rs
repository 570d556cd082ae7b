//! What the property tests share.

use std::time::Duration;

use tokio::runtime::Builder;
use tokio::time::Instant;

/// Runs a future to its end, and says what it took.
pub fn on_the_paused_clock<F: Future>(future: F) -> (F::Output, Duration) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without I/O").block_on(async {
        let start = Instant::now();
        let output = future.await;
        (output, start.elapsed())
    })
}
