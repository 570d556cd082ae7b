//! The makers that a scenario's file and a command's arguments share. Their errors say what was found and what would
//! fit, not where.

use std::path::Path;

use fanout_simulation::{Latency, Listing, Samples};

use crate::files::Files;

/// Latencies from a file: one duration a line.
pub(crate) fn samples(path: &Path, files: &dyn Files) -> Result<Latency, String> {
    let bytes = read(path, files)?;
    Samples::read(bytes.as_slice())
        .map_err(|error| error.to_string())
        .and_then(|samples| Latency::samples(samples).map_err(|error| error.to_string()))
        .map_err(|problem| format!("{}: {problem}", path.display()))
}

/// A tree from a file: one path a line.
pub(crate) fn listing(path: &Path, files: &dyn Files) -> Result<Listing, String> {
    let bytes = read(path, files)?;
    Listing::read(bytes.as_slice()).map_err(|error| format!("{}: {error}", path.display()))
}

fn read(path: &Path, files: &dyn Files) -> Result<Vec<u8>, String> {
    files.read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}
