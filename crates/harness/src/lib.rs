//! Runs strategies against scenarios, each cell in a process of its own.
//!
//! A binary that measures calls [`serve_if_cell`] first in its `main`: each cell is a child of the same binary, and
//! that is where a child ends. Everything else is the parent's: a [`Plan`] of cells from scenarios and a [`Choice`],
//! [`run()`] that measures them into a results folder, and the claims that come of it.
//!
//! Your own strategy joins by implementing [`Walk`], [`Surveyor`], [`Consume`], [`Drainer`] or [`FanOut`] in a crate with its own
//! `main`: see [`Strategy`].

mod child;
mod claims;
mod host;
mod pitfalls;
mod plan;
mod registry;
mod run;
mod strategy;
mod supervise;

pub use child::serve_if_cell;
pub use claims::claims;
pub use host::host;
pub use plan::{Arguments, ArgumentsError, Choice, Origin, Plan, PlanError, PlannedCell};
pub use registry::Registry;
pub use run::{Finished, Observer, RunError, measure_one, run};
pub use strategy::{Consume, Drainer, Fallback, FanOut, Order, ServedAnswers, Strategy, Surveyor, Walk};
pub use supervise::CellReport;
