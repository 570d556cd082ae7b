use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::latency::{Latencies, Percentiles, Resolution};

/// How late a task of the runtime is served that is due every 5 ms. Behind calls that block it waits its turn like any
/// other task, so it may not be served before the last of them.
///
/// It is woken by a timer of its own thread. tokio's timers are served by the very threads that are to be watched, and
/// round to whole milliseconds.
#[derive(Debug)]
pub struct LoopLag {
    lags: Arc<Mutex<Latencies>>,
    task: JoinHandle<()>,
}

impl LoopLag {
    /// How often the task is due.
    pub const PERIOD: Duration = Duration::from_millis(5);

    /// Starts the task, on the runtime that this is called in. Dropping it ends the task.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    #[must_use]
    pub fn start() -> Self {
        let lags = Arc::new(Mutex::new(Latencies::new(Resolution::Microseconds)));
        let task = tokio::spawn(watch(Arc::clone(&lags)));
        Self { lags, task }
    }

    /// What has been measured so far; none before the task was first due.
    #[must_use]
    pub fn read(&self) -> Option<Percentiles> {
        self.lags.lock().unwrap_or_else(PoisonError::into_inner).percentiles()
    }
}

impl Drop for LoopLag {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn watch(lags: Arc<Mutex<Latencies>>) {
    let mut due = Instant::now() + LoopLag::PERIOD;
    loop {
        async_io::Timer::at(due).await;
        record(&lags, &mut due, Instant::now());
    }
}

/// Records all times at which the task was due by now. One long stall makes it late many times over, not once.
fn record(lags: &Mutex<Latencies>, due: &mut Instant, now: Instant) {
    let mut lags = lags.lock().unwrap_or_else(PoisonError::into_inner);
    while *due <= now {
        lags.record(u64::try_from((now - *due).as_nanos()).unwrap_or(u64::MAX));
        *due += LoopLag::PERIOD;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_counts_for_each_time_that_it_hides() {
        let lags = Mutex::new(Latencies::new(Resolution::Microseconds));
        let start = Instant::now();
        let mut due = start;
        record(&lags, &mut due, start + Duration::from_millis(21));
        assert_eq!(due, start + Duration::from_millis(25));
        let read = lags.into_inner().unwrap().percentiles().expect("late five times");
        // Told apart to 1 in 1,000, so the middle one of the five may read a little above its 11 ms.
        assert!((11_000_000..=11_011_000).contains(&read.p50_ns), "{}", read.p50_ns);
        assert_eq!(read.max_ns, 21_000_000);
    }
}
