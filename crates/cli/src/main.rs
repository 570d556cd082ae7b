//! The `fanout` command: runs concurrency strategies against scenarios, checks their claims and draws reports.

mod adhoc;
mod args;
mod builtin;
mod commands;
mod diagnosis;
mod manifest;
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
        Command::Explain(args) => commands::explain(&args, &registry),
        Command::Completions { shell } => commands::completions(shell),
    };
    match done {
        Ok(Verdict::Fine) => ExitCode::SUCCESS,
        Ok(Verdict::Interrupted) => ExitCode::from(1),
        Ok(Verdict::NotHeld) => ExitCode::from(3),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("fanout: {error:#}");
            ExitCode::from(1)
        }
    }
}

/// Whoever read our output has read enough: `fanout list | head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
