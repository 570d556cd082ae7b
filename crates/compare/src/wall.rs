//! The wall clock: two samples, and how sure one can be that they are of two programs.

use std::fmt;

use fanout_record::{CellId, Metric, Outcome, Row};
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::gate::{Gate, WallRule};
use crate::grouped::place;
use crate::pairing::Samples;
use crate::statistics::{Ratio, p_value, ratio};

/// The metrics that are compared: what a run cost. Peaks and percentiles of a wall row are in its table, and exact on the
/// virtual clock.
pub(crate) const METRICS: [Metric; 3] = [Metric::Wall, Metric::Cpu, Metric::RssPeak];

/// What two samples come to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The head is worse, by at least the least effect.
    Regressed,
    /// The head is better, by at least the least effect.
    Improved,
    /// The interval of the ratio lies within the least effect.
    Unchanged,
    /// Neither, and why.
    Inconclusive(String),
}

/// One metric of one wall cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WallComparison {
    /// The cell; its run is 1.
    pub cell: CellId,
    /// The metric.
    pub metric: Metric,
    /// The base's median, in the metric's unit.
    pub base: u64,
    /// The head's median.
    pub head: u64,
    /// How many runs each side has.
    pub runs: (usize, usize),
    /// The head's median over the base's; none where that is 0.
    pub ratio: Option<Ratio>,
    /// How often two samples of one program differ as much.
    pub p: f64,
    /// By which share the base differs from itself: its odd runs against its even ones.
    pub noise: Option<f64>,
    /// What it comes to.
    pub verdict: Verdict,
}

impl WallComparison {
    pub(crate) fn ratio_or_one(&self) -> f64 {
        self.ratio.map_or(1.0, |ratio| ratio.ratio)
    }

    /// What people look for first comes first.
    pub(crate) fn rank(&self) -> u8 {
        match self.verdict {
            Verdict::Regressed => 0,
            Verdict::Improved => 1,
            Verdict::Inconclusive(_) => 2,
            Verdict::Unchanged => 3,
        }
    }
}

impl fmt::Display for WallComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let show = |value| self.metric.unit().show(value);
        let strategy = &self.cell.strategy;
        write!(f, "{strategy}: {} was {}, is {}", self.metric, show(self.base), show(self.head))?;
        if let Some(Ratio { ratio, low, high }) = self.ratio {
            write!(f, ", {ratio:.3} times ({low:.3} to {high:.3})")?;
        }
        write!(f, " in {}", place(&self.cell))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Regressed => f.write_str("regressed"),
            Self::Improved => f.write_str("improved"),
            Self::Unchanged => f.write_str("unchanged"),
            Self::Inconclusive(why) => write!(f, "inconclusive: {why}"),
        }
    }
}

/// A wall cell that does not end as it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Ends {
    pub(crate) base: Outcome,
    pub(crate) head: Outcome,
}

/// Where all runs of the base ended in one way and not all of the head did: the first other way.
pub(crate) fn ends_otherwise(samples: &Samples<'_>) -> Option<Ends> {
    let base = samples.base.first()?.outcome;
    let same = samples.base.iter().all(|row| row.outcome == base);
    let other = samples.head.iter().find(|row| row.outcome != base)?;
    same.then_some(Ends { base, head: other.outcome })
}

/// Compares each metric that both sides measured.
pub(crate) fn compare(samples: &Samples<'_>, gate: &Gate) -> Vec<WallComparison> {
    METRICS.iter().filter_map(|metric| of_metric(samples, *metric, &gate.wall)).collect()
}

fn of_metric(samples: &Samples<'_>, metric: Metric, rule: &WallRule) -> Option<WallComparison> {
    let values = |rows: &[&Row]| rows.iter().filter_map(|row| metric.of(row)).collect::<Vec<u64>>();
    let (old, new) = (values(&samples.base), values(&samples.head));
    let (base, head) = (fanout_record::median(old.clone())?, fanout_record::median(new.clone())?);
    let seed = xxh3_64(format!("{:?} {metric}", samples.cell).as_bytes());
    let ratio = ratio(&old, &new, rule.confidence, seed);
    let p = p_value(&old, &new);
    Some(WallComparison {
        cell: samples.cell.clone(),
        metric,
        base,
        head,
        runs: (old.len(), new.len()),
        ratio,
        p,
        noise: noise(&old),
        verdict: verdict(ratio, p, old.len().min(new.len()), rule),
    })
}

fn verdict(ratio: Option<Ratio>, p: f64, runs: usize, rule: &WallRule) -> Verdict {
    let Some(Ratio { ratio, low, high }) = ratio else {
        return Verdict::Inconclusive("the base's median is 0".to_owned());
    };
    if runs < rule.min_runs.get() {
        return Verdict::Inconclusive(format!("{runs} runs a side, of {} that it takes", rule.min_runs));
    }
    let (more, less) = (1.0 + rule.min_effect, 1.0 / (1.0 + rule.min_effect));
    if p <= rule.alpha && ratio >= more {
        Verdict::Regressed
    } else if p <= rule.alpha && ratio <= less {
        Verdict::Improved
    } else if low > less && high < more {
        Verdict::Unchanged
    } else if p > rule.alpha {
        Verdict::Inconclusive(format!("the interval is wider than {:.1} %", 100.0 * rule.min_effect))
    } else {
        Verdict::Inconclusive(format!("it differs, perhaps by less than {:.1} %", 100.0 * rule.min_effect))
    }
}

/// How far a sample's odd runs lie from its even ones.
fn noise(sample: &[u64]) -> Option<f64> {
    let half = |odd: usize| fanout_record::median(sample.iter().copied().skip(odd).step_by(2).collect());
    let (even, odd) = (half(0)?, half(1)?);
    (even > 0).then(|| (odd as f64 / even as f64 - 1.0).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: WallRule = WallRule {
        alpha: 0.001,
        min_effect: 0.02,
        min_runs: std::num::NonZeroUsize::new(8).unwrap(),
        confidence: 0.99,
    };

    fn judged(base: &[u64], head: &[u64]) -> Verdict {
        let ratio = ratio(base, head, RULE.confidence, 1);
        verdict(ratio, p_value(base, head), base.len().min(head.len()), &RULE)
    }

    fn times(times: impl IntoIterator<Item = u64>) -> Vec<u64> {
        times.into_iter().collect()
    }

    #[test]
    fn each_verdict_has_its_samples() {
        let base = times((0..10).map(|run| 100_000 + 100 * run));
        let scaled = |percent: u64| times(base.iter().map(|time| time * percent / 100));
        assert_eq!(judged(&base, &scaled(105)), Verdict::Regressed);
        assert_eq!(judged(&base, &scaled(95)), Verdict::Improved);
        assert_eq!(judged(&base, &base), Verdict::Unchanged);
        // Surely slower, and by less than is worth it.
        assert_eq!(judged(&base, &scaled(101)), Verdict::Unchanged);
        let few = Verdict::Inconclusive("7 runs a side, of 8 that it takes".to_owned());
        assert_eq!(judged(&base[..7], &scaled(150)), few);
        let noisy = times((0..10).map(|run| 100_000 + 9_000 * (run % 4)));
        assert_eq!(
            judged(&noisy, &noisy),
            Verdict::Inconclusive("the interval is wider than 2.0 %".to_owned())
        );
        assert!(matches!(judged(&[0; 9], &[1; 9]), Verdict::Inconclusive(_)));
    }

    #[test]
    fn noise_is_the_base_against_itself() {
        assert_eq!(noise(&[100, 110, 100, 110]), Some(0.10000000000000009));
        assert_eq!(noise(&[100]), None);
    }
}
