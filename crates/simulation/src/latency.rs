use std::io::BufRead;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use rand_distr::{Distribution, Exp, LogNormal, Uniform};
use thiserror::Error;

use crate::draw::{LONGEST, Purpose, generator, milliseconds, rounded, rounded_milliseconds};

/// How long a call takes: a distribution, from which each item and attempt has its own draw.
///
/// What is drawn is rounded half-up to whole milliseconds, is at least one of them unless it is zero, and is cut to a
/// year.
#[derive(Debug, Clone)]
pub struct Latency {
    kind: Kind,
    median: Duration,
}

#[derive(Debug, Clone)]
enum Kind {
    Constant(Duration),
    Uniform(Uniform<f64>),
    Exponential(Exp<f64>),
    LogNormal(LogNormal<f64>),
    Samples(Arc<[Duration]>),
}

/// Why a distribution makes no sense.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LatencyError {
    /// The ends are the wrong way round.
    #[error("min is {min:?} and max {max:?}, expected min to be at most max")]
    Range {
        /// The least.
        min: Duration,
        /// The most.
        max: Duration,
    },
    /// A mean or median of zero.
    #[error("{what} is zero, expected a duration above zero")]
    Zero {
        /// Which of them.
        what: &'static str,
    },
    /// A sigma that gives no distribution, or one whose tail no clock could show.
    #[error("sigma is {found}, expected a number from 0 to 10")]
    Sigma {
        /// What was found.
        found: f64,
    },
    /// No samples to draw from.
    #[error("there are no samples, expected one duration a line")]
    NoSamples,
}

/// Durations from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Samples(Vec<Duration>);

/// Why a file of samples cannot be used.
#[derive(Debug, Error)]
pub enum SamplesError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A line is no duration.
    #[error("line {line}: found {found:?}, expected a duration such as 12ms or 1.5s")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What was found, cut short.
        found: String,
    },
    /// A line is a duration that no run could show.
    #[error("line {line}: found {found:?}, expected a duration of at most a year")]
    TooLong {
        /// The line, from 1.
        line: u64,
        /// What was found.
        found: Duration,
    },
}

impl Samples {
    /// Reads one duration a line, as `12ms` or `1.5s`. Empty lines are skipped.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a line is no duration, or one above a year.
    pub fn read(mut from: impl BufRead) -> Result<Self, SamplesError> {
        let mut samples = Vec::new();
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            if from.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let sample = humantime::parse_duration(text)
                .map_err(|_| SamplesError::Line { line: number, found: text.chars().take(40).collect() })?;
            if sample > LONGEST {
                return Err(SamplesError::TooLong { line: number, found: sample });
            }
            samples.push(sample);
        }
        Ok(Self(samples))
    }
}

impl Latency {
    /// The same for every call.
    #[must_use]
    pub fn constant(latency: Duration) -> Self {
        let latency = rounded(latency);
        Self { kind: Kind::Constant(latency), median: latency }
    }

    /// Anything between the two, both included, as likely as anything else before it is rounded.
    ///
    /// # Errors
    ///
    /// `min` is above `max`.
    pub fn uniform(min: Duration, max: Duration) -> Result<Self, LatencyError> {
        let range = LatencyError::Range { min, max };
        let (min, max) = (min.min(LONGEST), max.min(LONGEST));
        let uniform = Uniform::new_inclusive(milliseconds(min), milliseconds(max)).map_err(|_| range)?;
        Ok(Self { kind: Kind::Uniform(uniform), median: (min + max) / 2 })
    }

    /// Memoryless, with this mean.
    ///
    /// # Errors
    ///
    /// The mean is zero.
    pub fn exponential(mean: Duration) -> Result<Self, LatencyError> {
        let exponential = Some(mean)
            .filter(|mean| !mean.is_zero())
            .and_then(|mean| Exp::new(1.0 / milliseconds(mean)).ok())
            .ok_or(LatencyError::Zero { what: "the mean" })?;
        Ok(Self { kind: Kind::Exponential(exponential), median: mean.mul_f64(std::f64::consts::LN_2) })
    }

