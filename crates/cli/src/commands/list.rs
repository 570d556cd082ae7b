use std::io::Write;

use anyhow::Result;
use fanout_harness::{Registry, Strategy};
use fanout_scenario::Scenario;

use super::Verdict;
use crate::builtin;
use crate::summary::table;

/// Lists what there is to run.
pub(crate) fn list(registry: &Registry) -> Result<Verdict> {
    let mut scenarios = table(&["scenario", "workload", "clocks", "what it asks"]);
    for name in builtin::names() {
        let scenario = builtin::scenario(name, registry)?.scenario;
        scenarios.add_row([
            scenario.name.clone(),
            scenario.kind().to_string(),
            clocks(&scenario),
            scenario.title.clone(),
        ]);
    }
    let mut strategies = table(&["strategy", "workloads", "what it does"]);
    for strategy in registry.iter() {
        strategies.add_row([strategy.name().to_owned(), workloads(strategy), strategy.about().to_owned()]);
    }
    writeln!(anstream::stdout(), "{}\n\n{}", scenarios.trim_fmt(), strategies.trim_fmt())?;
    Ok(Verdict::Fine)
}

fn clocks(scenario: &Scenario) -> String {
    let names: Vec<_> = scenario.clocks.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn workloads(strategy: &Strategy) -> String {
    let names: Vec<_> = strategy.workloads().iter().map(ToString::to_string).collect();
    names.join(", ")
}
