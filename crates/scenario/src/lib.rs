//! Scenario files: TOML in, a validated [`Scenario`] or a precise error out.
//!
//! A scenario is one question: a workload, the strategies that face it, the limits and clocks they face it with, and
//! what is expected of each. [`load()`] reads a file or a folder, [`parse`] a text.
//!
//! ```
//! use std::path::Path;
//!
//! use fanout_record::WorkloadKind;
//! use fanout_scenario::{Folder, StrategyFacts, parse};
//!
//! let text = r#"
//! title = "Walking 3,906 nodes, 10 ms a fetch"
//! analysis = "Twenty workers keep twenty calls in flight, and no more tasks than that."
//! limits = [20]
//!
//! [workload.tree]
//! branching = 5
//! depth = 5
//!
//! [latency]
//! constant = "10ms"
//!
//! [strategy.queue-workers]
//! expect = { outcome = "complete", visited = 3906, tasks-peak = { max = "limit + 1" } }
//! "#;
//! let workers = StrategyFacts {
//!     name: "queue-workers",
//!     workloads: &[WorkloadKind::Tree],
//!     limited: true,
//!     heeds_policy: true,
//! };
//! let known = [workers];
//! let scenario = parse("01-tree", Path::new("01-tree.toml"), text, &Folder::new("."), &known)?;
//! assert_eq!(scenario.strategies[0].name, "queue-workers");
//!
//! let wrong = text.replace("depth = 5", "depth = -5");
//! let error = parse("01-tree", Path::new("01-tree.toml"), &wrong, &Folder::new("."), &known).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "01-tree.toml:8:9: workload.tree.depth: found -5, expected a whole number from 0 to 4294967295",
//! );
//! # Ok::<(), fanout_scenario::ScenarioError>(())
//! ```

mod arguments;
mod check;
mod error;
mod expression;
mod files;
mod keys;
mod latency;
mod load;
mod names;
mod raw;
mod scenario;
mod text;
mod walk;
mod work;

pub use arguments::{ArgumentError, parse_fault, parse_latency};
pub use error::{Place, ScenarioError};
pub use expression::Expression;
pub use files::{Files, Folder};
pub use latency::{LEAST_VIRTUAL_MEDIAN, TooFine, fit_for_virtual};
pub use load::{GATE_FILE, load, parse, refuse_duplicates};
pub use names::Fact;
pub use scenario::{
    Expectation, Measure, Published, Range, Scenario, Shutdown, StrategyFacts, StrategyPlan, Variant,
    WEIGHTS, Workload,
};
pub use walk::{WalkOrder, WalkPolicy, WalkRetry};
