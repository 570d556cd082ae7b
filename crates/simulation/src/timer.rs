use std::time::Duration;

use tokio::task::coop::unconstrained;
use tokio::time::Instant;

/// What a simulated call sleeps on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// tokio's clock, which is to be paused. Its timers are whole milliseconds, and so are all simulated times.
    ///
    /// Outside tokio's cooperative budget: a simulated call stands for a real one, whose leaf future is a socket, and
    /// a join over many timers that fire in one instant would otherwise be polled again and again for nothing.
    Virtual,
    /// Real time, at a resolution that tokio's timers do not have: those round up to the next millisecond.
    Wall,
}

impl Timer {
    /// Sleeps for so long. Zero does not sleep, and does not yield either.
    pub async fn sleep(self, duration: Duration) {
        if duration.is_zero() {
            return;
        }
        match self {
            Self::Virtual => unconstrained(tokio::time::sleep(duration)).await,
            Self::Wall => {
                async_io::Timer::after(duration).await;
            }
        }
    }

    /// Sleeps until then. An instant that is past does not sleep, and does not yield either.
    pub async fn sleep_until(self, instant: Instant) {
        self.sleep(instant.saturating_duration_since(Instant::now())).await;
    }
}
