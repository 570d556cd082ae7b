//! The virtual clock: whatever differs has changed.

use std::fmt;

use fanout_record::{CellId, DependencyRow, Metric, Outcome};
use serde::Serialize;

use crate::direction::{Better, better, is_better, is_of_the_heap};
use crate::gate::Gate;
use crate::pairing::Pair;

/// What changed of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// How it ended.
    Outcome {
        /// In the base.
        base: Outcome,
        /// In the head.
        head: Outcome,
    },
    /// One metric, in its unit.
    Metric {
        /// The metric.
        metric: Metric,
        /// In the base.
        base: u64,
        /// In the head.
        head: u64,
    },
}

/// One difference between two virtual rows of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The cell.
    pub cell: CellId,
    /// The dependency of its batch whose metric it is; none: of the cell as a whole.
    pub dependency: Option<String>,
    /// What changed.
    pub what: What,
    /// Whether it is for the worse. What should not differ at all is worse either way.
    pub worse: bool,
    /// Whether it counts: heap does not between other targets, toolchains or lock files.
    pub gated: bool,
}

impl Change {
    /// What changed, by name: `outcome`, `tasks-peak`, `pricing.in-flight-peak`.
    #[must_use]
    pub fn name(&self) -> String {
        let name = match &self.what {
            What::Outcome { .. } => "outcome".to_owned(),
            What::Metric { metric, .. } => metric.to_string(),
        };
        match &self.dependency {
            Some(dependency) => format!("{dependency}.{name}"),
            None => name,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome { base, head } => write!(f, "was {base}, is {head}"),
            Self::Metric { metric, base, head } => {
                let (old, new) = (metric.unit().show(*base), metric.unit().show(*head));
                if old == new {
                    // Three digits do not tell them apart.
                    return write!(f, "was {base}, is {head}");
                }
                write!(f, "was {old}, is {new}")
            }
        }
    }
}

/// All that differs between the two rows of a pair by more than the gate lets pass.
pub(crate) fn changes(pair: &Pair<'_>, gate: &Gate, heap_gated: bool) -> Vec<Change> {
    let cell = pair.head.cell();
    let mut changes = Vec::new();
    if pair.base.outcome != pair.head.outcome {
        let (base, head) = (pair.base.outcome, pair.head.outcome);
        changes.push(Change {
            cell: cell.clone(),
            dependency: None,
            what: What::Outcome { base, head },
            worse: !is_better(head, base),
            gated: true,
        });
    }
    let of_cell = |metric: Metric| (metric.of(pair.base), metric.of(pair.head));
    let metrics = Metric::ALL.iter().copied();
    changes
        .extend(metrics.filter_map(|metric| change(&cell, None, metric, of_cell(metric), gate, heap_gated)));
    for (old, new) in &pair.dependencies {
        let name = Some(new.dependency.as_str());
        let of_own = |metric: Metric| (old.of(metric), new.of(metric));
        let metrics = DependencyRow::METRICS.iter().copied();
        changes.extend(
            metrics.filter_map(|metric| change(&cell, name, metric, of_own(metric), gate, heap_gated)),
        );
    }
    changes
}

/// A metric's change; none where it was not measured on both sides.
fn change(
    cell: &CellId,
    dependency: Option<&str>,
    metric: Metric,
    (base, head): (Option<u64>, Option<u64>),
    gate: &Gate,
    heap_gated: bool,
) -> Option<Change> {
    let (better, base, head) = (better(metric)?, base?, head?);
    if base == head || gate.lets_pass(metric, base, head) {
        return None;
    }
    Some(Change {
        cell: cell.clone(),
        dependency: dependency.map(str::to_owned),
        what: What::Metric { metric, base, head },
        worse: match better {
            Better::Lower => head > base,
            Better::Higher => head < base,
            Better::Neither => true,
        },
        gated: heap_gated || !is_of_the_heap(metric),
    })
}
