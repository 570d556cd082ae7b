use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::SCHEMA;
use crate::claim::Claim;
use crate::columns::Row;
use crate::dependency::DependencyRow;
use crate::manifest::Manifest;
use crate::table::{self, ReadError, WriteError, fs_err};
use crate::timeline::Bin;

const ROWS: &str = "rows.csv";
const TIMELINE: &str = "timeline.csv";
const DEPENDENCIES: &str = "dependencies.csv";
const CLAIMS: &str = "claims.csv";
const MANIFEST: &str = "manifest.json";
const DEADLOCKS: &str = "deadlocks.txt";

/// A results folder as it was read.
#[derive(Debug, Clone)]
pub struct Results {
    /// Where it was read from.
    pub path: PathBuf,
    /// What produced it.
    pub manifest: Manifest,
    /// A row a cell, in the order in which they ended.
    pub rows: Vec<Row>,
    /// The bins of all cells.
    pub timeline: Vec<Bin>,
    /// What each dependency saw, of the cells that have batches.
    pub dependencies: Vec<DependencyRow>,
    /// What was expected and published.
    pub claims: Vec<Claim>,
}

impl Results {
    /// Reads a whole results folder.
    ///
    /// # Errors
    ///
    /// The path is no results folder, or a file in it cannot be read or is not of this schema.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        // A path that is no folder, or not there, is a different mistake from a folder of something else.
        fs_err(path, fs::read_dir(path))?;
        for missing in [MANIFEST, ROWS] {
            if !path.join(missing).exists() {
                return Err(ReadError::NotResults { path: path.to_owned(), missing });
            }
        }
        let manifest_path = path.join(MANIFEST);
        let text = fs_err(&manifest_path, fs::read_to_string(&manifest_path))?;
        let manifest = parse_manifest(&manifest_path, &text)?;
        Ok(Self {
            path: path.to_owned(),
            manifest,
            rows: read_rows(&path.join(ROWS))?,
            timeline: table::read(&path.join(TIMELINE), Bin::HEADER)?,
            dependencies: table::read(&path.join(DEPENDENCIES), DependencyRow::HEADER)?,
            claims: table::read(&path.join(CLAIMS), Claim::HEADER)?,
        })
    }
}

/// Two rows of one cell would count twice in every median.
fn read_rows(path: &Path) -> Result<Vec<Row>, ReadError> {
    let rows: Vec<Row> = table::read(path, Row::HEADER)?;
    let mut cells = BTreeMap::new();
    // The header is line 1, and no field has a line end in it.
    for (row, line) in rows.iter().zip(2u64..) {
        if let Some(first) = cells.insert(row.cell(), line) {
            return Err(ReadError::Malformed {
                path: path.to_owned(),
                line,
                column: None,
                problem: format!("the cell of line {first} stands here again"),
            });
        }
    }
    Ok(rows)
}

/// The schema first: what another version of fanout wrote is not malformed, but of another version.
fn parse_manifest(path: &Path, text: &str) -> Result<Manifest, ReadError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema: u32,
    }
    let malformed = |line: usize, problem| ReadError::Malformed {
        path: path.to_owned(),
        line: line.max(1) as u64,
        column: None,
        problem,
    };
    let json = |error: serde_json::Error| malformed(error.line(), error.to_string());
    let Version { schema } = serde_json::from_str(text).map_err(json)?;
    if schema != SCHEMA {
        let (path, found) = (path.to_owned(), schema.to_string());
        return Err(ReadError::OtherSchema { path, line: 1, column: None, found });
    }
    serde_json::from_str(text).map_err(json)
}

/// A results folder that is being written. Each finished cell is on disk before the next one ends, so that a
/// crash, a kill or a full disk costs only what was not finished.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    rows: Growing,
    timeline: Growing,
    dependencies: Growing,
}