    /// Log-normal: with this median, and this standard deviation of the logarithm.
    ///
    /// # Errors
    ///
    /// The median is zero, or sigma not within 0 to 10.
    pub fn log_normal(median: Duration, sigma: f64) -> Result<Self, LatencyError> {
        if median.is_zero() {
            return Err(LatencyError::Zero { what: "the median" });
        }
        let log_normal = Some(sigma)
            .filter(|sigma| (0.0..=10.0).contains(sigma))
            .and_then(|sigma| LogNormal::new(milliseconds(median).ln(), sigma).ok())
            .ok_or(LatencyError::Sigma { found: sigma })?;
        Ok(Self { kind: Kind::LogNormal(log_normal), median })
    }

    /// Each of these as likely as any other.
    ///
    /// # Errors
    ///
    /// There are none.
    pub fn samples(Samples(samples): Samples) -> Result<Self, LatencyError> {
        let mut sorted: Vec<_> = samples.into_iter().map(rounded).collect();
        sorted.sort_unstable();
        let median = *sorted.get(sorted.len() / 2).ok_or(LatencyError::NoSamples)?;
        Ok(Self { kind: Kind::Samples(sorted.into()), median })
    }

    /// How long the call for an item takes, at its attempt number `attempt`, from 0.
    #[must_use]
    pub fn of(&self, seed: u64, item: u64, attempt: u32) -> Duration {
        let mut generator = generator(Purpose::Latency, seed, item, attempt);
        let drawn = match &self.kind {
            Kind::Constant(latency) => return *latency,
            Kind::Samples(samples) => return samples[generator.random_range(0..samples.len())],
            Kind::Uniform(uniform) => uniform.sample(&mut generator),
            Kind::Exponential(exponential) => exponential.sample(&mut generator),
            Kind::LogNormal(log_normal) => log_normal.sample(&mut generator),
        };
        rounded_milliseconds(drawn)
    }

