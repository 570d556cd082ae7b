//! What the dependencies of a scenario's batch saw of its cells.

use std::collections::BTreeMap;

use fanout_record::{Bin, CellId, DependencyRow, Metric, Results, Row, ScenarioRecord, median};

/// One scenario's lines of `dependencies.csv`, and its bins that are a dependency's own. Empty but for a batch.
#[derive(Debug, Default)]
pub(crate) struct Dependencies<'a> {
    /// In the scenario's order.
    names: Vec<&'a str>,
    rows: Vec<&'a DependencyRow>,
    timeline: BTreeMap<(CellId, &'a str), Vec<&'a Bin>>,
}

impl<'a> Dependencies<'a> {
    pub(crate) fn of(results: &'a Results, scenario: &ScenarioRecord) -> Self {
        let mut all = Self::default();
        let mut rows: Vec<&DependencyRow> =
            results.dependencies.iter().filter(|row| row.scenario == scenario.name).collect();
        // Rows come in the order in which cells ended, which a report must not depend on; those of one cell stay in the
        // scenario's.
        let variant = |row: &DependencyRow| {
            scenario.variants.iter().position(|variant| Some(variant) == row.variant.as_ref())
        };
        rows.sort_by_key(|row| (variant(row), row.cell()));
        for row in rows {
            if !all.names.contains(&row.dependency.as_str()) {
                all.names.push(&row.dependency);
            }
            all.rows.push(row);
        }
        for bin in results.timeline.iter().filter(|bin| bin.scenario == scenario.name) {
            if let Some(name) = &bin.dependency {
                all.timeline.entry((bin.cell(), name)).or_default().push(bin);
            }
        }
        all
    }

    /// Their names.
    pub(crate) fn names(&self) -> &[&'a str] {
        &self.names
    }

    /// A metric's median over some runs; none where it was not measured, or their variant has no such dependency.
    pub(crate) fn median(&self, runs: &[&Row], name: &str, metric: Metric) -> Option<u64> {
        median(self.of_runs(runs, name).into_iter().filter_map(|row| row.of(metric)).collect())
    }

    /// How many calls it serves at once.
    pub(crate) fn capacity(&self, runs: &[&Row], name: &str) -> Option<u64> {
        let capacity = self.of_runs(runs, name).into_iter().find_map(|row| row.capacity)?;
        Some(capacity.get() as u64)
    }

    /// The limit that the scenario has for it.
    pub(crate) fn limit(&self, runs: &[&Row], name: &str) -> Option<u64> {
        let limit = self.of_runs(runs, name).into_iter().find_map(|row| row.dependency_limit)?;
        Some(limit.get() as u64)
    }

    fn of_runs(&self, runs: &[&Row], name: &str) -> Vec<&'a DependencyRow> {
        let cells: Vec<CellId> = runs.iter().map(|row| row.cell()).collect();
        let here = |row: &&DependencyRow| row.dependency == name && cells.contains(&row.cell());
        self.rows.iter().copied().filter(here).collect()
    }

    /// Its bins of a cell.
    pub(crate) fn timeline_of(&self, cell: &CellId, name: &'a str) -> &[&'a Bin] {
        self.timeline.get(&(cell.clone(), name)).map_or(&[], Vec::as_slice)
    }
}
