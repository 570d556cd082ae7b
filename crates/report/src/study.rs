//! One scenario of a results folder, its runs gathered into cases: what charts and tables are made from.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use fanout_record::{
    Axis, Bin, CellId, Claim, Clock, Manifest, Metric, Results, Row, ScenarioRecord, WorkloadKind,
};

use crate::case::Case;
use crate::dependencies::Dependencies;

/// One scenario's part of a results folder.
#[derive(Debug)]
pub(crate) struct Study<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) record: &'a ScenarioRecord,
    /// Variants in the scenario's order, within one the strategies in its order, within one the limits
    /// ascending.
    pub(crate) cases: Vec<Case<'a>>,
    pub(crate) claims: Vec<&'a Claim>,
    /// The most work that a case of each variant did.
    done: BTreeMap<Option<&'a str>, u64>,
    timeline: BTreeMap<CellId, Vec<&'a Bin>>,
    pub(crate) dependencies: Dependencies<'a>,
}

impl<'a> Study<'a> {
    pub(crate) fn of(results: &'a Results, record: &'a ScenarioRecord) -> Self {
        let here = |name: &str| name == record.name;
        let mut groups: BTreeMap<_, Vec<&Row>> = BTreeMap::new();
        for row in results.rows.iter().filter(|row| here(&row.scenario)) {
            let variant = place(row.variant.as_deref(), &record.variants);
            let strategy = place(Some(&row.strategy), &record.strategies);
            groups.entry((variant, strategy, row.limit)).or_default().push(row);
        }
        let claims: Vec<&Claim> = results.claims.iter().filter(|claim| here(&claim.scenario)).collect();
        let cases: Vec<Case<'_>> = groups.into_values().filter_map(|rows| Case::of(rows, &claims)).collect();
        let mut done = BTreeMap::new();
        for case in &cases {
            let most = done.entry(case.variant).or_insert(0);
            *most = case.done().unwrap_or(0).max(*most);
        }
        let mut timeline: BTreeMap<CellId, Vec<&Bin>> = BTreeMap::new();
        for bin in results.timeline.iter().filter(|bin| here(&bin.scenario) && bin.dependency.is_none()) {
            timeline.entry(bin.cell()).or_default().push(bin);
        }
        let dependencies = Dependencies::of(results, record);
        Self { manifest: &results.manifest, record, cases, claims, done, timeline, dependencies }
    }

    /// Whether a strategy's limit is one for its calls in flight. Where an item needs several calls it bounds items,
    /// or the calls of each dependency.
    pub(crate) fn limits_bound_calls(&self) -> bool {
        self.dependencies.names().len() <= 1
    }

    /// The clock that bars, lines and counts are of: the exact one, where anything ran on it.
    pub(crate) fn clock(&self) -> Clock {
        let exact = self.cases.iter().any(|case| !case.rows(Clock::Virtual).is_empty());
        if exact { Clock::Virtual } else { Clock::Wall }
    }

    /// Whether wall times stand beside virtual ones.
    pub(crate) fn has_both_clocks(&self) -> bool {
        self.clock() == Clock::Virtual && self.cases.iter().any(|case| !case.rows(Clock::Wall).is_empty())
    }

    /// The threads of the wall runs that stand in charts, which are those with the fewest; none where
    /// strategies differ in that.
    pub(crate) fn wall_threads(&self) -> Option<NonZeroUsize> {
        let mut threads =
            self.cases.iter().filter_map(|case| case.rows(Clock::Wall).first()).map(|row| row.threads);
        let first = threads.next()?;
        threads.all(|other| other == first).then_some(first)
    }

