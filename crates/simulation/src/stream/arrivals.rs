use std::num::NonZeroU32;
use std::time::Duration;

use rand_distr::{Distribution, Exp1};

use crate::draw::{Purpose, generator};
use crate::faults::Item;

/// When the messages of a stream arrive, rounded up to whole milliseconds: never before their time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrivals {
    /// All are there at the start.
    AtOnce,
    /// One after another at the same distance, the first a distance after the start.
    Even {
        /// How many a second.
        per_second: NonZeroU32,
    },
    /// Independent of each other: a Poisson process.
    Poisson {
        /// How many a second, on average.
        per_second: NonZeroU32,
    },
}

/// Which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamSpec {
    messages: u32,
    payload_bytes: usize,
    arrivals: Arrivals,
}

impl StreamSpec {
    /// So many messages of so many bytes, arriving like this.
    #[must_use]
    pub const fn new(messages: u32, payload_bytes: usize, arrivals: Arrivals) -> Self {
        Self { messages, payload_bytes, arrivals }
    }

    /// How many messages there are.
    #[must_use]
    pub const fn messages(&self) -> u32 {
        self.messages
    }

    /// What the payload of each message weighs.
    #[must_use]
    pub const fn payload_bytes(&self) -> usize {
        self.payload_bytes
    }

    /// When each message arrives, since the start, in whole milliseconds; never one before the one before it.
    pub fn arrival_times(&self, seed: u64) -> impl Iterator<Item = Duration> + Send + use<> {
        let arrivals = self.arrivals;
        let mut elapsed_ms = 0.0;
        (1..=u64::from(self.messages)).map(move |number| match arrivals {
            Arrivals::AtOnce => Duration::ZERO,
            Arrivals::Even { per_second } => {
                Duration::from_millis((number * 1_000).div_ceil(u64::from(per_second.get())))
            }
            Arrivals::Poisson { per_second } => {
                let gap: f64 = Exp1.sample(&mut generator(Purpose::Arrival, seed, number, 0));
                elapsed_ms += gap * 1_000.0 / f64::from(per_second.get());
                Duration::from_millis(elapsed_ms.ceil() as u64)
            }
        })
    }

    /// What a call for the message is about, which was read as number `index`, from 0.
    pub(crate) const fn item(index: u64) -> Item {
        Item { index, depth: None, position: index }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(arrivals: Arrivals) -> Vec<u128> {
        StreamSpec::new(20_000, 0, arrivals).arrival_times(1).map(|at| at.as_millis()).collect()
    }

    #[test]
    fn even_arrivals_are_as_many_in_each_millisecond() {
        let per_second = NonZeroU32::new(72_000).expect("not 0");
        let times = times(Arrivals::Even { per_second });
        assert_eq!((times[0], times[71], times[72], times[19_999]), (1, 1, 2, 278));
        assert!((1..=277).all(|ms| times.iter().filter(|&&at| at == ms).count() == 72));
    }

    #[test]
    fn poisson_arrivals_have_their_rate_and_their_spread() {
        let per_second = NonZeroU32::new(1_000).expect("not 0");
        let times = times(Arrivals::Poisson { per_second });
        assert!(times.is_sorted());
        assert!((19_600..20_400).contains(&times[19_999]), "{}", times[19_999]);
        // At 1 a millisecond, a share of 1/e of the milliseconds has none.
        let last = times[19_999];
        let empty = (0..last).filter(|ms| times.binary_search(ms).is_err()).count() as f64 / last as f64;
        assert!((0.35..0.39).contains(&empty), "{empty}");
    }

    #[test]
    fn all_at_once_is_at_the_start() {
        assert!(times(Arrivals::AtOnce).iter().all(|&at| at == 0));
    }
}