    /// The median of the distribution: of a constant and of samples as rounded, the upper one of an even number of
    /// samples; of the others before anything is rounded.
    #[must_use]
    pub const fn median(&self) -> Duration {
        self.median
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 20_000;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// The sorted draws of 20,000 items, in milliseconds.
    fn drawn(latency: &Latency) -> Vec<f64> {
        let mut drawn: Vec<f64> = (0..DRAWS).map(|item| milliseconds(latency.of(7, item, 0))).collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn median(sorted: &[f64]) -> f64 {
        sorted[sorted.len() / 2]
    }

    #[test]
    fn draws_follow_their_distribution() {
        let uniform = drawn(&Latency::uniform(ms(10), ms(20)).expect("a range"));
        assert_eq!((uniform[0], uniform[uniform.len() - 1]), (10.0, 20.0));
        assert!((mean(&uniform) - 15.0).abs() < 0.1, "{}", mean(&uniform));
        assert!((median(&uniform) - 15.0).abs() <= 1.0, "{}", median(&uniform));
        let exponential = drawn(&Latency::exponential(ms(100)).expect("a mean"));
        assert!((mean(&exponential) - 100.0).abs() < 2.0, "{}", mean(&exponential));
        assert!((median(&exponential) - 69.3).abs() < 2.0, "{}", median(&exponential));
        let log_normal = drawn(&Latency::log_normal(ms(40), 0.5).expect("a median"));
        assert!((median(&log_normal) - 40.0).abs() <= 1.0, "{}", median(&log_normal));
        // The mean of a log-normal is its median x exp(sigma^2 / 2).
        let expected = 40.0 * (0.125f64).exp();
        assert!((mean(&log_normal) - expected).abs() < 0.7, "{} for {expected}", mean(&log_normal));
        let samples = Samples(vec![ms(1), ms(5), ms(100)]);
        let samples = drawn(&Latency::samples(samples).expect("three"));
        let fives = samples.iter().filter(|&&sample| sample == 5.0).count();
        assert!((6_300..7_050).contains(&fives), "{fives}");
    }

    #[test]
    fn a_draw_depends_on_seed_item_and_attempt_alone() {
        let latency = Latency::exponential(ms(1_000)).expect("a mean");
        let draw = latency.of(1, 2, 3);
        assert_eq!(latency.of(1, 2, 3), draw);
        assert_ne!(latency.of(9, 2, 3), draw);
        assert_ne!(latency.of(1, 9, 3), draw);
        assert_ne!(latency.of(1, 2, 9), draw);
    }

    #[test]
    fn a_draw_is_the_same_on_every_machine() {
        let latency = Latency::log_normal(ms(20), 0.5).expect("a median");
        let drawn: Vec<_> = (0..6).map(|item| latency.of(1, item, 0).as_millis()).collect();
        assert_eq!(drawn, [45, 5, 37, 13, 20, 24]);
    }

    #[test]
    fn draws_are_whole_milliseconds_and_never_none() {
        let short = Duration::from_micros(300);
        let distributions = [
            Latency::uniform(Duration::ZERO, ms(3)).expect("a range"),
            Latency::exponential(short).expect("a mean"),
            Latency::log_normal(short, 3.0).expect("a median"),
            Latency::samples(Samples(vec![short])).expect("one"),
            Latency::constant(short),
        ];
        for latency in distributions {
            for item in 0..1_000 {
                let drawn = latency.of(1, item, 0);
                assert!(drawn >= ms(1) && drawn.subsec_nanos() % 1_000_000 == 0, "{latency:?}: {drawn:?}");
            }
        }
        assert_eq!(Latency::constant(Duration::ZERO).of(1, 1, 0), Duration::ZERO);
    }

    #[test]
    fn the_wildest_tail_ends_at_a_year() {
        let latency = Latency::log_normal(Duration::MAX, 10.0).expect("a median");
        assert!((0..1_000).all(|item| latency.of(1, item, 0) <= LONGEST));
        assert_eq!(Latency::constant(Duration::MAX).of(1, 1, 0), LONGEST);
        let longest = Latency::uniform(Duration::MAX, Duration::MAX).expect("a range");
        assert_eq!(longest.of(1, 1, 0), LONGEST);
    }

    #[test]
    fn medians_are_known_before_anything_is_drawn() {
        assert_eq!(Latency::constant(ms(10)).median(), ms(10));
        assert_eq!(Latency::uniform(ms(10), ms(30)).map(|latency| latency.median()), Ok(ms(20)));
        let exponential = Latency::exponential(ms(1_000)).map(|latency| latency.median().as_millis());
        assert_eq!(exponential, Ok(693));
        let log_normal = Latency::log_normal(ms(40), 0.5).map(|latency| latency.median());
        assert_eq!(log_normal, Ok(ms(40)));
        let samples = Samples(vec![ms(30), ms(10), ms(20), ms(40)]);
        assert_eq!(Latency::samples(samples).map(|latency| latency.median()), Ok(ms(30)));
    }

    #[test]
    fn what_makes_no_distribution_is_refused() {
        assert!(Latency::uniform(ms(2), ms(1)).is_err());
        assert!(Latency::exponential(Duration::ZERO).is_err());
        assert!(Latency::log_normal(Duration::ZERO, 1.0).is_err());
        for sigma in [-0.1, 10.1, f64::NAN, f64::INFINITY] {
            assert!(Latency::log_normal(ms(1), sigma).is_err(), "{sigma}");
        }
        assert!(matches!(Latency::samples(Samples(Vec::new())), Err(LatencyError::NoSamples)));
    }

    #[test]
    fn samples_are_read_a_line_each() {
        let samples = Samples::read(&b"12ms\r\n\n1.5s\n250us"[..]).expect("durations");
        assert_eq!(samples, Samples(vec![ms(12), ms(1_500), Duration::from_micros(250)]));
        let error = Samples::read(&b"12ms\nsoon\n"[..]).expect_err("soon is none");
        assert_eq!(error.to_string(), "line 2: found \"soon\", expected a duration such as 12ms or 1.5s");
        let error = Samples::read(&b"2years"[..]).expect_err("no run takes as long");
        assert_eq!(error.to_string(), "line 1: found 63115200s, expected a duration of at most a year");
        for bad in [&b"12"[..], b"-1ms", b"1.5", b"\xff", b"99999999999999999999s"] {
            assert!(Samples::read(bad).is_err(), "{}", String::from_utf8_lossy(bad));
        }
    }
}
