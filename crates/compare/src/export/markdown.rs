use std::fmt::Write;

use fanout_record::CellId;

use crate::comparison::Comparison;
use crate::grouped::place;
use crate::wall::Verdict;

/// More lines than this in one comment help nobody, and hosts cut long comments off.
const MOST_LINES: usize = 200;

/// A comparison as a pull request's comment: the verdict, then each kind of change, then the whole folded.
#[must_use]
pub fn markdown(comparison: &Comparison) -> String {
    let mut text = String::new();
    let verdict = comparison.to_string();
    let (word, rest) = verdict.split_once(": ").unwrap_or((&verdict, ""));
    let _ = writeln!(text, "**{word}**{}{}\n", if rest.is_empty() { "" } else { ": " }, escaped(rest));
    for refusal in &comparison.refusals {
        let _ = writeln!(text, "- {}", escaped(&refusal.to_string()));
    }
    if let Some(differ) = &comparison.heap_ungated {
        let _ = writeln!(text, "Heap is shown and not gated: another {}.\n", escaped(differ));
    }
    let groups = comparison.groups();
    if !groups.is_empty() {
        let rows = groups.iter().map(|group| {
            let greatest = group.greatest();
            let sign = match (comparison.is_judged(), greatest.worse, greatest.gated) {
                (false, ..) => "not judged",
                (_, true, true) => "**worse**",
                (_, true, false) => "worse, not gated",
                (_, false, _) => "better",
            };
            vec![
                sign.to_owned(),
                greatest.cell.strategy.clone(),
                greatest.name(),
                group.changes.len().to_string(),
                format!("{} in {}", greatest.what, place(&greatest.cell)),
            ]
        });
        text += &table(&["", "strategy", "what", "cells", "most"], rows);
    }
    let told: Vec<_> = comparison
        .wall
        .iter()
        .filter(|told| matches!(told.verdict, Verdict::Regressed | Verdict::Improved))
        .collect();
    if !told.is_empty() {
        let rows = told.iter().take(MOST_LINES).map(|told| vec![told.verdict.to_string(), told.to_string()]);
        text += &table(&["wall clock", ""], rows);
    }
    text += &folded("All changes of the virtual clock", comparison.changes.len(), || {
        let rows = comparison.changes.iter().take(MOST_LINES).map(|change| {
            vec![change.cell.strategy.clone(), place(&change.cell), change.name(), change.what.to_string()]
        });
        table(&["strategy", "cell", "what", "change"], rows)
    });
    text += &folded("All comparisons of the wall clock", comparison.wall.len(), || {
        let rows = comparison.wall.iter().take(MOST_LINES).map(|told| {
            let noise = told.noise.map_or_else(|| "-".to_owned(), |noise| format!("{:.1} %", 100.0 * noise));
            vec![told.verdict.to_string(), told.to_string(), format!("{:.4}", told.p), noise]
        });
        table(&["verdict", "what", "p", "noise"], rows)
    });
    for (title, cells) in [
        ("Cells of the base alone", &comparison.only_base),
        ("Cells of the head alone", &comparison.only_head),
    ] {
        text += &folded(title, cells.len(), || list(cells));
    }
    text
}

fn list(cells: &[CellId]) -> String {
    let rows = cells.iter().take(MOST_LINES).map(|cell| vec![cell.strategy.clone(), place(cell)]);
    table(&["strategy", "cell"], rows)
}

/// Folded content, with its first lines; nothing where there is none.
fn folded(title: &str, lines: usize, content: impl Fn() -> String) -> String {
    if lines == 0 {
        return String::new();
    }
    let cut = if lines > MOST_LINES { format!(", the first {MOST_LINES}") } else { String::new() };
    format!("<details><summary>{title} ({lines}{cut})</summary>\n\n{}</details>\n\n", content())
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", header.join(" | "), " --- |".repeat(header.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text + "\n"
}

/// Names come from files of users: no table, no tag is opened or closed by one. Our own emphasis stays.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "\\<").replace(['\n', '\r'], " ")
}