    /// What its items are called.
    pub(crate) fn items(&self) -> &'static str {
        match self.cases.first().map(|case| case.workload) {
            Some(WorkloadKind::Tree) => "nodes",
            Some(WorkloadKind::Stream) => "messages",
            Some(WorkloadKind::Batch) => "calls",
            None => "items",
        }
    }

    /// All limits, ascending.
    pub(crate) fn limits(&self) -> Vec<NonZeroUsize> {
        let mut limits: Vec<NonZeroUsize> = self.cases.iter().filter_map(|case| case.limit).collect();
        limits.sort_unstable();
        limits.dedup();
        limits
    }

    /// The variants that anything ran for, in the scenario's order; a single `None` without variants.
    pub(crate) fn variants(&self) -> Vec<Option<&'a str>> {
        let mut variants: Vec<Option<&str>> = self.cases.iter().map(|case| case.variant).collect();
        variants.dedup();
        variants
    }

    /// The strategies that ran, in the scenario's order.
    pub(crate) fn strategies(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.cases.iter().map(|case| case.strategy).collect();
        names.sort_by_key(|name| place(Some(name), &self.record.strategies));
        names.dedup();
        names
    }

    /// The one limit that stands for all where there is no room for all: the middle one, of two the lower.
    pub(crate) fn middle_limit(&self) -> Option<NonZeroUsize> {
        let limits = self.limits();
        limits.get(limits.len().checked_sub(1)? / 2).copied()
    }

    /// The cases of one variant at the middle limit, one a strategy; one that did not run there at the
    /// nearest limit.
    pub(crate) fn at_middle_limit(&self, variant: Option<&str>) -> Vec<&Case<'a>> {
        let middle = self.middle_limit().map_or(0, NonZeroUsize::get);
        let mut chosen: Vec<&Case<'_>> = Vec::new();
        for case in self.cases.iter().filter(|case| case.variant == variant) {
            let distance = |case: &Case<'_>| case.limit.map_or(0, |limit| limit.get().abs_diff(middle));
            match chosen.last_mut().filter(|last| last.strategy == case.strategy) {
                Some(last) if distance(case) < distance(last) => *last = case,
                Some(_) => {}
                None => chosen.push(case),
            }
        }
        chosen
    }

    /// What a comparison shows: for sizes the largest alone, else each variant.
    pub(crate) fn compared_variants(&self) -> Vec<Option<&'a str>> {
        let variants = self.variants();
        match self.record.axis {
            Axis::Size => variants.last().copied().into_iter().collect(),
            Axis::None | Axis::Limit | Axis::Variant => variants,
        }
    }

    /// The variant that a timeline is of: for sizes the largest, else the first, of those that one was
    /// recorded for.
    pub(crate) fn timeline_variant(&self) -> Option<&'a str> {
        let mut variants = self.variants();
        if self.record.axis == Axis::Size {
            variants.reverse();
        }
        let recorded =
            |variant: &&Option<&str>| self.timeline.keys().any(|cell| cell.variant.as_deref() == **variant);
        variants.iter().find(recorded).copied().flatten()
    }

    /// The first run's bins of a case, on the exact clock where it has them.
    pub(crate) fn timeline_of(&self, case: &Case<'_>) -> Option<(&CellId, &[&'a Bin])> {
        let cells = self.timeline.iter().filter(|(cell, _)| {
            cell.variant.as_deref() == case.variant
                && cell.strategy == case.strategy
                && cell.limit == case.limit
        });
        let first = cells.min_by_key(|(cell, _)| (cell.clock, cell.seed, cell.threads, cell.run));
        first.map(|(cell, bins)| (cell, bins.as_slice()))
    }

    /// How many items a variant has: the most that any of its runs came to know.
    pub(crate) fn size(&self, variant: Option<&str>) -> Option<u64> {
        let cases = self.cases.iter().filter(|case| case.variant == variant);
        cases.flat_map(Case::all_rows).filter_map(|row| Metric::Discovered.of(row)).max()
    }

    /// Whether a case did less than others of its variant: its time is that of less work.
    pub(crate) fn left_work(&self, case: &Case<'_>) -> bool {
        let most = self.done.get(&case.variant).copied().unwrap_or(0);
        let less = case.truncated() || case.left_unserved() || case.done().is_some_and(|done| done < most);
        case.unfinished(self.clock()).is_none() && less
    }

    /// Which cells a comparison is of, in words: limit, seeds, clocks, runs.
    pub(crate) fn describe_cells(&self, variants: &[Option<&str>]) -> String {
        let cases: Vec<&Case<'_>> =
            variants.iter().flat_map(|variant| self.at_middle_limit(*variant)).collect();
        let mut parts = Vec::new();
        if let (Axis::Size, [Some(variant)]) = (self.record.axis, variants) {
            parts.push(format!("variant {variant}"));
        }
        let mut limits: Vec<NonZeroUsize> = cases.iter().filter_map(|case| case.limit).collect();
        limits.sort_unstable();
        limits.dedup();
        match limits.as_slice() {
            [] => {}
            [limit] => parts.push(format!("limit {limit}")),
            _ => parts.push("each strategy at its limit nearest to the middle one".to_owned()),
        }
        let clock = self.clock();
        let mut seeds: Vec<u64> =
            cases.iter().flat_map(|case| case.rows(clock)).map(|row| row.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        match seeds.as_slice() {
            [] => {}
            [seed] => parts.push(format!("seed {seed}")),
            seeds => parts.push(format!("median of {} seeds", seeds.len())),
        }
        parts.push(format!("{clock} clock"));
        match clock {
            Clock::Wall => parts.extend([threads_in_words(self.wall_threads()), wall_runs(&cases)]),
            Clock::Virtual if self.has_both_clocks() => parts.push(format!("wall: {}", wall_runs(&cases))),
            Clock::Virtual => {}
        }
        parts.join("; ")
    }
}

/// A number of threads, where it is one.
pub(crate) fn threads_in_words(threads: Option<NonZeroUsize>) -> String {
    match threads.map(NonZeroUsize::get) {
        None => "several numbers of threads".to_owned(),
        Some(1) => "1 thread".to_owned(),
        Some(threads) => format!("{threads} threads"),
    }
}

/// Over how many runs the wall medians of these cases are.
fn wall_runs(cases: &[&Case<'_>]) -> String {
    let runs = cases.iter().map(|case| case.rows(Clock::Wall).len()).filter(|&runs| runs > 0);
    match (runs.clone().min(), runs.max()) {
        (Some(1), Some(1)) => "1 run".to_owned(),
        (Some(least), Some(most)) if least < most => format!("median of {least} to {most} runs"),
        (_, runs) => format!("median of {} runs", runs.unwrap_or(0)),
    }
}

/// Where a name stands in the scenario's order; one it does not name stands after all, by its name.
fn place<'a>(name: Option<&'a str>, order: &[String]) -> (usize, Option<&'a str>) {
    let at = order.iter().position(|other| Some(other.as_str()) == name);
    (at.unwrap_or(order.len()), name)
}
