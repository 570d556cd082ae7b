//! Every file of a results folder: the one schema that the harness writes and that reports read.
//!
//! A folder holds `rows.csv` (a [`Row`] a cell), `timeline.csv` (a [`Bin`] a line), `claims.csv` (a [`Claim`]
//! a line), `manifest.json` (a [`Manifest`]) and, where cells deadlocked, `deadlocks.txt`.

mod cell;
mod claim;
mod columns;
mod dependency;
mod folder;
mod manifest;
mod table;
mod timeline;
mod units;

pub use cell::{CellId, Clock, Outcome, WorkloadKind};
pub use claim::{Bound, Claim, Subject, median};
pub use columns::{Metric, Row, Unit};
pub use dependency::DependencyRow;
pub use folder::{Results, Writer, replace};
pub use manifest::{Axis, Host, Manifest, ScenarioRecord};
pub use table::{ReadError, WriteError};
pub use timeline::Bin;

/// The version of every file in a results folder: the first column of each table.
pub const SCHEMA: u32 = 1;

/// The examples of README.md are compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
