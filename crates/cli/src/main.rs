//! The `fanout` command: runs concurrency strategies against scenarios, checks their claims and draws reports.

mod adhoc;
mod args;
mod builtin;
mod commands;
mod diagnosis;
mod difference;
mod manifest;
mod paired;
mod progress;
mod select;
mod summary;
mod timeline;

use std::process::ExitCode;

use clap::Parser;
use fanout_harness::{Registry, serve_if_cell};
use fanout_probe::heap;

use crate::args::{Args, Command};
use crate::builtin::BuiltIn;
use crate::commands::Verdict;

#[global_allocator]
static ALLOCATOR: heap::Switch = heap::Switch;

fn main() -> ExitCode {
    let registry = Registry::builtin();
    serve_if_cell(&registry, &BuiltIn);
    let done = match Args::parse().command {
        Command::List => commands::list(&registry),
        Command::Run(args) => commands::run(&args, &registry),
        Command::Report(args) => commands::report(&args),
        Command::Check(args) => commands::check(&args),
        Command::Compare(args) => commands::compare(&args),
        Command::Explain(args) => commands::explain(&args, &registry),
        Command::Completions { shell } => commands::completions(shell),
    };
    match done {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Interrupted) => ExitCode::from(1),
        Ok(Verdict::NotHeld) => ExitCode::from(3),
        Ok(Verdict::Incomparable) => ExitCode::from(4),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("fanout: {}", in_words(&error));
            ExitCode::from(1)
        }
    }
}

/// An error with its causes, outermost first; a cause that the one before has already told in full is left out.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    // What failed with nothing said of it is the output: every other file is named where it is opened.
    if of_the_output(error).is_some() {
        words += "cannot write the output: ";
    }
    for cause in error.chain().map(ToString::to_string) {
        if words.is_empty() || words.ends_with("output: ") {
            words += &cause;
        } else if !words.ends_with(&cause) {
            words += &format!(": {cause}");
        }
    }
    words
}

/// Whoever read our output has read enough: `fanout list | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    of_the_output(error).is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The error of a write to standard output: the only bare one.
fn of_the_output(error: &anyhow::Error) -> Option<&std::io::Error> {
    error.chain().next()?.downcast_ref()
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_that_was_told_already_is_not_told_again() {
        let error = anyhow!("no such file").context("cannot read x: no such file").context("--latency");
        assert_eq!(in_words(&error), "--latency: cannot read x: no such file");
        let error = anyhow::Error::from(Error::from(ErrorKind::NotFound)).context("cannot resolve x");
        assert_eq!(in_words(&error), "cannot resolve x: entity not found");
    }

    #[test]
    fn an_error_of_the_output_says_so() {
        let full = anyhow::Error::from(Error::new(ErrorKind::StorageFull, "full"));
        assert_eq!(in_words(&full), "cannot write the output: full");
        assert!(!is_broken_pipe(&full));
        assert!(is_broken_pipe(&Error::from(ErrorKind::BrokenPipe).into()));
    }
}
