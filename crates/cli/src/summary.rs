//! What a run came to, for a terminal of 80 columns.

use std::fmt;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, presets};
use fanout_record::{Claim, Clock, Metric, Outcome, Row};
use fanout_scenario::Scenario;

use crate::commands::Verdict;

/// How wide output is where no terminal says so.
const WIDTH: u16 = 80;

/// A table without lines, that fits 80 columns where the terminal says nothing else. Names, its first column, are never
/// broken: they are there to be copied.
pub(crate) fn table(header: &[&str]) -> Table {
    let mut table = bare();
    table.set_header(header);
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    if let Some(names) = table.column_mut(0) {
        names.set_constraint(ColumnConstraint::ContentWidth);
    }
    table
}

fn bare() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(WIDTH);
    }
    table
}

/// Text in lines of the terminal's width, broken between words.
pub(crate) fn paragraph(text: &str) -> String {
    let mut table = bare();
    table.add_row([text]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((0, 0));
    }
    table.trim_fmt()
}

/// One scenario's cells: a line a strategy, with the range of what its cells measured. A clock that none of them ran on
/// has no column, nor has the outcome where all of them did what they should.
pub(crate) fn summary(scenario: &Scenario, rows: &[Row], claims: &[Claim]) -> String {
    let own: Vec<_> = rows.iter().filter(|row| row.scenario == scenario.name).collect();
    let times: Vec<_> = [(Clock::Virtual, Metric::Virtual, "virtual"), (Clock::Wall, Metric::Wall, "wall")]
        .into_iter()
        .filter(|(clock, ..)| own.iter().any(|row| row.clock == *clock))
        .collect();
    let all_complete = own.iter().all(|row| row.outcome == Outcome::Complete);
    let mut header = vec!["strategy"];
    if !all_complete {
        header.push("outcome");
    }
    let names = header.len();
    header.extend(times.iter().map(|(.., name)| name));
    header.extend(["in flight", "tasks", "heap"]);
    let mut table = table(&header);
    for column in table.column_iter_mut().skip(names) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for strategy in &scenario.strategies {
        let cells: Vec<_> = own.iter().copied().filter(|row| row.strategy == strategy.name).collect();
        if cells.is_empty() {
            continue;
        }
        // Peaks are exact on the virtual clock; where there is none, those of the wall clock have to do.
        let exact: Vec<_> = cells.iter().copied().filter(|row| row.clock == Clock::Virtual).collect();
        let peaks = if exact.is_empty() { &cells } else { &exact };
        let mut line = vec![strategy.name.clone()];
        if !all_complete {
            line.push(outcomes(&cells));
        }
        line.extend(times.iter().map(|(_, metric, _)| range(&cells, *metric)));
        line.extend(
            [Metric::InFlightPeak, Metric::TasksPeak, Metric::HeapPeak].map(|peak| range(peaks, peak)),
        );
        table.add_row(line);
    }
    let said: Vec<_> = claims.iter().filter(|claim| claim.scenario == scenario.name).cloned().collect();
    let heading = paragraph(&format!("{}: {}", scenario.name, scenario.title));
    let complete = if all_complete { "all complete; " } else { "" };
    let warning = warning(&own).map_or_else(String::new, |warning| format!("\n{warning}"));
    format!("{heading}\n{}\n{complete}{}{warning}\n", table.trim_fmt(), Tally::of(&said))
}

/// Says of cells that completed and might not have.
fn warning(rows: &[&Row]) -> Option<String> {
    let lucky = |row: &&&Row| row.outcome == Outcome::Complete && row.held_waiting_peak > Some(0);
    let count = rows.iter().filter(lucky).count();
    (count > 0).then(|| {
        let cells = if count == 1 { "1 cell" } else { &format!("{count} cells") };
        paragraph(&format!(
            "warning: {cells} completed with slots held by holders that waited for the same pool: a deadlock with \
             fewer slots (`held_waiting_peak` and `reason` in rows.csv)"
        ))
    })
}

/// How the cells ended: each way once, with its count where there is more than one.
fn outcomes(rows: &[&Row]) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for row in rows {
        let outcome = row.outcome.to_string();
        match counts.iter_mut().find(|(other, _)| *other == outcome) {
            Some((_, count)) => *count += 1,
            None => counts.push((outcome, 1)),
        }
    }
    match counts.as_slice() {
        [(outcome, _)] => outcome.clone(),
        several => {
            let each: Vec<_> = several.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
            each.join(", ")
        }
    }
}

/// The least and the most; the unit once, where both have the same.
fn range(rows: &[&Row], metric: Metric) -> String {
    let values = || rows.iter().filter_map(|row| metric.of(row));
    let (Some(min), Some(max)) = (values().min(), values().max()) else { return "-".to_owned() };
    let (low, high) = (metric.unit().show(min), metric.unit().show(max));
    if low == high {
        return low;
    }
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((low, unit)), Some((_, other))) if unit == other => format!("{low}-{high}"),
        _ => format!("{low}-{high}"),
    }
}

/// How many claims hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    held: usize,
    not_held: usize,
    not_measured: usize,
}

impl Tally {
    pub(crate) fn of(claims: &[Claim]) -> Self {
        let mut tally = Self::default();
        for claim in claims.iter().filter(|claim| claim.expected.is_some()) {
            match claim.held {
                Some(true) => tally.held += 1,
                Some(false) => tally.not_held += 1,
                None => tally.not_measured += 1,
            }
        }
        tally
    }

    pub(crate) const fn verdict(self) -> Verdict {
        if self.not_held == 0 { Verdict::Fine } else { Verdict::NotHeld }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { held, not_held, not_measured } = self;
        write!(f, "claims: {held} held, {not_held} not held")?;
        if *not_measured > 0 {
            write!(f, ", {not_measured} not measured")?;
        }
        Ok(())
    }
}

/// A claim that does not hold, in a line: which cell, what was expected, what was measured.
pub(crate) fn not_held(claim: &Claim) -> String {
    let show = |value: u64| match claim.metric.metric() {
        None => value.to_string(),
        Some(metric) => metric.unit().show(value),
    };
    let mut cell = format!("{} {}", claim.scenario, claim.strategy);
    for (what, value) in [
        ("variant", claim.variant.clone()),
        ("limit", claim.limit.map(|limit| limit.to_string())),
        ("seed", Some(claim.seed.to_string())),
    ] {
        if let Some(value) = value {
            cell += &format!(", {what} {value}");
        }
    }
    let measured = match &claim.measured {
        None => "nothing".to_owned(),
        Some(value) => value.parse().map_or_else(|_| value.clone(), show),
    };
    let bound = match (claim.min, claim.max) {
        (Some(min), Some(max)) if min == max => format!(" ({})", show(min)),
        (Some(min), Some(max)) => format!(" ({} to {})", show(min), show(max)),
        (Some(bound), None) | (None, Some(bound)) => format!(" ({})", show(bound)),
        (None, None) => String::new(),
    };
    let expected = claim.expected.as_deref().unwrap_or_default();
    format!(
        "not held: {cell}, {} clock: {} was {measured}, expected {expected}{bound}",
        claim.clock, claim.metric
    )
}
