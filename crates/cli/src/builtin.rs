//! The scenarios that come with the binary.

use std::io;
use std::path::Path;

use fanout_harness::{Arguments, Origin, Registry};
use fanout_scenario::{Files, GATE_FILE, ScenarioError, parse};
use include_dir::{Dir, include_dir};

static SCENARIOS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// The files that compiled-in scenarios name.
pub(crate) struct BuiltIn;

impl Files for BuiltIn {
    fn read(&self, relative: &Path) -> io::Result<Vec<u8>> {
        let file = SCENARIOS.get_file(relative).ok_or(io::ErrorKind::NotFound)?;
        Ok(file.contents().to_vec())
    }
}

/// The names of the compiled-in scenarios, in order.
pub(crate) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = SCENARIOS
        .files()
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "toml"))
        .filter(|file| file.path() != Path::new(GATE_FILE))
        .filter_map(|file| file.path().file_stem()?.to_str())
        .collect();
    names.sort_unstable();
    names
}

/// The gate that comes with the binary.
pub(crate) fn gate() -> &'static str {
    SCENARIOS.get_file(GATE_FILE).and_then(|file| file.contents_utf8()).unwrap_or_default()
}

/// One of the compiled-in scenarios.
pub(crate) fn scenario(name: &str, registry: &Registry) -> Result<Origin, ScenarioError> {
    let path = Path::new("scenarios").join(name).with_extension("toml");
    let file = format!("{name}.toml");
    let text = SCENARIOS.get_file(&file).and_then(|file| file.contents_utf8()).unwrap_or_default();
    let scenario = parse(name, &path, text, &BuiltIn, &registry.facts())?;
    Ok(Origin { scenario, folder: None, arguments: Arguments::default() })
}
