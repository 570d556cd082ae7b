//! The page that leads to all others.

use super::claims::{Verdict, cell, expected, measured};
use super::markdown::{Align, Table, inline, link};
use super::provenance;
use crate::study::Study;

/// The index over the scenarios of each results folder.
pub(crate) fn index(folders: &[Vec<Study<'_>>]) -> String {
    let all = folders
        .iter()
        .flatten()
        .map(|study| Verdict::of(&study.claims))
        .fold(Verdict::default(), Verdict::and);
    let mut text = format!("# Reports\n\n{}\n", all.sentence());
    for studies in folders {
        text.push('\n');
        let mut table = Table::new([
            ("scenario", Align::Left),
            ("what", Align::Left),
            ("cells", Align::Right),
            ("verdict", Align::Left),
        ]);
        for study in studies {
            let record = study.record;
            let cells: usize = study.cases.iter().map(|case| case.all_rows().count()).sum();
            let verdict = if cells == 0 { "no cell was run".to_owned() } else { verdict(study) };
            table.row([
                link(&record.name, &format!("{}.md", record.name)),
                inline(&record.title),
                cells.to_string(),
                verdict,
            ]);
        }
        text.push_str(&table.render());
        let broken: Vec<String> = studies.iter().flat_map(broken).collect();
        if !broken.is_empty() {
            text.push_str(&format!("\nClaims that do not hold:\n\n{}", broken.concat()));
        }
        if let Some(study) = studies.first() {
            if study.manifest.interrupted {
                text.push_str("\n**The run was interrupted: not all cells were run.**\n");
            }
            text.push_str(&format!("\n{}", provenance::provenance(study.manifest)));
        }
    }
    text
}

fn verdict(study: &Study<'_>) -> String {
    let Verdict { held, broken, open } = Verdict::of(&study.claims);
    let mut parts = Vec::new();
    if held > 0 {
        parts.push(format!("{held} held"));
    }
    if broken > 0 {
        parts.push(format!("**{broken} not held**"));
    }
    if open > 0 {
        parts.push(format!("{open} not measured"));
    }
    if parts.is_empty() { "nothing claimed".to_owned() } else { parts.join(", ") }
}

fn broken(study: &Study<'_>) -> Vec<String> {
    let broken = study.claims.iter().filter(|claim| claim.held == Some(false));
    let lines = broken.map(|claim| {
        let name = link(&claim.scenario, &format!("{}.md", claim.scenario));
        let cell = cell(claim);
        let cell = if cell.is_empty() { cell } else { format!(" ({})", inline(&cell)) };
        format!(
            "- {name}, {}{cell}, {} on the {} clock: expected {}, measured {}\n",
            inline(&claim.strategy),
            claim.metric,
            claim.clock,
            inline(&expected(claim)),
            inline(&measured(claim)),
        )
    });
    lines.collect()
}
