//! Measures a plan's cells into a results folder.

use std::future::Future;
use std::io;
use std::path::Path;

use fanout_record::{CellId, Clock, DependencyRow, Row, WriteError, Writer};
use futures::stream::{self, StreamExt};
use thiserror::Error;
use tokio::signal::unix::{SignalKind, signal};

use crate::child::Task;
use crate::plan::{Plan, PlannedCell};
use crate::supervise::{CellReport, run_cell};

/// Is told how a run gets on.
pub trait Observer {
    /// A cell ended; `done` of `all` have now.
    fn cell_ended(&mut self, row: &Row, done: usize, all: usize);
}

/// Why a run could not go on. What went wrong in a cell is a row, not an error.
#[derive(Debug, Error)]
pub enum RunError {
    /// The results cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// No process, or no runtime, can be started.
    #[error("cannot start a process for a cell: {0}")]
    Start(#[from] io::Error),
}

/// What a run came to.
#[derive(Debug)]
pub struct Finished {
    /// The rows, in the plan's order.
    pub rows: Vec<Row>,
    /// What each dependency saw, of the cells that have batches.
    pub dependencies: Vec<DependencyRow>,
    /// Whether it was told to stop before all cells were run.
    pub interrupted: bool,
}

/// Runs the plan's cells, and writes each as it ends. Cells on the virtual clock run side by side, as many as there are
/// cores, since nothing can disturb them; cells on the wall clock one at a time, after those.
///
/// Told to stop by a signal (interrupt, terminate, hang up), it ends the cells that are running and keeps the others.
///
/// # Errors
///
/// No process can be started, or the folder can no longer be written.
pub fn run(plan: &Plan, writer: &mut Writer, observer: &mut dyn Observer) -> Result<Finished, RunError> {
    let exe = std::env::current_exe()?;
    parent_runtime()?.block_on(async {
        let mut rows = Vec::with_capacity(plan.cells.len());
        let mut finished = Vec::new();
        let (exact, timed): (Vec<_>, Vec<_>) =
            plan.cells.iter().partition(|planned| planned.cell.clock == Clock::Virtual);
        let side_by_side = std::thread::available_parallelism().map_or(1, usize::from);
        let stop = stop_signal()?;
        let mut stop = std::pin::pin!(stop);
        for (cells, at_once) in [(exact, side_by_side), (timed, 1)] {
            // In the plan's order, so that two runs write the same bytes: no more than `at_once - 1` that have ended
            // wait to be written.
            let mut reports =
                stream::iter(cells.into_iter().map(|cell| supervise(&exe, plan, cell))).buffered(at_once);
            loop {
                let report = tokio::select! {
                    biased;
                    () = &mut stop => return Ok(Finished { rows, dependencies: finished, interrupted: true }),
                    report = reports.next() => report,
                };
                let Some(report) = report else { break };
                let CellReport { row, timeline, dependencies, deadlock } = report?;
                writer.cell(&row, &timeline, &dependencies)?;
                finished.extend(dependencies);
                if let Some(deadlock) = deadlock {
                    writer.deadlock(&format!("{}\n{deadlock}", title(&row.cell())))?;
                }
                observer.cell_ended(&row, rows.len() + 1, plan.cells.len());
                rows.push(row);
            }
        }
        Ok(Finished { rows, dependencies: finished, interrupted: false })
    })
}

/// Measures one cell alone, with nothing written.
///
/// # Errors
///
/// No process can be started.
pub fn measure_one(plan: &Plan, cell: &PlannedCell) -> Result<CellReport, RunError> {
    let exe = std::env::current_exe()?;
    Ok(parent_runtime()?.block_on(supervise(&exe, plan, cell))?)
}

fn parent_runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn supervise<'a>(
    exe: &'a Path,
    plan: &'a Plan,
    planned: &'a PlannedCell,
) -> impl Future<Output = io::Result<CellReport>> + 'a {
    let origin = &plan.origins[planned.origin];
    let task = Task {
        cell: planned.cell.clone(),
        definition: origin.scenario.definition.clone(),
        path: origin.scenario.path.clone(),
        folder: origin.folder.clone(),
        arguments: origin.arguments.clone(),
        heap: planned.heap,
        memory_bytes: planned.memory,
    };
    async move { run_cell(exe, &task, origin.scenario.kind(), planned.timeout).await }
}

/// Ends once this process is told to stop.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            biased;
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// A cell in words: what its coordinates are.
fn title(cell: &CellId) -> String {
    let mut title = format!("{} {}", cell.scenario, cell.strategy);
    if let Some(variant) = &cell.variant {
        title += &format!(", variant {variant}");
    }
    if let Some(limit) = cell.limit {
        title += &format!(", limit {limit}");
    }
    title + &format!(", {} clock, seed {}, run {}", cell.clock, cell.seed, cell.run)
}