impl Writer {
    /// Makes the folder, which must not exist or be empty, and the manifest in it.
    ///
    /// # Errors
    ///
    /// There is something in the folder already, or it cannot be written.
    pub fn create(path: &Path, manifest: &Manifest) -> Result<Self, WriteError> {
        fs::create_dir_all(path).map_err(WriteError::io(path))?;
        let mut entries = fs::read_dir(path).map_err(WriteError::io(path))?;
        if entries.next().is_some() {
            return Err(WriteError::Exists { path: path.to_owned() });
        }
        let mut writer = Self {
            path: path.to_owned(),
            rows: Growing::create(path.join(ROWS), Row::HEADER)?,
            timeline: Growing::create(path.join(TIMELINE), Bin::HEADER)?,
            dependencies: Growing::create(path.join(DEPENDENCIES), DependencyRow::HEADER)?,
        };
        writer.claims(&[])?;
        writer.manifest(manifest)?;
        Ok(writer)
    }

    /// Where the folder is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a finished cell.
    ///
    /// # Errors
    ///
    /// The disk is full, or gone.
    pub fn cell(
        &mut self,
        row: &Row,
        timeline: &[Bin],
        dependencies: &[DependencyRow],
    ) -> Result<(), WriteError> {
        self.timeline.append(timeline)?;
        self.dependencies.append(dependencies)?;
        // The row last: a cell that has one has all the rest too.
        self.rows.append(std::slice::from_ref(row))
    }

    /// Adds what a deadlock's report said.
    ///
    /// # Errors
    ///
    /// The disk is full, or gone.
    pub fn deadlock(&mut self, report: &str) -> Result<(), WriteError> {
        let path = self.path.join(DEADLOCKS);
        File::options()
            .create(true)
            .append(true)
            .open(&path)
            .and_then(|mut file| writeln!(file, "{report}"))
            .map_err(WriteError::io(&path))
    }

    /// Writes all claims, over any written before.
    ///
    /// # Errors
    ///
    /// The disk is full, or gone; what was there before is then still there.
    pub fn claims(&mut self, claims: &[Claim]) -> Result<(), WriteError> {
        let path = self.path.join(CLAIMS);
        replace(&path, |file| {
            let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(file);
            table.write_record(Claim::HEADER)?;
            for claim in claims {
                table.serialize(claim)?;
            }
            table.flush()
        })
    }

    /// Writes the manifest, over any written before.
    ///
    /// # Errors
    ///
    /// The disk is full, or gone; what was there before is then still there.
    pub fn manifest(&mut self, manifest: &Manifest) -> Result<(), WriteError> {
        replace(&self.path.join(MANIFEST), |file| {
            serde_json::to_writer_pretty(&mut *file, manifest)?;
            writeln!(file)
        })
    }
}

/// A table that grows by whole lines: what cannot be written to its end is taken back.
#[derive(Debug)]
struct Growing {
    path: PathBuf,
    file: File,
    end: u64,
}

impl Growing {
    fn create(path: PathBuf, header: &[&str]) -> Result<Self, WriteError> {
        // Appending: after a line was taken back the next one goes where it was.
        let file =
            File::options().append(true).create_new(true).open(&path).map_err(WriteError::io(&path))?;
        let mut table = Self { path, file, end: 0 };
        table.append(&[header])?;
        Ok(table)
    }

    fn append<T: Serialize>(&mut self, records: &[T]) -> Result<(), WriteError> {
        let mut lines = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        for record in records {
            lines.serialize(record).map_err(WriteError::csv(&self.path))?;
        }
        let lines = lines.into_inner().map_err(|error| WriteError::io(&self.path)(error.into_error()))?;
        self.file.write_all(&lines).map_err(|error| {
            // Whatever made the write fail is the news, not that this may fail too.
            let _ = self.file.set_len(self.end);
            WriteError::io(&self.path)(error)
        })?;
        self.end += lines.len() as u64;
        Ok(())
    }
}

/// Writes a file whole or not at all: beside its place first, then renamed into it.
///
/// # Errors
///
/// The file cannot be written; what was at `path` before is then still there.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), WriteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let attempt = || {
        let mut file = temporary().tempfile_in(folder)?;
        write(file.as_file_mut())?;
        file.persist(path)?;
        Ok(())
    };
    attempt().map_err(WriteError::io(path))
}

/// A temporary file is its owner's alone if nothing else is said; results are for whom the umask lets read
/// them.
fn temporary() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".fanout-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
}
