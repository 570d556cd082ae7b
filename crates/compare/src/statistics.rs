//! Whether two samples of real times are of one program. The test is statrs's; the resampling is ours.

use fanout_record::median;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;
use statrs::statistics::{Data, OrderStatistics};
use statrs::stats_tests::Alternative;
use statrs::stats_tests::mannwhitneyu::{MannWhitneyUMethod, mannwhitneyu};

/// How often a sample is drawn anew from itself.
const RESAMPLES: usize = 4_000;

/// The ratio of two medians, with the interval that it lies in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The head's median over the base's.
    pub ratio: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// The ratio of the medians, with a percentile bootstrap's interval (Efron, 1979). `seed` makes the same samples give the
/// same interval. None where a sample is empty or the base's median is 0.
pub(crate) fn ratio(base: &[u64], head: &[u64], confidence: f64, seed: u64) -> Option<Ratio> {
    let of = |base: u64, head: u64| (base > 0).then(|| head as f64 / base as f64);
    let ratio = of(median(base.to_vec())?, median(head.to_vec())?)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut again = |sample: &[u64]| {
        let drawn = (0..sample.len()).map(|_| sample[rng.random_range(0..sample.len())]);
        median(drawn.collect()).unwrap_or(0)
    };
    let ratios: Vec<f64> = (0..RESAMPLES).filter_map(|_| of(again(base), again(head))).collect();
    let mut ratios = Data::new(ratios);
    let tail = (1.0 - confidence) / 2.0;
    Some(Ratio { ratio, low: ratios.quantile(tail), high: ratios.quantile(1.0 - tail) })
}

/// How often two samples of one program would differ in rank as much as these (Mann and Whitney, 1947), by the normal
/// approximation with its correction for ties and for continuity, which is on the safe side of the exact value.
pub(crate) fn p_value(base: &[u64], head: &[u64]) -> f64 {
    let method = MannWhitneyUMethod::AsymptoticInclContinuityCorrection;
    let tested = mannwhitneyu(base, head, method, Alternative::TwoSided);
    // Not a number where all values are the same: then nothing differs.
    tested.map_or(1.0, |(_, p)| if p.is_nan() { 1.0 } else { p })
}

/// The fewest runs a side with which the rarest of all results is as rare as `alpha`.
pub(crate) fn fewest_runs(alpha: f64) -> usize {
    let rarest = |runs: usize| {
        let sample: Vec<u64> = (0..2 * runs as u64).collect();
        p_value(&sample[..runs], &sample[runs..])
    };
    (2..).find(|&runs| rarest(runs) <= alpha).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_agrees_with_others() {
        // scipy.stats.mannwhitneyu(range(8), range(8, 16), method="asymptotic"): 0.000939...
        let sample: Vec<u64> = (0..16).collect();
        let p = p_value(&sample[..8], &sample[8..]);
        assert!((p - 0.000_939).abs() < 0.000_001, "{p}");
        assert!((p_value(&[1, 2, 3, 4], &[1, 2, 3, 4]) - 1.0).abs() < 1e-9);
        assert!((p_value(&[5; 9], &[5; 9]) - 1.0).abs() < 1e-9);
        assert_eq!(fewest_runs(0.001), 8);
        assert_eq!(fewest_runs(0.05), 4);
    }

    #[test]
    fn an_interval_holds_its_ratio_and_is_the_same_again() {
        let base: Vec<u64> = (0..10).map(|run| 1_000 + run).collect();
        let head: Vec<u64> = base.iter().map(|time| time * 105 / 100).collect();
        let found = ratio(&base, &head, 0.99, 7).expect("two samples");
        assert!((found.ratio - 1.05).abs() < 0.001, "{found:?}");
        assert!(found.low <= found.ratio && found.ratio <= found.high && found.low > 1.03, "{found:?}");
        assert_eq!(ratio(&base, &head, 0.99, 7), Some(found));
        assert_eq!(ratio(&[0, 0], &[1, 2], 0.99, 7), None);
        assert_eq!(ratio(&[], &[1, 2], 0.99, 7), None);
    }
}
