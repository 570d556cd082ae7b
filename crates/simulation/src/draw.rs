//! Randomness by hash: a generator for each thing to be drawn.

use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use xxhash_rust::xxh3::xxh3_64;

/// What is drawn. Two things about one item are independent of each other.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    Latency = 1,
    Fault = 2,
    Branching = 3,
    Arrival = 4,
}

/// The generator for one purpose, item and attempt. The same on every machine.
pub(crate) fn generator(purpose: Purpose, seed: u64, item: u64, attempt: u32) -> Xoshiro256PlusPlus {
    let mut key = [0; 21];
    key[0] = purpose as u8;
    key[1..9].copy_from_slice(&seed.to_le_bytes());
    key[9..17].copy_from_slice(&item.to_le_bytes());
    key[17..].copy_from_slice(&attempt.to_le_bytes());
    Xoshiro256PlusPlus::seed_from_u64(xxh3_64(&key))
}

/// The seed of one of several things that have the same items.
pub(crate) fn derived_seed(seed: u64, number: u64) -> u64 {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..].copy_from_slice(&number.to_le_bytes());
    xxh3_64(&key)
}

/// A year: what a draw is cut to. So no sum over a workload overflows, and whoever watches the virtual clock can tell
/// a long call from one that never ends.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A duration in whole milliseconds: rounded half-up, and at least one unless it is zero.
pub(crate) fn rounded(duration: Duration) -> Duration {
    // From nanoseconds, since a half has to be a half.
    let nanoseconds = duration.min(LONGEST).as_nanos();
    let least = u64::from(nanoseconds > 0);
    let milliseconds = u64::try_from((nanoseconds + 500_000) / 1_000_000).unwrap_or(u64::MAX);
    Duration::from_millis(milliseconds.max(least))
}

/// A drawn number of milliseconds, likewise.
pub(crate) fn rounded_milliseconds(milliseconds: f64) -> Duration {
    let least = u64::from(milliseconds > 0.0);
    // The cast saturates, at both ends.
    Duration::from_millis(((milliseconds + 0.5).floor() as u64).max(least)).min(LONGEST)
}

pub(crate) fn milliseconds(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_up_and_only_zero_is_zero() {
        let ms = Duration::from_millis;
        let cases = [(0.0, 0), (0.001, 1), (0.5, 1), (1.499, 1), (1.5, 2), (2.5, 3), (4.5, 5), (10.0, 10)];
        for (drawn, whole) in cases {
            assert_eq!(rounded_milliseconds(drawn), ms(whole), "{drawn}");
            let duration = Duration::from_micros((drawn * 1_000.0) as u64);
            assert_eq!(rounded(duration), ms(whole), "{duration:?}");
        }
    }

    #[test]
    fn nothing_is_longer_than_a_year() {
        for drawn in [1e11, f64::MAX, f64::INFINITY] {
            assert_eq!(rounded_milliseconds(drawn), LONGEST, "{drawn}");
        }
        assert_eq!(rounded(Duration::MAX), LONGEST);
    }

    #[test]
    fn each_part_of_the_key_matters() {
        use rand::Rng;

        let draw = |purpose, seed, item, attempt| generator(purpose, seed, item, attempt).next_u64();
        let drawn = draw(Purpose::Latency, 1, 2, 3);
        assert_eq!(draw(Purpose::Latency, 1, 2, 3), drawn);
        let others = [
            draw(Purpose::Fault, 1, 2, 3),
            draw(Purpose::Latency, 9, 2, 3),
            draw(Purpose::Latency, 1, 9, 3),
            draw(Purpose::Latency, 1, 2, 9),
            draw(Purpose::Latency, 2, 1, 3),
        ];
        assert!(!others.contains(&drawn));
    }
}
