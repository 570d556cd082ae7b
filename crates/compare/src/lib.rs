//! Two results folders told apart: what a change did to each strategy.
//!
//! On the virtual clock any difference is a change, since there is no noise. On the wall clock two samples are compared,
//! and the verdict says how sure it is. Runs that cannot be compared are refused, with the reason.
//!
//! [`compare()`] makes a [`Comparison`]; [`markdown`], [`json`], [`bencher`] and [`benchmark_action`] put it into words
//! for others. It reads `fanout-record` alone and prints nothing.

mod comparison;
mod direction;
mod exact;
mod export;
mod gate;
mod grouped;
mod pairing;
mod statistics;
mod wall;

pub use comparison::{Comparison, Gating, Options, compare};
pub use direction::{Better, better};
pub use exact::{Change, What};
pub use export::{bencher, benchmark_action, json, markdown};
pub use gate::{Gate, GateError};
pub use grouped::Group;
pub use pairing::Refusal;
pub use statistics::Ratio;
pub use wall::{Verdict, WallComparison};

/// The examples of README.md are compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
