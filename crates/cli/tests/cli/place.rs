//! A folder of a test's own, with the command run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use fanout_record::Results;
use tempfile::TempDir;

/// A tree of 7 nodes and a stream of 30 messages, in virtual milliseconds.
pub(crate) const TREE: &str = r#"
title = "Seven nodes"
analysis = "A small tree."
limits = [2]
[workload.tree]
branching = 2
depth = 2
[latency]
constant = "10ms"
[strategy.sequential-stack]
expect = { visited = 7, virtual = "70ms" }
[strategy.queue-workers]
expect = { visited = 7, in-flight-peak = 2, tasks-peak = { max = 3 } }
"#;

pub(crate) const STREAM: &str = r#"
title = "Thirty messages"
analysis = "A small stream."
limits = [3]
[workload.stream]
messages = 30
payload = "200B"
arrivals = "at-once"
[latency]
constant = "10ms"
[strategy.queue-workers]
expect = { visited = 30, virtual = "100ms" }
"#;

pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder can be made"))
    }

    /// With a scenario of a tree and one of a stream, `tree` and `stream`, in the folder `scenarios`.
    pub(crate) fn with_scenarios() -> Self {
        Self::new().with("scenarios/tree.toml", TREE).with("scenarios/stream.toml", STREAM)
    }

    pub(crate) fn with(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("files have a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::cargo_bin("fanout").expect("the binary is built");
        command.current_dir(self.0.path()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    /// Runs a line of arguments, with nothing on standard input.
    pub(crate) fn fanout(&self, line: &str) -> Said {
        Said::of(&self.command().args(line.split_whitespace()).output().expect("it starts"))
    }

    pub(crate) fn results(&self, path: &str) -> Results {
        Results::read(&self.path(path)).expect("the results can be read")
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("the file can be read")
    }

    /// The names in a folder, sorted.
    pub(crate) fn names(&self, path: &str) -> Vec<String> {
        names(&self.path(path))
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort_unstable();
    names
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }

    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.out, self.err);
        self
    }

    /// Failed with that exit code and those words, on standard error alone.
    #[track_caller]
    pub(crate) fn refuses(self, code: i32, words: &[&str]) {
        let said = self.ends(code);
        assert_eq!(said.out, "", "an error belongs on standard error");
        for words in words {
            assert!(said.err.contains(words), "{words:?} is not in: {}", said.err);
        }
        let own = said.err.starts_with("fanout: ") && said.err.lines().count() == 1;
        assert!(code == 2 || own, "an error is a line of its own: {}", said.err);
    }
}
