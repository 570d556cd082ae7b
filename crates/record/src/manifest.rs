use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

/// What produced a results folder: `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The schema's version.
    pub schema: u32,
    /// When the run began, RFC 3339, UTC, to the second.
    pub started: String,
    /// The commit that the binary was built from; empty outside a checkout.
    pub commit: Option<String>,
    /// Whether the checkout differed from that commit, in anything that goes into the binary.
    pub dirty: bool,
    /// A hash of `Cargo.lock`.
    pub lock_hash: String,
    /// `rustc --version` of the compiler.
    pub rustc: String,
    /// The target triple.
    pub target: String,
    /// The profile, `release` or `debug`.
    pub profile: String,
    /// The command that was run, from the binary's name on.
    pub command: Vec<String>,
    /// The machine.
    pub host: Host,
    /// Whether it stopped before all cells were run.
    pub interrupted: bool,
    /// The scenarios, in the order in which they were run.
    pub scenarios: Vec<ScenarioRecord>,
}

/// The machine that a run was made on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    /// The processor's own name for itself.
    pub cpu: String,
    /// How many cores the run could use.
    pub cores: NonZeroUsize,
    /// The frequency governor, where the system tells.
    pub governor: Option<String>,
    /// Operating system and kernel version.
    pub kernel: String,
}

/// A scenario as it was run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScenarioRecord {
    /// Its name: the file's stem.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its analysis: a paragraph of Markdown.
    pub analysis: String,
    /// What a chart of it has on its x axis.
    pub axis: Axis,
    /// The variants' names, in the scenario's order; none for a scenario without variants.
    pub variants: Vec<String>,
    /// The strategies, in the scenario's order.
    pub strategies: Vec<String>,
    /// A hash of the definition, and of the files it names.
    pub hash: String,
}

/// What a scenario varies: the x axis of its charts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Nothing: a bar a strategy.
    None,
    /// The limit: a line a strategy.
    Limit,
    /// The number of items of its variants: a line a strategy.
    Size,
    /// Variants that have no order: a group of bars a variant.
    Variant,
}
