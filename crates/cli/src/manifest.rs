//! What a results folder says of where it came from.

use fanout_harness::{Plan, host};
use fanout_record::{Manifest, SCHEMA, ScenarioRecord};
use jiff::Timestamp;

/// The commit that this binary was built from, where it was built in a checkout.
fn commit() -> Option<&'static str> {
    Some(env!("FANOUT_COMMIT")).filter(|commit| !commit.is_empty())
}

/// A manifest for a run that begins now.
pub(crate) fn manifest(plan: &Plan) -> Manifest {
    let scenarios = plan.origins.iter().map(|origin| &origin.scenario).map(|scenario| ScenarioRecord {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        analysis: scenario.analysis.clone(),
        axis: scenario.axis,
        variants: scenario.variants.iter().filter_map(|variant| variant.name.clone()).collect(),
        strategies: scenario.strategies.iter().map(|strategy| strategy.name.clone()).collect(),
        hash: scenario.hash.clone(),
    });
    Manifest {
        schema: SCHEMA,
        started: format!("{:.0}", Timestamp::now()),
        commit: commit().map(str::to_owned),
        dirty: env!("FANOUT_DIRTY") == "true",
        lock_hash: env!("FANOUT_LOCK_HASH").to_owned(),
        rustc: env!("FANOUT_RUSTC").to_owned(),
        target: env!("FANOUT_TARGET").to_owned(),
        profile: env!("FANOUT_PROFILE").to_owned(),
        command: command(),
        host: host(),
        interrupted: false,
        scenarios: scenarios.collect(),
    }
}

/// The command as it was given, from the binary's name on; where the binary lies is nobody's business.
fn command() -> Vec<String> {
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("fanout".to_owned()).chain(arguments).collect()
}

/// A name for a results folder: when, and of which commit.
pub(crate) fn folder_name() -> String {
    let now = Timestamp::now().strftime("%Y-%m-%dT%H%M%SZ").to_string();
    match commit() {
        Some(commit) => format!("{now}-{}", &commit[..commit.len().min(7)]),
        None => now,
    }
}
