//! A comparison in words, for a terminal of 80 columns.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroUsize;

use fanout_compare::{Comparison, Verdict, WallComparison, What};
use fanout_report::RatioLine;

use crate::summary::{paragraph, table as plain};

/// So many lines are shown of what may have thousands.
const MOST_LINES: usize = 20;

/// The verdict, the kinds of change, what the wall clock says, and what only one side has.
pub(crate) fn table(comparison: &Comparison) -> String {
    let mut text = paragraph(&comparison.to_string()) + "\n";
    for refusal in comparison.refusals.iter().skip(1) {
        let _ = writeln!(text, "{}", paragraph(&format!("not judged: {refusal}")));
    }
    if let Some(differ) = &comparison.heap_ungated {
        let _ = writeln!(text, "heap is shown and not gated: another {differ}");
    }
    text += &changes(comparison);
    text += &wall(comparison);
    for (side, cells) in [("base", &comparison.only_base), ("head", &comparison.only_head)] {
        if !cells.is_empty() {
            let _ = writeln!(text, "\n{} cells are in the {side} alone:", cells.len());
        }
        for cell in cells.iter().take(MOST_LINES) {
            let limit = cell.limit.map(|limit| format!(", limit {limit}")).unwrap_or_default();
            let _ = writeln!(text, "  {} {}{limit}, {} clock", cell.scenario, cell.strategy, cell.clock);
        }
        text += &rest(cells.len());
    }
    text
}

fn changes(comparison: &Comparison) -> String {
    let groups = comparison.groups();
    if groups.is_empty() {
        return String::new();
    }
    let mut table = plain(&["strategy", "what", "cells", "most", ""]);
    for group in groups.iter().take(MOST_LINES) {
        let most = group.greatest();
        let sign = match (comparison.is_judged(), most.worse, most.gated) {
            (false, ..) => "",
            (_, true, true) => "worse",
            (_, true, false) => "worse, not gated",
            (_, false, _) => "better",
        };
        let cells = group.changes.len().to_string();
        table.add_row([&most.cell.strategy, &most.name(), &cells, &most.what.to_string(), sign]);
    }
    format!("\n{}\n{}", table.trim_fmt(), rest(groups.len()))
}

/// What came to a verdict, a paragraph each, and why the others did not.
fn wall(comparison: &Comparison) -> String {
    let mut text = String::new();
    let told = |told: &&WallComparison| matches!(told.verdict, Verdict::Regressed | Verdict::Improved);
    let verdicts: Vec<&WallComparison> = comparison.wall.iter().filter(told).collect();
    for told in verdicts.iter().take(MOST_LINES) {
        let noise = told.noise.map(|noise| format!(", noise {:.1} %", 100.0 * noise)).unwrap_or_default();
        let line = format!("{}: {told}; p {:.4}{noise}", told.verdict, told.p);
        let _ = write!(text, "\n{}", paragraph(&line));
    }
    let mut open: BTreeMap<&str, usize> = BTreeMap::new();
    for told in &comparison.wall {
        if let Verdict::Inconclusive(why) = &told.verdict {
            *open.entry(why).or_default() += 1;
        }
    }
    for (why, count) in open {
        let _ = write!(text, "\n{count} inconclusive: {why}");
    }
    if !verdicts.is_empty() {
        text += "\nnoise: the base's odd runs against its even ones";
    }
    if text.is_empty() { text } else { format!("{text}\n{}", rest(verdicts.len())) }
}

fn rest(lines: usize) -> String {
    match lines.checked_sub(MOST_LINES) {
        None | Some(0) => String::new(),
        Some(more) => format!("... and {more} more: `--format json` has all of them\n"),
    }
}

/// Each ratio of a comparison, worst first: what changed on the virtual clock, and all of the wall clock.
pub(crate) fn ratios(comparison: &Comparison) -> Vec<RatioLine> {
    let exact = comparison.changes.iter().filter_map(|change| {
        let What::Metric { base, head, .. } = change.what else { return None };
        let ratio = if base == 0 { f64::MAX } else { head as f64 / base as f64 };
        let name = format!("{} {} {}", change.cell.scenario, change.cell.strategy, change.name());
        Some(RatioLine {
            name: named(name, change.cell.limit, change.cell.variant.as_deref()),
            ratio,
            interval: (ratio, ratio),
            worse: change.worse && comparison.is_judged(),
        })
    });
    let wall = comparison.wall.iter().filter_map(|told| {
        let ratio = told.ratio?;
        let name = format!("{} {} {}", told.cell.scenario, told.cell.strategy, told.metric);
        Some(RatioLine {
            name: named(name, told.cell.limit, told.cell.variant.as_deref()),
            ratio: ratio.ratio,
            interval: (ratio.low, ratio.high),
            worse: told.verdict == Verdict::Regressed && comparison.is_judged(),
        })
    });
    let mut lines: Vec<RatioLine> = exact.chain(wall).collect();
    lines.sort_by(|one, other| {
        other.worse.cmp(&one.worse).then(other.ratio.total_cmp(&one.ratio)).then(one.name.cmp(&other.name))
    });
    lines
}

fn named(name: String, limit: Option<NonZeroUsize>, variant: Option<&str>) -> String {
    let limit = limit.map(|limit| format!(", limit {limit}")).unwrap_or_default();
    let variant = variant.map(|variant| format!(", {variant}")).unwrap_or_default();
    format!("{name}{limit}{variant}")
}
