//! Which scenarios are meant.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use fanout_harness::{Arguments, Origin, Registry};
use fanout_scenario::load;

use crate::builtin;

/// The scenarios that the arguments name: compiled-in ones by their names, others by their paths; all compiled-in ones
/// where nothing is named.
pub(crate) fn scenarios(named: &[PathBuf], registry: &Registry) -> Result<Vec<Origin>> {
    let origins = if named.is_empty() {
        builtin::names()
            .into_iter()
            .map(|name| Ok(builtin::scenario(name, registry)?))
            .collect::<Result<_>>()?
    } else {
        let each: Vec<Vec<Origin>> =
            named.iter().map(|name| named_by(name, registry)).collect::<Result<_>>()?;
        each.into_iter().flatten().collect::<Vec<_>>()
    };
    let scenarios: Vec<_> = origins.iter().map(|origin| origin.scenario.clone()).collect();
    fanout_scenario::refuse_duplicates(&scenarios)?;
    Ok(origins)
}

fn named_by(name: &Path, registry: &Registry) -> Result<Vec<Origin>> {
    if let Some(found) = name.to_str().and_then(compiled_in) {
        return Ok(vec![builtin::scenario(found?, registry)?]);
    }
    if !name.exists() {
        bail!(
            "there is no scenario and no file {:?}; compiled in are {}",
            name.display().to_string(),
            builtin::names().join(", ")
        );
    }
    let scenarios = load(name, &registry.facts())?;
    // Absolute, since a cell's process reads the files again.
    let path = std::path::absolute(name).with_context(|| format!("cannot resolve {}", name.display()))?;
    let folder = if name.is_dir() { path } else { path.parent().unwrap_or(Path::new("/")).to_owned() };
    Ok(scenarios
        .into_iter()
        .map(|scenario| Origin { scenario, folder: Some(folder.clone()), arguments: Arguments::default() })
        .collect())
}

/// The compiled-in scenario of that name, or the one that starts so. Anything that looks like a path is none.
fn compiled_in(name: &str) -> Option<Result<&'static str>> {
    if name.is_empty() || name.contains(['/', '.']) {
        return None;
    }
    let names = builtin::names();
    if let Some(exact) = names.iter().find(|other| **other == name) {
        return Some(Ok(exact));
    }
    let starting: Vec<_> = names.into_iter().filter(|other| other.starts_with(name)).collect();
    match starting.as_slice() {
        [] => None,
        [one] => Some(Ok(one)),
        several => Some(Err(anyhow::anyhow!("{name:?} could be {}", several.join(" or ")))),
    }
}
