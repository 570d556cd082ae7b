use hdrhistogram::Histogram;

/// The longest latency that is told apart: a day. Longer ones count as a day.
const LONGEST_NS: u64 = 24 * 60 * 60 * 1_000_000_000;

/// In what steps latencies are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// For a clock whose every instant is a whole millisecond: exact up to 262 seconds, 1 in 100,000 above.
    Milliseconds,
    /// For real time: microseconds up to 2 ms, 1 in 1,000 above.
    Microseconds,
}

impl Resolution {
    const fn step_ns(self) -> u64 {
        match self {
            Self::Milliseconds => 1_000_000,
            Self::Microseconds => 1_000,
        }
    }

    const fn significant_digits(self) -> u8 {
        match self {
            Self::Milliseconds => 5,
            Self::Microseconds => 3,
        }
    }
}

/// A distribution of latencies, in memory that is all reserved at the start.
#[derive(Debug)]
pub(crate) struct Latencies {
    step_ns: u64,
    histogram: Histogram<u64>,
    max_ns: u64,
}

/// What is reported of a distribution, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    /// The median.
    pub p50_ns: u64,
    /// The 99th percentile.
    pub p99_ns: u64,
    /// The longest, exact.
    pub max_ns: u64,
}

impl Latencies {
    pub(crate) fn new(resolution: Resolution) -> Self {
        let step_ns = resolution.step_ns();
        let histogram = Histogram::new_with_bounds(1, LONGEST_NS / step_ns, resolution.significant_digits())
            .expect("the bounds and digits are within what a histogram takes");
        Self { step_ns, histogram, max_ns: 0 }
    }

    pub(crate) fn record(&mut self, latency_ns: u64) {
        self.histogram.saturating_record(latency_ns / self.step_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// `None` where nothing was recorded.
    pub(crate) fn percentiles(&self) -> Option<Percentiles> {
        // A bucket answers with the highest value it may stand for, which may be above any that was seen.
        let at = |quantile| (self.histogram.value_at_quantile(quantile) * self.step_ns).min(self.max_ns);
        (!self.histogram.is_empty()).then(|| Percentiles {
            p50_ns: at(0.5),
            p99_ns: at(0.99),
            max_ns: self.max_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_milliseconds_are_exact() {
        let mut latencies = Latencies::new(Resolution::Milliseconds);
        for ms in 1..=200 {
            latencies.record(ms * 1_000_000_000 / 1_000);
        }
        latencies.record(200_001_000_000);
        let percentiles = latencies.percentiles().expect("some were recorded");
        assert_eq!(
            percentiles,
            Percentiles { p50_ns: 101_000_000, p99_ns: 199_000_000, max_ns: 200_001_000_000 }
        );
    }

    #[test]
    fn nothing_recorded_is_not_zero() {
        assert_eq!(Latencies::new(Resolution::Microseconds).percentiles(), None);
    }
}
