//! Who may import whom: the design's rules, over what cargo resolves.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

fn metadata() -> Metadata {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let options = ["--locked".to_owned()];
    MetadataCommand::new()
        .manifest_path(manifest)
        .other_options(options)
        .exec()
        .expect("cargo knows its workspace")
}

/// What a strategy may use: the workload, and what runs and bounds it.
const STRATEGY: [&str; 5] = ["fanout-workload", "tokio", "tokio-util", "futures", "async-channel"];

/// Of the project's own crates, those that each other one may import.
fn allowed(name: &str) -> &'static [&'static str] {
    match name {
        "fanout-workload" | "fanout-deadlock" | "fanout-record" => &[],
        "fanout-simulation" | "fanout-probe" | "fanout-resilience" => &["fanout-workload"],
        // A scenario speaks of metrics and outcomes by the names of the record.
        "fanout-scenario" => &["fanout-simulation", "fanout-record", "fanout-resilience"],
        "fanout-report" | "fanout-compare" => &["fanout-record"],
        "fanout-harness" => &[
            "fanout-deadlock",
            "fanout-pitfalls",
            "fanout-probe",
            "fanout-queue-workers",
            "fanout-record",
            "fanout-resilience",
            "fanout-scenario",
            "fanout-semaphore-across-recursion",
            "fanout-semaphore-around-fetch",
            "fanout-sequential-stack",
            "fanout-simulation",
            "fanout-slot-before-spawn",
            "fanout-structured-group",
            "fanout-unbounded-join-all",
            "fanout-workload",
        ],
        "fanout-cli" => &[
            "fanout-compare",
            "fanout-harness",
            "fanout-probe",
            "fanout-record",
            "fanout-report",
            "fanout-scenario",
            "fanout-simulation",
        ],
        other => panic!("{other} is new: say here what it may import"),
    }
}

fn imports(package: &Package) -> BTreeSet<&str> {
    let used =
        package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
    used.map(|dependency| dependency.name.as_str()).collect()
}

fn is_strategy(package: &Package) -> bool {
    package.manifest_path.components().any(|part| part.as_str() == "strategies")
}

#[test]
fn strategies_import_the_workload_and_what_runs_it_and_nothing_else() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let strategies: Vec<_> = packages.iter().filter(|package| is_strategy(package)).collect();
    assert!(strategies.len() >= 8);
    for strategy in strategies {
        let mut allowed = BTreeSet::from(STRATEGY);
        if ["fanout-pitfalls", "fanout-semaphore-across-recursion"].contains(&strategy.name.as_str()) {
            allowed.insert("fanout-deadlock");
        }
        // Its timeouts and cancellations go wrong within the same patience as others go right.
        if strategy.name == "fanout-pitfalls" {
            allowed.insert("fanout-resilience");
        }
        let imports = imports(strategy);
        let beyond: Vec<_> = imports.difference(&allowed).collect();
        assert!(beyond.is_empty(), "{} imports {beyond:?}", strategy.name);
    }
}

#[test]
fn the_other_crates_import_only_those_below_them() {
    let metadata = metadata();
    for package in metadata.workspace_packages().into_iter().filter(|package| !is_strategy(package)) {
        let own = imports(package).into_iter().filter(|name| name.starts_with("fanout-"));
        let beyond: Vec<_> = own.filter(|name| !allowed(&package.name).contains(name)).collect();
        assert!(beyond.is_empty(), "{} imports {beyond:?}", package.name);
    }
}

#[test]
fn packages_are_named_after_their_folders() {
    for package in metadata().workspace_packages() {
        let folder = package.manifest_path.parent().and_then(|folder| folder.file_name());
        assert_eq!(Some(package.name.as_str()), folder.map(|name| format!("fanout-{name}")).as_deref());
    }
}

#[test]
fn nothing_needs_the_fonts_of_a_system() {
    let metadata = metadata();
    let names: BTreeSet<_> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    assert!(names.contains("plotters"), "the whole tree is looked at");
    for needless in ["font-kit", "freetype-sys", "yeslogic-fontconfig-sys", "servo-fontconfig-sys"] {
        assert!(!names.contains(needless), "{needless} is in the tree");
    }
}

#[test]
fn tokio_is_used_as_it_is_published() {
    let root = metadata().workspace_root;
    for config in [".cargo/config.toml", ".cargo/config"] {
        let text = std::fs::read_to_string(root.join(config)).unwrap_or_default();
        assert!(!text.contains("tokio_unstable"), "{config}");
    }
}
