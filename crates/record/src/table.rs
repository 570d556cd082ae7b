//! Reading and writing one CSV table, strictly: a file that is not exactly this schema is refused where it
//! deviates.

use std::io;
use std::num::IntErrorKind;
use std::path::{Path, PathBuf};

use csv::{DeserializeErrorKind, StringRecord};
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::SCHEMA;

/// Why a results folder could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder is none of ours.
    #[error("{} is not a results folder: it has no {missing}", path.display())]
    NotResults {
        /// The folder.
        path: PathBuf,
        /// The file that should be there.
        missing: &'static str,
    },
    /// The file is of another schema.
    #[error("{}:{line}{}: {}", path.display(), in_column(column.as_deref()), other_schema(found))]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column's name, in a table.
        column: Option<String>,
        /// The schema's number, as it stands there.
        found: String,
    },
    /// The file is not what it should be.
    #[error("{}:{line}{}: {problem}", path.display(), in_column(column.as_deref()))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column's name, where one is at fault.
        column: Option<String>,
        /// What was found and what was expected.
        problem: String,
    },
}

/// Why a results folder could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// A folder that is there already is left alone.
    #[error("{} exists already: results are never written over, name another folder", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot write {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn in_column(column: Option<&str>) -> String {
    column.map(|name| format!(", column {name}")).unwrap_or_default()
}

impl WriteError {
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn csv(path: &Path) -> impl Fn(csv::Error) -> Self {
        move |error| Self::Io { path: path.to_owned(), source: error.into() }
    }
}

/// Reads a whole table.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, header: &[&str]) -> Result<Vec<T>, ReadError> {
    let malformed = |line, column: Option<&str>, problem| ReadError::Malformed {
        path: path.to_owned(),
        line,
        column: column.map(str::to_owned),
        problem,
    };
    let text = fs_err(path, std::fs::read(path))?;
    // A number that lost its last digits is still a number: only the line's end tells.
    if !text.is_empty() && !text.ends_with(b"\n") {
        let line = 1 + text.iter().filter(|&&byte| byte == b'\n').count() as u64;
        return Err(malformed(line, None, "the last line has no end: the file is cut short".to_owned()));
    }
    let mut reader = csv::ReaderBuilder::new().from_reader(text.as_slice());
    let found = reader.headers().map_err(|error| unreadable(path, &error))?.clone();
    if found.is_empty() {
        return Err(malformed(
            1,
            None,
            format!("the file is empty, expected the header {}", header.join(",")),
        ));
    }
    if let Some(problem) = header_problem(&found, header) {
        return Err(malformed(1, None, problem));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(path, &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let schema = record.get(0).unwrap_or_default();
        if schema != SCHEMA.to_string() {
            return Err(ReadError::OtherSchema {
                path: path.to_owned(),
                line,
                column: Some(header[0].to_owned()),
                found: schema.to_owned(),
            });
        }
        let row = record.deserialize(Some(&found)).map_err(|error| {
            let (column, problem) = field_problem(&error, &record, header);
            malformed(line, column, problem)
        })?;
        rows.push(row);
    }
    Ok(rows)
}

fn other_schema(found: &str) -> String {
    format!("found schema {found:?}, expected {SCHEMA}: made by another version of fanout")
}

fn header_problem(found: &StringRecord, expected: &[&str]) -> Option<String> {
    if found.iter().eq(expected.iter().copied()) {
        return None;
    }
    let doubled =
        found.iter().enumerate().find(|&(at, name)| found.iter().take(at).any(|other| other == name));
    if let Some((_, name)) = doubled {
        return Some(format!("column {name:?} stands twice"));
    }
    if let Some(name) = expected.iter().find(|name| !found.iter().any(|other| other == **name)) {
        return Some(format!("column {name:?} is missing"));
    }
    if let Some(name) = found.iter().find(|name| !expected.contains(name)) {
        return Some(format!("unknown column {name:?}"));
    }
    Some(format!("the columns stand in another order than {}", expected.join(",")))
}

fn field_problem<'a>(
    error: &csv::Error,
    record: &StringRecord,
    header: &[&'a str],
) -> (Option<&'a str>, String) {
    let csv::ErrorKind::Deserialize { err, .. } = error.kind() else { return (None, error.to_string()) };
    let problem = match err.kind() {
        DeserializeErrorKind::ParseInt(error) => match error.kind() {
            IntErrorKind::PosOverflow => "the number is too large".to_owned(),
            _ => "expected a whole number that is not negative".to_owned(),
        },
        DeserializeErrorKind::ParseBool(_) => "expected true or false".to_owned(),
        other => other.to_string(),
    };
    let at =
        err.field().and_then(|field| usize::try_from(field).ok()).or_else(|| quoted_cell(&problem, record));
    match at.and_then(|at| Some((header.get(at)?, record.get(at)?))) {
        Some((column, found)) => (Some(column), format!("found {found:?}: {problem}")),
        None => (None, problem),
    }
}

/// The csv crate does not say in which column a name or a zero was refused, but the refusal quotes it.
fn quoted_cell(problem: &str, record: &StringRecord) -> Option<usize> {
    let quoted = problem.split(['`', '"']).nth(1)?;
    record.iter().position(|cell| cell == quoted)
}

fn unreadable(path: &Path, error: &csv::Error) -> ReadError {
    let line = error.position().map_or(1, csv::Position::line);
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("found {len} cells, expected {expected_len}: the line is cut short or was edited")
        }
        csv::ErrorKind::Utf8 { .. } => "found bytes that are no UTF-8".to_owned(),
        csv::ErrorKind::Io(source) => {
            return ReadError::Io {
                path: path.to_owned(),
                source: io::Error::new(source.kind(), source.to_string()),
            };
        }
        _ => error.to_string(),
    };
    ReadError::Malformed { path: path.to_owned(), line, column: None, problem }
}

pub(crate) fn fs_err<T>(path: &Path, result: io::Result<T>) -> Result<T, ReadError> {
    result.map_err(|source| ReadError::Io { path: path.to_owned(), source })
}
