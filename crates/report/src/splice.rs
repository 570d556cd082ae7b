//! Tables within a document that people write, between markers that name the command which makes them.

use std::path::Path;

use fanout_record::Results;
use thiserror::Error;

use crate::page::{inline, target};
use crate::{ReportError, table_with};

const BEGIN: &str = "<!-- fanout report ";
const END: &str = "<!-- end -->";

/// Why a document's tables could not be replaced. Lines count from 1.
#[derive(Debug, Error)]
pub enum SpliceError {
    /// Nothing in the document asks for a table.
    #[error("no line reads `<!-- fanout report results/NAME --table SCENARIO -->`")]
    NoMarker,
    /// A marker that is none.
    #[error("line {line}: found `{found}`, expected `<!-- fanout report results/NAME --table SCENARIO -->`")]
    Marker {
        /// The line.
        line: usize,
        /// What stands there.
        found: String,
    },
    /// A marker without its end.
    #[error("line {line}: the table of {scenario} has no `<!-- end -->` before the next marker")]
    Unclosed {
        /// The marker's line.
        line: usize,
        /// The scenario it names.
        scenario: String,
    },
    /// The table cannot be made.
    #[error("line {line}: {source}")]
    Table {
        /// The marker's line.
        line: usize,
        /// Why.
        source: ReportError,
    },
}

/// The document with the table between each pair of markers made anew from these results:
///
/// ```text
/// <!-- fanout report results/NAME --table SCENARIO -->
/// <!-- end -->
/// ```
///
/// The marker's folder becomes the one that the table was made from, below the folder that the marker names.
/// Each row links its scenario, as `scenarios/SCENARIO.toml` beside the document. Lines between code fences
/// are left alone.
///
/// # Errors
///
/// There is no marker, one is malformed or has no end, or it names a scenario that the results do not have.
pub fn splice(document: &str, results: &Results) -> Result<String, SpliceError> {
    let mut spliced = String::with_capacity(document.len());
    let mut lines = (1..).zip(document.split_inclusive('\n'));
    let mut found = false;
    let mut fenced = false;
    while let Some((line, text)) = lines.next() {
        fenced ^= text.trim_start().starts_with("```");
        if fenced || !text.trim_start().starts_with(BEGIN) {
            spliced.push_str(text);
            continue;
        }
        found = true;
        let marker =
            Marker::parse(text).ok_or_else(|| SpliceError::Marker { line, found: text.trim().to_owned() })?;
        let unclosed = || SpliceError::Unclosed { line, scenario: marker.scenario.to_owned() };
        let end = loop {
            let (_, text) = lines.next().ok_or_else(unclosed)?;
            if text.trim_start().starts_with(BEGIN) {
                return Err(unclosed());
            }
            if text.trim() == END {
                break text;
            }
        };
        let scenario = marker.scenario;
        let name = |strategy: &str| format!("[{}][{scenario}]", inline(strategy));
        let table =
            table_with(results, scenario, name).map_err(|source| SpliceError::Table { line, source })?;
        let folder = marker.folder(&results.path);
        spliced.push_str(&format!("{BEGIN}{folder} --table {scenario} -->\n\n{table}\n"));
        spliced.push_str(&format!("[{scenario}]: {}\n\n", target(&format!("scenarios/{scenario}.toml"))));
        spliced.push_str(end);
    }
    if found { Ok(spliced) } else { Err(SpliceError::NoMarker) }
}

struct Marker<'a> {
    results: &'a str,
    scenario: &'a str,
}

impl<'a> Marker<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let words = text.trim().strip_prefix(BEGIN)?.strip_suffix("-->")?;
        match words.split_whitespace().collect::<Vec<_>>().as_slice() {
            [results, "--table", scenario] => Some(Self { results, scenario }),
            _ => None,
        }
    }

    /// The folder to name: where the document says that results are kept, and the name of these. The path as
    /// it was given may be one of this machine alone.
    fn folder(&self, path: &Path) -> String {
        let name = path.file_name().map(|name| name.to_string_lossy());
        let parent = self.results.trim_end_matches('/').rsplit_once('/').map(|(parent, _)| parent);
        match (name, parent) {
            (None, _) => self.results.to_owned(),
            (Some(name), None) => name.into_owned(),
            (Some(name), Some(parent)) => format!("{parent}/{name}"),
        }
    }
}
