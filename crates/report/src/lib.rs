//! A results folder in, SVG and Markdown out. It runs nothing and looks at nothing else: the same files give
//! the same bytes, on any machine.
//!
//! [`render`] makes all of a report, [`write()`] puts it into a folder, [`splice()`] renews the tables within a
//! document, and [`timeline_svg`] draws a single cell.

mod case;
mod chart;
mod dependencies;
mod page;
mod splice;
mod study;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use fanout_record::{Results, ScenarioRecord, WriteError, replace};
use thiserror::Error;

pub use chart::{RatioLine, ratios_svg, timeline_svg};
pub use splice::{SpliceError, splice};

use chart::Palette;
use page::Charts;
use study::Study;

/// A file of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its name within the report's folder: the same at every commit.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Why a report could not be made.
#[derive(Debug, Error)]
pub enum ReportError {
    /// Nothing to report on.
    #[error("no results folder was given")]
    NoResults,
    /// A scenario's files would be written twice.
    #[error("scenario {scenario} is in {} and in {}: name one of them", first.display(), second.display())]
    Twice {
        /// The scenario.
        scenario: String,
        /// The folder that has it first.
        first: PathBuf,
        /// The folder that has it too.
        second: PathBuf,
    },
    /// A scenario that the results do not have.
    #[error("{} has no scenario {scenario:?}; it has {}", path.display(), known.join(", "))]
    UnknownScenario {
        /// The results folder.
        path: PathBuf,
        /// What was asked for.
        scenario: String,
        /// What it has.
        known: Vec<String>,
    },
    /// A row's scenario that its manifest does not know.
    #[error("{}: rows.csv has scenario {scenario:?}, which manifest.json does not name", path.display())]
    Stray {
        /// The results folder.
        path: PathBuf,
        /// The row's scenario.
        scenario: String,
    },
    /// A scenario's name that cannot be a file's.
    #[error("{}: the scenario's name {scenario:?} is no file name", path.display())]
    Name {
        /// The results folder.
        path: PathBuf,
        /// The name.
        scenario: String,
    },
    /// Two files of the report have one name.
    #[error("two files of the report would be {name}: rename one of the scenarios")]
    Clash {
        /// The file's name.
        name: String,
    },
    /// A file of the report cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// All files of the report on some results folders: `README.md`, and for each scenario `SCENARIO.md`,
/// `SCENARIO.svg`, `SCENARIO-timeline.svg` where timelines were recorded, `SCENARIO-sweep.svg` where it
/// varies its limit or its size, `SCENARIO-dependencies.svg` for a batch of several dependencies.
///
/// # Errors
///
/// There is no folder, two of them have the same scenario, a row's scenario is not in its manifest, or a
/// scenario's name is no file's.
pub fn render(results: &[Results]) -> Result<Vec<Artifact>, ReportError> {
    check(results)?;
    let strategies = results.iter().flat_map(|folder| folder.rows.iter().map(|row| row.strategy.as_str()));
    let palette = Palette::of(strategies);
    let folders: Vec<Vec<Study<'_>>> = results
        .iter()
        .map(|folder| folder.manifest.scenarios.iter().map(|record| Study::of(folder, record)).collect())
        .collect();
    let mut artifacts =
        vec![Artifact { name: "README.md".to_owned(), bytes: page::index(&folders).into_bytes() }];
    for study in folders.iter().flatten() {
        artifacts.extend(scenario(study, &palette));
    }
    let mut names: Vec<String> = artifacts.iter().map(|artifact| artifact.name.to_lowercase()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ReportError::Clash { name: pair[0].clone() }),
        None => Ok(artifacts),
    }
}

fn scenario(study: &Study<'_>, palette: &Palette) -> Vec<Artifact> {
    let name = &study.record.name;
    let caption = page::caption(study.manifest);
    let comparison = (!study.cases.is_empty()).then(|| chart::comparison(study, palette, &caption));
    let timeline = chart::timeline(study, palette, &caption);
    let sweep = chart::sweep(study, palette, &caption).filter(|_| !study.cases.is_empty());
    let dependencies = chart::dependencies(study, palette, &caption);
    let charts =
        Charts { timeline: timeline.is_some(), sweep: sweep.is_some(), dependencies: dependencies.is_some() };
    let page = Artifact { name: format!("{name}.md"), bytes: page::page(study, charts).into_bytes() };
    let named =
        [("", comparison), ("-timeline", timeline), ("-sweep", sweep), ("-dependencies", dependencies)];
    let charts = named.into_iter().filter_map(|(part, svg)| {
        Some(Artifact { name: format!("{name}{part}.svg"), bytes: svg?.into_bytes() })
    });
    [page].into_iter().chain(charts).collect()
}

/// Renders a report into a folder, which is made where it is missing, and says what it wrote. Other files in
/// it stay.
///
/// # Errors
///
/// The report cannot be rendered, in which case nothing is written, or a file cannot be written; each file is
/// written whole or not at all.
pub fn write(results: &[Results], out: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let artifacts = render(results)?;
    fs::create_dir_all(out).map_err(|source| WriteError::Io { path: out.to_owned(), source })?;
    let mut written = Vec::with_capacity(artifacts.len());
    for artifact in artifacts {
        let path = out.join(&artifact.name);
        replace(&path, |file| file.write_all(&artifact.bytes))?;
        written.push(path);
    }
    Ok(written)
}

/// One scenario's comparison table in Markdown: what was measured, beside what was published, and a line that
/// says what it is of.
///
/// # Errors
///
/// The results do not have the scenario.
pub fn markdown_table(results: &Results, scenario: &str) -> Result<String, ReportError> {
    table_with(results, scenario, page::inline)
}

fn table_with(
    results: &Results,
    scenario: &str,
    name: impl Fn(&str) -> String,
) -> Result<String, ReportError> {
    let record = record(results, scenario)?;
    Ok(page::comparison(&Study::of(results, record), name))
}

fn record<'a>(results: &'a Results, scenario: &str) -> Result<&'a ScenarioRecord, ReportError> {
    let scenarios = &results.manifest.scenarios;
    scenarios.iter().find(|record| record.name == scenario).ok_or_else(|| ReportError::UnknownScenario {
        path: results.path.clone(),
        scenario: scenario.to_owned(),
        known: scenarios.iter().map(|record| record.name.clone()).collect(),
    })
}

fn check(results: &[Results]) -> Result<(), ReportError> {
    if results.is_empty() {
        return Err(ReportError::NoResults);
    }
    let mut seen: BTreeMap<&str, &Path> = BTreeMap::new();
    for folder in results {
        for ScenarioRecord { name, .. } in &folder.manifest.scenarios {
            let letters = name.chars().all(|letter| !letter.is_control() && !"/\\:*?\"<>|".contains(letter));
            if !letters || name.is_empty() || name.starts_with('.') {
                return Err(ReportError::Name { path: folder.path.clone(), scenario: name.clone() });
            }
            if let Some(first) = seen.insert(name, &folder.path) {
                return Err(ReportError::Twice {
                    scenario: name.clone(),
                    first: first.to_owned(),
                    second: folder.path.clone(),
                });
            }
        }
        let named = |name: &str| folder.manifest.scenarios.iter().any(|record| record.name == name);
        if let Some(row) = folder.rows.iter().find(|row| !named(&row.scenario)) {
            return Err(ReportError::Stray { path: folder.path.clone(), scenario: row.scenario.clone() });
        }
    }
    Ok(())
}

/// The examples of README.md are compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
