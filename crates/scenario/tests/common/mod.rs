//! The strategies that scenarios of the tests may name, and where their files lie.

use std::path::{Path, PathBuf};

use fanout_record::WorkloadKind::{Batch, Stream, Tree};
use fanout_scenario::{Folder, Scenario, ScenarioError, StrategyFacts, parse};

pub const KNOWN: [StrategyFacts<'_>; 6] = [
    StrategyFacts {
        name: "sequential-stack",
        workloads: &[Tree, Stream, Batch],
        limited: false,
        heeds_policy: false,
    },
    StrategyFacts {
        name: "unbounded-join-all",
        workloads: &[Tree, Stream, Batch],
        limited: false,
        heeds_policy: false,
    },
    StrategyFacts {
        name: "semaphore-across-recursion",
        workloads: &[Tree],
        limited: true,
        heeds_policy: false,
    },
    StrategyFacts {
        name: "semaphore-around-fetch",
        workloads: &[Tree, Stream, Batch],
        limited: true,
        heeds_policy: false,
    },
    StrategyFacts {
        name: "queue-workers",
        workloads: &[Tree, Stream, Batch],
        limited: true,
        heeds_policy: true,
    },
    StrategyFacts {
        name: "slot-before-spawn",
        workloads: &[Tree, Stream, Batch],
        limited: true,
        heeds_policy: true,
    },
];

pub fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

pub fn read(text: &str) -> Result<Scenario, ScenarioError> {
    parse("case", Path::new("case.toml"), text, &Folder::new(files()), &KNOWN)
}
