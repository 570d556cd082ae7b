use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::SCHEMA;
use crate::cell::{CellId, Clock, Outcome};
use crate::columns::{Metric, Row};
use crate::dependency::DependencyRow;

/// What a claim speaks of: how the cell ended, or one metric.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subject {
    /// How the cell ended. Over several runs, all of them.
    Outcome,
    /// A measured column. Over several runs, its median.
    Metric(Metric),
    /// Likewise, of one dependency of a batch, by its name.
    Dependency(String, Metric),
}

impl Subject {
    /// The metric, where it speaks of one.
    #[must_use]
    pub const fn metric(&self) -> Option<Metric> {
        match self {
            Self::Outcome => None,
            Self::Metric(metric) | Self::Dependency(_, metric) => Some(*metric),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome => f.write_str("outcome"),
            Self::Metric(metric) => fmt::Display::fmt(metric, f),
            Self::Dependency(dependency, metric) => write!(f, "{dependency}.{metric}"),
        }
    }
}

impl FromStr for Subject {
    type Err = strum::ParseError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "outcome" => Ok(Self::Outcome),
            _ => match name.rsplit_once('.') {
                Some((dependency, metric)) => Ok(Self::Dependency(dependency.to_owned(), metric.parse()?)),
                None => name.parse().map(Self::Metric),
            },
        }
    }
}

impl Serialize for Subject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Subject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(|_| serde::de::Error::custom(format!("unknown metric {name:?}")))
    }
}

/// An inclusive range that a metric must lie in, in the metric's unit. Both ends the same: an exact value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bound {
    /// The least that holds.
    pub min: Option<u64>,
    /// The most that holds.
    pub max: Option<u64>,
}

impl Bound {
    /// Whether the value lies within.
    #[must_use]
    pub fn holds(self, value: u64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }
}

/// What a scenario expects of a strategy's cell, what its guide published, and what was measured: a line of
/// `claims.csv`. It holds all that is needed to judge it again from `rows.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The schema's version.
    pub schema: u32,
    /// The scenario's name.
    pub scenario: String,
    /// Which of the scenario's variants, where it has any.
    pub variant: Option<String>,
    /// The strategy's name.
    pub strategy: String,
    /// The strategy's limit, where it takes one.
    pub limit: Option<NonZeroUsize>,
    /// Worker threads of the runtime.
    pub threads: NonZeroUsize,
    /// The clock that the claim speaks of.
    pub clock: Clock,
    /// The seed of everything drawn.
    pub seed: u64,
    /// What it speaks of.
    pub metric: Subject,
    /// The expectation as the scenario words it; empty where a figure was only published.
    pub expected: Option<String>,
    /// The least that holds, in the metric's unit.
    pub min: Option<u64>,
    /// The most that holds, in the metric's unit.
    pub max: Option<u64>,
    /// What the guide published, in the metric's unit.
    pub published: Option<u64>,
    /// What was measured: an outcome's name, or a number in the metric's unit.
    pub measured: Option<String>,
    /// Whether it holds; empty where nothing was expected or nothing measured.
    pub held: Option<bool>,
}

impl Claim {
    /// The columns, in their order.
    pub const HEADER: &[&str] = &[
        "schema",
        "scenario",
        "variant",
        "strategy",
        "limit",
        "threads",
        "clock",
        "seed",
        "metric",
        "expected",
        "min",
        "max",
        "published",
        "measured",
        "held",
    ];

    /// A claim about one cell that says nothing yet.
    #[must_use]
    pub fn about(cell: CellId, metric: Subject) -> Self {
        Self {
            schema: SCHEMA,
            scenario: cell.scenario,
            variant: cell.variant,
            strategy: cell.strategy,
            limit: cell.limit,
            threads: cell.threads,
            clock: cell.clock,
            seed: cell.seed,
            metric,
            expected: None,
            min: None,
            max: None,
            published: None,
            measured: None,
            held: None,
        }
    }

    /// Whether a row is one of the runs that the claim speaks of.
    #[must_use]
    pub fn covers(&self, row: &Row) -> bool {
        self.covers_cell(&row.cell())
    }

    fn covers_cell(&self, cell: &CellId) -> bool {
        self.scenario == cell.scenario
            && self.variant == cell.variant
            && self.strategy == cell.strategy
            && self.limit == cell.limit
            && self.threads == cell.threads
            && self.clock == cell.clock
            && self.seed == cell.seed
    }

    /// Judges the claim against a folder's rows, anew: fills in what was measured and whether it holds. A
    /// cell that crashed or ran out of time holds no claim about what it would have measured.
    pub fn judge(&mut self, rows: &[Row], dependencies: &[DependencyRow]) {
        let runs: Vec<&Row> = rows.iter().filter(|row| self.covers(row)).collect();
        match self.metric.clone() {
            Subject::Outcome => self.judge_outcome(&runs),
            Subject::Metric(metric) => {
                let values = runs.iter().filter_map(|row| metric.of(row)).collect();
                self.judge_metric(values, &runs);
            }
            Subject::Dependency(name, metric) => {
                let rows = dependencies.iter().filter(|row| row.dependency == name);
                let values =
                    rows.filter(|row| self.covers_cell(&row.cell())).filter_map(|row| row.of(metric));
                self.judge_metric(values.collect(), &runs);
            }
        }
    }

