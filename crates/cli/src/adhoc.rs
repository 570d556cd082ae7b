//! `--tree-from`: a listing of paths as a scenario of its own.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use anyhow::{Context, Result};
use fanout_harness::{Arguments, Origin, Registry};
use fanout_record::WorkloadKind;
use fanout_scenario::{Folder, fit_for_virtual, parse};
use fanout_simulation::Listing;
use tempfile::TempDir;
use toml::{Table, Value};

use crate::args::RunArgs;

/// A scenario made from the command line, and the folder that its files are in, for as long as it is kept.
pub(crate) struct AdHoc {
    pub(crate) origin: Origin,
    _folder: TempDir,
}

const LISTING: &str = "listing.txt";
const DEFAULT_LIMIT: i64 = 20;
const BUG: &str = "semaphore-across-recursion";

impl AdHoc {
    /// Takes in the listing, whole: cells are processes, and each of them reads it.
    pub(crate) fn new(from: &Path, args: &RunArgs, registry: &Registry) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let listing = folder.path().join(LISTING);
        spool(from, &listing)?;
        let shown = if from == Path::new("-") { Path::new("standard input") } else { from };
        let file = File::open(&listing).with_context(|| format!("cannot read {}", listing.display()))?;
        Listing::read(BufReader::new(file)).with_context(|| shown.display().to_string())?;

        let arguments = Arguments { latency: args.latency.clone(), faults: args.faults.clone() };
        let text = definition(shown, &arguments, args, registry)?;
        let files = Folder::new(folder.path());
        let mut scenario = parse("tree-from", Path::new("--tree-from"), &text, &files, &registry.facts())
            .context("the scenario made from the arguments")?;
        arguments.apply(&mut scenario)?;
        fit_for_virtual(&scenario.variants[0].latency).context("--latency")?;
        let origin = Origin { scenario, folder: Some(folder.path().to_owned()), arguments };
        Ok(Self { origin, _folder: folder })
    }
}

fn spool(from: &Path, to: &Path) -> Result<()> {
    let mut file = File::create(to).with_context(|| format!("cannot write {}", to.display()))?;
    if from == Path::new("-") {
        io::copy(&mut io::stdin().lock(), &mut file).context("cannot read standard input")?;
    } else {
        let mut listing = File::open(from).with_context(|| format!("cannot read {}", from.display()))?;
        io::copy(&mut listing, &mut file).with_context(|| format!("cannot read {}", from.display()))?;
    }
    file.flush().with_context(|| format!("cannot write {}", to.display()))
}

fn analysis(arguments: &Arguments) -> String {
    let latency = arguments.latency.as_deref().unwrap_or("10ms");
    match arguments.faults.as_slice() {
        [] => format!("Asked for on the command line: a latency of {latency}, and no faults."),
        faults => {
            format!(
                "Asked for on the command line: a latency of {latency}, and faults {}.",
                faults.join(", ")
            )
        }
    }
}

/// The scenario as a file of its own would say it, but for what the arguments put in its place.
fn definition(from: &Path, arguments: &Arguments, args: &RunArgs, registry: &Registry) -> Result<String> {
    // In the registry's order, which a table would not keep.
    let strategies: String = registry
        .iter()
        .filter(|strategy| strategy.workloads().contains(&WorkloadKind::Tree))
        // The bug's deadlock would be its only news here; whoever wants to see it names it.
        .filter(|strategy| strategy.name() != BUG || args.strategies.iter().any(|name| name == BUG))
        .map(|strategy| format!("\n[strategy.{}]\n", strategy.name()))
        .collect();
    let limits: Vec<_> = match args.limits.as_slice() {
        [] => vec![DEFAULT_LIMIT],
        limits => limits.iter().map(|limit| i64::try_from(limit.get())).collect::<Result<_, _>>()?,
    };
    let scenario = toml::toml! {
        [workload.listing]
        path = "listing.txt"
        [latency]
        constant = "10ms"
    };
    let scenario = Table::from_iter([
        ("title".to_owned(), Value::from(format!("The tree listed in {}", from.display()))),
        ("analysis".to_owned(), Value::from(analysis(arguments))),
        ("limits".to_owned(), Value::from(limits)),
    ])
    .into_iter()
    .chain(scenario)
    .collect::<Table>();
    Ok(toml::to_string(&scenario)? + &strategies)
}
