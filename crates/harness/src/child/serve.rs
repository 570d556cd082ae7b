//! A cell's process from its first line to its last.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::{Arc, Barrier};

use fanout_record::{Bin, CellId, Clock, DependencyRow, Row};
use fanout_scenario::{Files, Folder, Scenario, Workload};
use serde::{Deserialize, Serialize};

use super::batch::BatchCell;
use super::clock::CellClock;
use super::limits;
use super::measure::Measured;
use super::stream::StreamCell;
use super::tree::TreeCell;
use crate::plan::Arguments;
use crate::registry::Registry;

/// Set in the environment of a cell's process, so that the binary knows what it is.
pub(crate) const CELL: &str = "FANOUT_CELL";

/// What a cell's process is asked to do: a line of JSON on its standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) cell: CellId,
    /// The scenario's text, and where the files are that it names: a folder, or none where it is compiled in.
    pub(crate) definition: String,
    pub(crate) path: PathBuf,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) arguments: Arguments,
    pub(crate) heap: bool,
    pub(crate) memory_bytes: u64,
}

/// What it answers: a line of JSON on its standard output.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) row: Row,
    pub(crate) timeline: Vec<Bin>,
    pub(crate) dependencies: Vec<DependencyRow>,
    pub(crate) deadlock: Option<String>,
}

/// Where this process was started to run a cell, runs it and ends the process; else returns. A binary that runs
/// scenarios calls this first in its `main`: its cells are children of the same binary.
///
/// `compiled_in` holds the files of scenarios that came with the binary.
pub fn serve_if_cell(registry: &Registry, compiled_in: &dyn Files) {
    if std::env::var_os(CELL).is_none() {
        return;
    }
    let code = match serve(registry, compiled_in) {
        Ok(()) => 0,
        Err(problem) => {
            eprintln!("{problem}");
            1
        }
    };
    std::process::exit(code);
}

fn serve(registry: &Registry, compiled_in: &dyn Files) -> Result<(), Box<dyn std::error::Error>> {
    limits::no_core_dump();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let task: Task = serde_json::from_str(&line)?;
    end_with_parent()?;
    limits::limit_memory(task.memory_bytes)?;
    let report = run(&task, registry, compiled_in)?;
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &report)?;
    writeln!(out)?;
    Ok(())
}

fn run(
    task: &Task,
    registry: &Registry,
    compiled_in: &dyn Files,
) -> Result<Report, Box<dyn std::error::Error>> {
    let Task { cell, definition, path, folder, arguments, heap, .. } = task;
    let folder = folder.as_deref().map(Folder::new);
    let files: &dyn Files = folder.as_ref().map_or(compiled_in, |folder| folder);
    let mut scenario = fanout_scenario::parse(&cell.scenario, path, definition, files, &registry.facts())?;
    arguments.apply(&mut scenario)?;
    let (variant, strategy) = parts(&scenario, cell, registry)?;
    let clock = CellClock {
        clock: cell.clock,
        threads: cell.threads,
        heap: *heap && cell.clock == Clock::Virtual,
        longest_pause: std::time::Duration::ZERO,
    };
    let measured = match &variant.workload {
        Workload::Tree(tree) => {
            let tree = TreeCell { cell, variant, tree, clock };
            match (&variant.walk, strategy.surveyor()) {
                (Some(policy), Some(surveyor)) => surveyor.run(&tree, policy),
                _ => strategy.tree().ok_or("the strategy walks no trees")?.run(&tree),
            }
        }
        Workload::Stream(stream) => {
            let stream = StreamCell { cell, variant, stream, clock };
            match (variant.shutdown, strategy.drainer()) {
                (Some(shutdown), Some(drainer)) => drainer.run(&stream, shutdown),
                _ => strategy.stream().ok_or("the strategy consumes no streams")?.run(&stream),
            }
        }
        Workload::Batch(batch) => {
            let batch = BatchCell { cell, variant, batch, clock };
            strategy.batch().ok_or("the strategy fans out no batches")?.run(&batch)
        }
    };
    let Measured { row, timeline, dependencies, deadlock } = measured;
    Ok(Report { row, timeline, dependencies, deadlock })
}

fn parts<'a>(
    scenario: &'a Scenario,
    cell: &CellId,
    registry: &'a Registry,
) -> Result<(&'a fanout_scenario::Variant, &'a crate::Strategy), String> {
    let variant = scenario
        .variants
        .iter()
        .find(|variant| variant.name == cell.variant)
        .ok_or_else(|| format!("{} has no variant {:?}", scenario.name, cell.variant))?;
    let strategy =
        registry.get(&cell.strategy).ok_or_else(|| format!("there is no strategy {}", cell.strategy))?;
    Ok((variant, strategy))
}

/// Ends this process when its parent ends, however that happens: the parent keeps the other end of the standard input
/// open for as long as it lives.
fn end_with_parent() -> std::io::Result<()> {
    let started = Arc::new(Barrier::new(2));
    let here = Arc::clone(&started);
    std::thread::Builder::new().name("parent".into()).stack_size(64 * 1024).spawn(move || {
        here.wait();
        let mut rest = String::new();
        let _ = std::io::stdin().lock().read_line(&mut rest);
        std::process::exit(1);
    })?;
    // What a thread allocates while it starts would be counted as the walk's, when it starts late.
    started.wait();
    Ok(())
}
