use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

/// How the files that a scenario names are found: next to it on disk, or compiled in.
pub trait Files {
    /// Reads a file whole. The path is as the scenario has it: relative to the scenario's own file.
    ///
    /// # Errors
    /// Whatever keeps it from being read.
    fn read(&self, relative: &Path) -> io::Result<Vec<u8>>;
}

/// The files of a folder on disk.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// Files named relative to this folder.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }
}

impl Files for Folder {
    fn read(&self, relative: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(self.0.join(relative))
    }
}

/// Hashes a definition and whatever files are read for it, in their order.
pub(crate) struct Hashed<'a> {
    files: &'a dyn Files,
    hash: RefCell<Xxh3>,
}

impl<'a> Hashed<'a> {
    pub(crate) fn new(files: &'a dyn Files, definition: &str) -> Self {
        let hashed = Self { files, hash: RefCell::new(Xxh3::new()) };
        hashed.add(definition.as_bytes());
        hashed
    }

    /// With the length first, so that what is moved from one file to the next makes a difference.
    fn add(&self, bytes: &[u8]) {
        let mut hash = self.hash.borrow_mut();
        hash.update(&(bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }

    /// The hash of all that was read so far: 32 hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        format!("{:032x}", self.hash.borrow().digest128())
    }
}

impl Files for Hashed<'_> {
    fn read(&self, relative: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.files.read(relative)?;
        self.add(&bytes);
        Ok(bytes)
    }
}