    fn judge_outcome(&mut self, runs: &[&Row]) {
        let expected = self.expected.as_deref().and_then(|name| Outcome::from_str(name).ok());
        let deviant = runs.iter().find(|row| Some(row.outcome) != expected);
        self.measured = deviant.or(runs.first()).map(|row| row.outcome.to_string());
        self.held = expected.map(|_| deviant.is_none() && !runs.is_empty());
    }

    fn judge_metric(&mut self, values: Vec<u64>, runs: &[&Row]) {
        let died = runs.iter().any(|row| matches!(row.outcome, Outcome::Crashed | Outcome::TimedOut));
        let measured = median(values);
        self.measured = measured.map(|value| value.to_string());
        self.held = match (self.bound(), measured) {
            (None, _) => None,
            (Some(_), _) if died => Some(false),
            (Some(_), None) => None,
            (Some(bound), Some(value)) => Some(bound.holds(value)),
        };
    }

    /// The range it expects, where it expects one.
    #[must_use]
    pub fn bound(&self) -> Option<Bound> {
        let bound = Bound { min: self.min, max: self.max };
        (bound != Bound::default()).then_some(bound)
    }
}

/// The middle value; of an even number the lower of the two, so that it is always a value that was measured.
#[must_use]
pub fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::WorkloadKind;

    fn cell(run: u32) -> CellId {
        CellId {
            scenario: "01-tree-guide".into(),
            variant: None,
            strategy: "queue-workers".into(),
            limit: NonZeroUsize::new(20),
            threads: NonZeroUsize::MIN,
            clock: Clock::Wall,
            seed: 1,
            run,
        }
    }

    fn row(run: u32, wall_ns: u64) -> Row {
        let mut row = Row::new(cell(run), WorkloadKind::Tree, Outcome::Complete);
        row.wall_ns = Some(wall_ns);
        row
    }

    fn claim(min: Option<u64>, max: Option<u64>) -> Claim {
        Claim { min, max, ..Claim::about(cell(1), Subject::Metric(Metric::Wall)) }
    }

    #[test]
    fn a_metric_is_judged_by_the_median_of_its_runs() {
        let rows = [row(1, 900), row(2, 100), row(3, 110)];
        let mut within = claim(None, Some(110));
        within.judge(&rows, &[]);
        assert_eq!((within.measured.as_deref(), within.held), (Some("110"), Some(true)));
        let mut above = claim(Some(111), None);
        above.judge(&rows, &[]);
        assert_eq!(above.held, Some(false));
    }

    #[test]
    fn an_outcome_must_hold_in_every_run() {
        let mut rows = [row(1, 1), row(2, 1), row(3, 1)];
        let mut claim =
            Claim { expected: Some("complete".into()), ..Claim::about(cell(1), Subject::Outcome) };
        claim.judge(&rows, &[]);
        assert_eq!(claim.held, Some(true));
        rows[1].outcome = Outcome::Wrong;
        claim.judge(&rows, &[]);
        assert_eq!((claim.measured.as_deref(), claim.held), (Some("wrong"), Some(false)));
    }

    #[test]
    fn what_was_not_measured_is_not_judged_unless_the_cell_died() {
        let mut rows = [Row::new(cell(1), WorkloadKind::Tree, Outcome::Complete)];
        let mut claim = claim(None, Some(1));
        claim.judge(&rows, &[]);
        assert_eq!(claim.held, None);
        rows[0].outcome = Outcome::Crashed;
        claim.judge(&rows, &[]);
        assert_eq!(claim.held, Some(false));
    }

    #[test]
    fn a_claim_without_its_cell_holds_nothing() {
        let mut claim =
            Claim { expected: Some("complete".into()), ..Claim::about(cell(1), Subject::Outcome) };
        claim.judge(&[], &[]);
        assert_eq!((claim.measured, claim.held), (None, Some(false)));
    }

    #[test]
    fn a_median_is_a_value_that_was_measured() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![5]), Some(5));
        assert_eq!(median(vec![4, 1, 3, 2]), Some(2));
    }

    #[test]
    fn a_dependency_is_judged_by_its_own_row() {
        let cell = cell(1);
        let mut claim =
            Claim::about(cell.clone(), Subject::Dependency("pricing".to_owned(), Metric::InFlightPeak));
        (claim.min, claim.max) = (Some(50), Some(50));
        let dependency = |name: &str, peak| {
            let mut row = DependencyRow::new(cell.clone(), name.to_owned());
            row.in_flight_peak = Some(peak);
            row
        };
        let rows = [Row::new(cell.clone(), WorkloadKind::Batch, Outcome::Complete)];
        claim.judge(&rows, &[dependency("catalogue", 100), dependency("pricing", 50)]);
        assert_eq!((claim.measured.as_deref(), claim.held), (Some("50"), Some(true)));
        claim.judge(&rows, &[dependency("pricing", 51)]);
        assert_eq!(claim.held, Some(false));
        assert_eq!(claim.metric.to_string().parse(), Ok(claim.metric));
    }
}
