use std::path::{Path, PathBuf};

use crate::error::{Place, Problem};
use crate::files::Hashed;
use crate::{Files, Folder, Scenario, ScenarioError, StrategyFacts, check, raw};

/// Reads a scenario from text. `path` is where the text came from, for messages alone; `files` finds what it names;
/// `known` are the strategies there are.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn parse(
    name: &str,
    path: &Path,
    text: &str,
    files: &dyn Files,
    known: &[StrategyFacts<'_>],
) -> Result<Scenario, ScenarioError> {
    let read = || -> Result<Scenario, Problem> {
        let file: raw::File = toml::from_str(text).map_err(|error| Problem::of_parser(&error, text))?;
        let files = Hashed::new(files, text);
        check::scenario(&file, check::Origin { name, path, text, files: &files, known })
    };
    read().map_err(|problem| problem.into_error(path, text))
}

/// The file beside a folder's scenarios that is none: what a comparison calls a change.
pub const GATE_FILE: &str = "gate.toml";

/// Reads a scenario's file, or all scenarios of a folder, sorted by name.
///
/// # Errors
/// A path that cannot be read, a folder without a scenario, and the first thing that is wrong with any of them.
pub fn load(path: &Path, known: &[StrategyFacts<'_>]) -> Result<Vec<Scenario>, ScenarioError> {
    if !path.is_dir() {
        return load_file(path, known).map(|scenario| vec![scenario]);
    }
    let paths = definitions(path)?;
    if paths.is_empty() {
        return Err(ScenarioError::NoScenario { path: path.to_owned() });
    }
    paths.iter().map(|path| load_file(path, known)).collect()
}

/// Refuses two scenarios of one name: their rows could not be told apart. A folder has no two; several paths may.
///
/// # Errors
/// Names both files.
pub fn refuse_duplicates(scenarios: &[Scenario]) -> Result<(), ScenarioError> {
    for (at, second) in scenarios.iter().enumerate() {
        if let Some(first) = scenarios[..at].iter().find(|first| first.name == second.name) {
            return Err(ScenarioError::Duplicate {
                name: second.name.clone(),
                first: first.path.clone(),
                second: second.path.clone(),
            });
        }
    }
    Ok(())
}

fn load_file(path: &Path, known: &[StrategyFacts<'_>]) -> Result<Scenario, ScenarioError> {
    let bytes = std::fs::read(path).map_err(|source| ScenarioError::Io { path: path.to_owned(), source })?;
    let text = String::from_utf8(bytes).map_err(|error| no_text(path, &error))?;
    let name = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .ok_or_else(|| ScenarioError::Nameless { path: path.to_owned() })?;
    let folder = Folder::new(path.parent().unwrap_or(Path::new("")));
    parse(name, path, &text, &folder, known)
}

fn no_text(path: &Path, error: &std::string::FromUtf8Error) -> ScenarioError {
    let good = error.utf8_error().valid_up_to();
    let before = String::from_utf8_lossy(&error.as_bytes()[..good]);
    ScenarioError::Invalid {
        path: path.to_owned(),
        place: Some(Place::of(&before, good)),
        key: None,
        problem: format!("found the byte 0x{:02x}, which is no UTF-8", error.as_bytes()[good]),
    }
}

/// The files of a folder that end in `.toml`, sorted, but for [`GATE_FILE`].
fn definitions(folder: &Path) -> Result<Vec<PathBuf>, ScenarioError> {
    let unreadable = |source| ScenarioError::Io { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let gate = path.file_name().is_some_and(|name| name == GATE_FILE);
        if path.extension().is_some_and(|extension| extension == "toml") && path.is_file() && !gate {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    Ok(paths)
}
