//! What a scenario's file and a command's argument have in common about latencies.

use std::time::Duration;

use fanout_simulation::Latency;
use thiserror::Error;

/// The least median of a latency that virtual time can show, zero aside.
pub const LEAST_VIRTUAL_MEDIAN: Duration = Duration::from_millis(5);

/// A latency that the virtual clock is too coarse for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "found a median of {median:?}, expected 0ms or at least {LEAST_VIRTUAL_MEDIAN:?} on the virtual clock: it goes by \
     whole milliseconds, and of anything shorter the rounding would be a large part"
)]
pub struct TooFine {
    /// The latency's median.
    pub median: Duration,
}

/// Refuses a latency that virtual time cannot show.
///
/// # Errors
/// A median below [`LEAST_VIRTUAL_MEDIAN`], unless it is zero.
pub fn fit_for_virtual(latency: &Latency) -> Result<(), TooFine> {
    let median = latency.median();
    if median.is_zero() || median >= LEAST_VIRTUAL_MEDIAN { Ok(()) } else { Err(TooFine { median }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_five_milliseconds_and_more_fit() {
        let fits = |latency| fit_for_virtual(&Latency::constant(latency)).is_ok();
        assert!(fits(Duration::ZERO) && fits(LEAST_VIRTUAL_MEDIAN) && fits(Duration::from_secs(1)));
        assert!(!fits(Duration::from_millis(1)) && !fits(Duration::from_millis(4)));
        let exponential = Latency::exponential(Duration::from_millis(7)).unwrap();
        assert_eq!(fit_for_virtual(&exponential), Err(TooFine { median: Duration::from_nanos(4_852_030) }));
    }
}
