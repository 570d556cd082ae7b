use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use fanout_record::Metric;
use serde::Deserialize;
use thiserror::Error;

use crate::direction::better;
use crate::statistics::fewest_runs;

/// What makes a difference a change: `scenarios/gate.toml`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    tolerances: BTreeMap<Metric, Tolerance>,
    pub(crate) wall: WallRule,
}

/// How far a metric of a virtual cell may be from the base. Both have to be exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `relative` and `absolute`")]
pub(crate) struct Tolerance {
    /// A share of the base's value.
    #[serde(default)]
    relative: f64,
    /// In the metric's unit: nanoseconds, bytes or a count.
    #[serde(default)]
    absolute: u64,
}

/// What a wall cell's runs have to show.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct WallRule {
    /// How seldom two samples of one program may look like two programs.
    pub(crate) alpha: f64,
    /// The least share by which medians differ that is worth a verdict.
    pub(crate) min_effect: f64,
    /// The fewest runs on either side.
    pub(crate) min_runs: NonZeroUsize,
    /// How sure the interval of a ratio is.
    pub(crate) confidence: f64,
}

/// Why a gate's text is none.
#[derive(Debug, Error)]
pub enum GateError {
    /// The parser's words, with line and column.
    #[error("{0}")]
    Text(#[from] toml::de::Error),
    /// A number that does not fit.
    #[error("{key}: found {found}, expected {expected}")]
    Number {
        /// The key.
        key: String,
        /// What stands there.
        found: String,
        /// What would fit.
        expected: String,
    },
}

impl Gate {
    /// Reads a gate.
    ///
    /// # Errors
    ///
    /// It is no TOML, has a key that there is none of, or a number that makes no sense.
    pub fn parse(text: &str) -> Result<Self, GateError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default, rename = "virtual")]
            exact: BTreeMap<Metric, Tolerance>,
            wall: WallRule,
        }
        let File { exact: tolerances, wall } = toml::from_str(text)?;
        for (metric, tolerance) in &tolerances {
            let key = format!("virtual.{metric}");
            if better(*metric).is_none() {
                return Err(unfit(
                    key,
                    "a tolerance",
                    "none: it differs from run to run and is not compared",
                ));
            }
            share(&format!("{key}.relative"), tolerance.relative, 0.0..=1.0)?;
        }
        share("wall.alpha", wall.alpha, 1e-9..=MOST_ALPHA)?;
        share("wall.min-effect", wall.min_effect, 0.001..=1.0)?;
        share("wall.confidence", wall.confidence, 0.5..=0.9999)?;
        let fewest = fewest_runs(wall.alpha);
        if wall.min_runs.get() < fewest {
            let expected = format!("at least {fewest}: with fewer nothing can be as rare as {}", wall.alpha);
            return Err(unfit("wall.min-runs".to_owned(), wall.min_runs, expected));
        }
        Ok(Self { tolerances, wall })
    }

    /// Whether two values of a metric differ by no more than is let pass.
    pub(crate) fn lets_pass(&self, metric: Metric, base: u64, head: u64) -> bool {
        let difference = base.abs_diff(head);
        let tolerance = self.tolerances.get(&metric).copied().unwrap_or_default();
        difference <= tolerance.absolute || difference as f64 <= tolerance.relative * base as f64
    }
}

/// More false alarms than one in a thousand are not worth having.
const MOST_ALPHA: f64 = 0.001;

fn share(key: &str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<(), GateError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(unfit(key.to_owned(), value, format!("a number from {} to {}", range.start(), range.end())))
}

fn unfit(key: String, found: impl ToString, expected: impl Into<String>) -> GateError {
    GateError::Number { key, found: found.to_string(), expected: expected.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALL: &str = "[wall]\nalpha = 0.001\nmin-effect = 0.02\nmin-runs = 8\nconfidence = 0.99\n";

    #[test]
    fn both_tolerances_have_to_be_exceeded() {
        let text = format!("[virtual]\nheap-peak = {{ relative = 0.01, absolute = 100 }}\n{WALL}");
        let gate = Gate::parse(&text).expect("a gate");
        let heap = |base, head| gate.lets_pass(Metric::HeapPeak, base, head);
        assert!(heap(1_000, 1_100), "10 % more, and only 100 bytes");
        assert!(heap(100_000, 100_900), "900 bytes more, and only 0.9 %");
        assert!(!heap(10_000, 10_101) && !heap(10_000, 9_899));
        assert!(gate.lets_pass(Metric::TasksPeak, 20, 20) && !gate.lets_pass(Metric::TasksPeak, 20, 21));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = |from: &str, to: &str| {
            let text = format!("[virtual]\nheap-peak = {{ relative = 0.01 }}\n{WALL}");
            assert!(text.contains(from));
            Gate::parse(&text.replace(from, to)).expect_err("not a gate").to_string()
        };
        assert_eq!(
            refused("min-runs = 8", "min-runs = 7"),
            "wall.min-runs: found 7, expected at least 8: with fewer nothing can be as rare as 0.001"
        );
        assert_eq!(
            refused("alpha = 0.001", "alpha = nan"),
            "wall.alpha: found NaN, expected a number from 0.000000001 to 0.001"
        );
        assert!(refused("heap-peak", "heap-peek").contains("line 2"));
        assert!(refused("relative", "realtive").contains("unknown field `realtive`"));
        assert_eq!(
            refused("relative = 0.01", "relative = -1.0"),
            "virtual.heap-peak.relative: found -1, expected a number from 0 to 1"
        );
        assert!(refused("heap-peak", "real").starts_with("virtual.real: found a tolerance, expected none"));
        assert!(refused("confidence = 0.99\n", "").contains("missing field `confidence`"));
    }
}
