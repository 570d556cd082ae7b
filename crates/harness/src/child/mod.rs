//! Inside a cell's process: builds the workload, runs the strategy on its clock, measures.

mod account;
mod batch;
mod blocked;
mod clock;
mod limits;
mod measure;
mod serve;
mod servings;
mod shutdown;
mod stream;
mod survey;
mod tree;

pub(crate) use batch::BatchCell;
pub(crate) use measure::Measured;
pub use serve::serve_if_cell;
pub(crate) use serve::{CELL, Report, Task};
pub(crate) use stream::StreamCell;
pub(crate) use tree::TreeCell;
