//! A small results folder.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use fanout_record::{
    Axis, Bin, CellId, Claim, Clock, DependencyRow, Host, Manifest, Metric, Outcome, Row, SCHEMA,
    ScenarioRecord, Subject, WorkloadKind, Writer,
};

pub fn cell(run: u32) -> CellId {
    CellId {
        scenario: "01-tree-guide".into(),
        variant: None,
        strategy: "queue-workers".into(),
        limit: NonZeroUsize::new(20),
        threads: NonZeroUsize::MIN,
        clock: Clock::Virtual,
        seed: u64::MAX,
        run,
    }
}

pub fn manifest() -> Manifest {
    Manifest {
        schema: SCHEMA,
        started: "2026-11-30T22:30:00Z".into(),
        commit: Some("1a2b3c4d".into()),
        dirty: false,
        lock_hash: "0f1e".into(),
        rustc: "rustc 1.95.0".into(),
        target: "x86_64-unknown-linux-gnu".into(),
        profile: "release".into(),
        command: vec!["fanout".into(), "run".into(), "a \"quoted\" word".into()],
        host: Host {
            cpu: "Example CPU".into(),
            cores: NonZeroUsize::new(2).unwrap(),
            governor: None,
            kernel: "Linux 6.1.0".into(),
        },
        interrupted: false,
        scenarios: vec![ScenarioRecord {
            name: "01-tree-guide".into(),
            title: "Walking \u{201c}a, b\u{201d}".into(),
            analysis: "Two\nlines.".into(),
            axis: Axis::Limit,
            variants: vec!["one".into()],
            strategies: vec!["queue-workers".into()],
            hash: "5e1f".into(),
        }],
    }
}

/// A row with nothing measured but its time.
pub fn row(run: u32) -> Row {
    let mut row = Row::new(cell(run), WorkloadKind::Tree, Outcome::Complete);
    row.virtual_ns = Some(u64::MAX);
    row
}

pub fn bins(run: u32) -> Vec<Bin> {
    let mut bins = vec![Bin::new(cell(run), 0, 5), Bin::new(cell(run), 5, 5)];
    (bins[1].in_flight, bins[1].tasks, bins[1].backlog) = (1, 2, 3);
    bins
}

/// What one dependency saw.
pub fn dependencies(run: u32) -> Vec<DependencyRow> {
    let mut pricing = DependencyRow::new(cell(run), "pricing".into());
    (pricing.dependency_limit, pricing.calls, pricing.in_flight_peak) =
        (NonZeroUsize::new(50), Some(2_000), Some(50));
    vec![pricing]
}

pub fn claims() -> Vec<Claim> {
    let mut outcome = Claim::about(cell(1), Subject::Outcome);
    (outcome.expected, outcome.measured, outcome.held) =
        (Some("complete".into()), Some("complete".into()), Some(true));
    let mut metric = Claim::about(cell(1), Subject::Metric(Metric::InFlightPeak));
    (metric.expected, metric.min, metric.max) = (Some("limit, \"or\" more".into()), Some(0), Some(u64::MAX));
    (metric.published, metric.measured, metric.held) = (Some(22), Some("19".into()), Some(false));
    let mut dependency = Claim::about(cell(1), Subject::Dependency("pricing".into(), Metric::InFlightPeak));
    (dependency.min, dependency.measured, dependency.held) = (Some(50), Some("50".into()), Some(true));
    vec![outcome, metric, dependency]
}

/// A whole folder at the path: two cells.
pub fn write(path: &Path) {
    let mut writer = Writer::create(path, &manifest()).unwrap();
    for run in 1..=2 {
        writer.cell(&row(run), &bins(run), &dependencies(run)).unwrap();
    }
    writer.claims(&claims()).unwrap();
}

/// Replaces a text within a file of the folder.
pub fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} does not contain {from:?}:\n{text}", path.display());
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}
