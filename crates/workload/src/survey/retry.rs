use std::num::NonZeroU32;
use std::time::Duration;

/// How often a node is called, and how long it backs off between two calls: twice as long each time.
///
/// Delays are whole milliseconds, rounded up: what timers can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    attempts: NonZeroU32,
    backoff: Duration,
    longest: Duration,
    jitter: Option<u64>,
}

impl Retry {
    /// One call a node.
    pub const NEVER: Self = Self::new(NonZeroU32::MIN, Duration::ZERO);

    /// At most so many calls a node, the first included, and `backoff` between the first and the second.
    #[must_use]
    pub const fn new(attempts: NonZeroU32, backoff: Duration) -> Self {
        Self { attempts, backoff, longest: Duration::MAX, jitter: None }
    }

    /// No delay is longer than this.
    #[must_use]
    pub const fn longest(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }

    /// Each delay is drawn from the upper half of what it would be, so that calls which failed together do not come
    /// back together. Drawn by hash: the same seed gives the same delays. Processes that share a downstream want
    /// different ones.
    #[must_use]
    pub const fn jitter(mut self, seed: u64) -> Self {
        self.jitter = Some(seed);
        self
    }

    /// Most calls a node.
    #[must_use]
    pub const fn attempts(&self) -> NonZeroU32 {
        self.attempts
    }

    /// How long after its call number `attempt`, from 1, a node is called again. `node` tells nodes apart.
    #[must_use]
    pub fn delay(&self, node: u64, attempt: u32) -> Duration {
        // Doubled 31 times, a millisecond is 25 days.
        let doubled = self.backoff.saturating_mul(1 << attempt.saturating_sub(1).min(31));
        let whole = milliseconds(doubled.min(self.longest));
        let drawn = match self.jitter {
            None => whole,
            Some(seed) => {
                let least = whole.div_ceil(2);
                least + mix(mix(seed ^ mix(node)) ^ u64::from(attempt)) % (whole - least + 1)
            }
        };
        Duration::from_millis(drawn)
    }
}

impl Default for Retry {
    fn default() -> Self {
        Self::NEVER
    }
}

/// Rounded up, and far below an overflow of what is drawn from it.
fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX / 2).min(u64::MAX / 2)
}

/// The finalizer of SplitMix64: each bit of the input flips half of the output's. Enough to spread delays, and the same
/// on every machine.
const fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn retry(backoff: Duration) -> Retry {
        Retry::new(NonZeroU32::new(5).expect("not 0"), backoff)
    }

    #[test]
    fn delays_double_up_to_the_longest() {
        let retry = retry(ms(50)).longest(ms(300));
        let delays: Vec<_> = (1..=5).map(|attempt| retry.delay(0, attempt)).collect();
        assert_eq!(delays, [50, 100, 200, 300, 300].map(ms));
        assert_eq!(retry.delay(0, u32::MAX), ms(300));
    }

    #[test]
    fn delays_are_whole_milliseconds() {
        assert_eq!(retry(Duration::from_micros(1_001)).delay(0, 1), ms(2));
        assert_eq!(retry(Duration::ZERO).jitter(1).delay(0, 3), Duration::ZERO);
        assert!(retry(Duration::MAX).delay(0, 9) > Duration::from_secs(u64::from(u32::MAX)));
    }

    #[test]
    fn jitter_spreads_over_the_upper_half_and_no_further() {
        let retry = retry(ms(1_000)).jitter(7);
        let delays: Vec<_> = (0..10_000).map(|node| retry.delay(node, 1)).collect();
        assert_eq!((delays.iter().min(), delays.iter().max()), (Some(&ms(500)), Some(&ms(1_000))));
        let mean = delays.iter().sum::<Duration>() / 10_000;
        assert!((ms(745)..ms(755)).contains(&mean), "{mean:?}");
    }

    #[test]
    fn each_part_of_the_key_matters() {
        let wide = retry(Duration::from_secs(1 << 40));
        let drawn = |seed, node, attempt| {
            let delay = wide.jitter(seed).delay(node, attempt);
            delay.as_millis() as f64 / wide.delay(node, attempt).as_millis() as f64
        };
        let first = drawn(1, 2, 3);
        assert_eq!(drawn(1, 2, 3).to_bits(), first.to_bits());
        for other in [drawn(9, 2, 3), drawn(1, 9, 3), drawn(1, 2, 4), drawn(2, 1, 3)] {
            assert_ne!(other.to_bits(), first.to_bits());
        }
    }
}
