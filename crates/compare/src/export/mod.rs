//! A comparison for others: for a pull request, for programs, for dashboards that exist.

mod dashboards;
mod json;
mod markdown;

pub use dashboards::{bencher, benchmark_action};
pub use json::json;
pub use markdown::markdown;
