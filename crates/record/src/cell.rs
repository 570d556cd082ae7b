use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// How a cell ended. A failure is a result like any other.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    EnumIter,
    IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    /// Everything was done, and counted right.
    Complete,
    /// A limit cut something.
    Truncated,
    /// A fatal error stopped it.
    Fatal,
    /// It ran into its own deadline.
    Deadline,
    /// It was cancelled from outside.
    Cancelled,
    /// Nothing can move any more.
    Deadlocked,
    /// Calls are in flight that will never answer.
    Stalled,
    /// It finished, with the wrong count.
    Wrong,
    /// The process died: an abort, a stack overflow, a failed allocation, a panic.
    Crashed,
    /// The process was ended at the cell's time limit.
    TimedOut,
}

/// Which clock a cell ran on.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    EnumIter,
    IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Clock {
    /// One thread, time that jumps: exact.
    Virtual,
    /// Several threads, real time: a sample.
    Wall,
}

/// What kind of work a cell had.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    EnumIter,
    IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum WorkloadKind {
    /// A tree to walk.
    Tree,
    /// A stream of messages to handle.
    Stream,
    /// Items that each need a call to several dependencies.
    Batch,
}

/// Which cell: the coordinates that no two rows of a results folder share.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CellId {
    /// The scenario's name: its file's stem.
    pub scenario: String,
    /// Which of the scenario's variants, where it has any.
    pub variant: Option<String>,
    /// The strategy's name.
    pub strategy: String,
    /// The strategy's limit, where it takes one.
    pub limit: Option<NonZeroUsize>,
    /// Worker threads of the runtime; 1 on the virtual clock.
    pub threads: NonZeroUsize,
    /// The clock.
    pub clock: Clock,
    /// The seed of everything drawn.
    pub seed: u64,
    /// Which repetition, from 1.
    pub run: u32,
}
