//! Which cells are to be run: scenarios, as far as they are chosen.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use fanout_record::{CellId, Clock};
use fanout_scenario::{ArgumentError, Folder, Scenario, StrategyPlan, parse_fault, parse_latency};
use fanout_simulation::Faults;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::registry::Registry;

/// A scenario, and where the files are that it names.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The scenario.
    pub scenario: Scenario,
    /// The folder that its files are in; `None` where they are compiled in.
    pub folder: Option<PathBuf>,
    /// What was changed in it since it was read.
    pub arguments: Arguments,
}

/// A workload's conditions as they are given on a command line, in the forms of [`parse_latency`] and [`parse_fault`],
/// the file of samples relative to the working folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arguments {
    /// How long a call takes.
    pub latency: Option<String>,
    /// Which calls fail.
    pub faults: Vec<String>,
}

impl Arguments {
    /// Puts them in the place of what all variants of the scenario say.
    ///
    /// # Errors
    ///
    /// One of them is no latency, or no fault.
    pub fn apply(&self, scenario: &mut Scenario) -> Result<(), ArgumentsError> {
        let files = Folder::new("");
        let latency = self.latency.as_deref().map(|latency| parse_latency(latency, &files)).transpose();
        let latency = latency.map_err(ArgumentsError::Latency)?;
        let rules = self.faults.iter().map(|fault| parse_fault(fault)).collect::<Result<Vec<_>, _>>();
        let rules = rules.map_err(ArgumentsError::Fault)?;
        for variant in &mut scenario.variants {
            if let Some(latency) = &latency {
                variant.latency = latency.clone();
            }
            if !rules.is_empty() {
                variant.faults = Faults::new(rules.clone());
            }
        }
        Ok(())
    }
}

/// Which of the [`Arguments`] does not fit.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ArgumentsError {
    /// It is no latency.
    #[error("--latency: {0}")]
    Latency(ArgumentError),
    /// It does not say which calls fail.
    #[error("--fail: {0}")]
    Fault(ArgumentError),
}

/// What of the scenarios is to be run. Empty or `None`: what the scenario says.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Only these strategies.
    pub strategies: Vec<String>,
    /// These limits instead of the scenario's.
    pub limits: Vec<NonZeroUsize>,
    /// Only this clock.
    pub clock: Option<Clock>,
    /// So many runs of each wall cell.
    pub runs: Option<NonZeroU32>,
    /// These seeds instead of the scenario's.
    pub seeds: Vec<u64>,
    /// These numbers of worker threads for wall cells.
    pub threads: Vec<NonZeroUsize>,
    /// Whether to leave the heap uncounted on the virtual clock.
    pub no_heap: bool,
    /// How long a cell may take.
    pub timeout: Option<Duration>,
    /// How much memory a cell may use, in bytes.
    pub memory: Option<u64>,
}

/// Why nothing can be run.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlanError {
    /// A strategy was chosen that does not exist.
    #[error("there is no strategy {name:?}; there are {known}")]
    UnknownStrategy {
        /// The name that was asked for.
        name: String,
        /// Those that exist.
        known: String,
    },
    /// What was chosen leaves nothing.
    #[error("nothing to run: no scenario of {scenarios} has a cell with what was chosen")]
    Nothing {
        /// The scenarios' names.
        scenarios: String,
    },
}

/// The cells to run, in order: those on the virtual clock first.
#[derive(Debug)]
pub struct Plan {
    /// The scenarios, with the choice applied.
    pub origins: Vec<Origin>,
    /// The cells.
    pub cells: Vec<PlannedCell>,
}

/// A cell, with what its process may use.
#[derive(Debug, Clone)]
pub struct PlannedCell {
    /// Its coordinates.
    pub cell: CellId,
    /// Which of the plan's scenarios it belongs to.
    pub origin: usize,
    /// Whether to count the heap.
    pub heap: bool,
    /// How long it may take.
    pub timeout: Duration,
    /// How much memory it may use, in bytes.
    pub memory: u64,
}

impl Plan {
    /// Plans what `choice` leaves of the scenarios.
    ///
    /// # Errors
    ///
    /// A chosen strategy does not exist, or nothing is left.
    pub fn new(mut origins: Vec<Origin>, choice: &Choice, registry: &Registry) -> Result<Self, PlanError> {
        if let Some(name) = choice.strategies.iter().find(|name| registry.get(name).is_none()) {
            let known: Vec<_> = registry.iter().map(crate::Strategy::name).collect();
            return Err(PlanError::UnknownStrategy { name: name.clone(), known: known.join(", ") });
        }
        let names: Vec<_> = origins.iter().map(|origin| origin.scenario.name.clone()).collect();
        for origin in &mut origins {
            choice.apply(&mut origin.scenario);
        }
        let mut cells: Vec<_> =
            origins.iter().enumerate().flat_map(|(at, origin)| cells(at, &origin.scenario, choice)).collect();
        if cells.is_empty() {
            return Err(PlanError::Nothing { scenarios: names.join(", ") });
        }
        cells.sort_by_key(|planned| planned.cell.clock);
        Ok(Self { origins, cells })
    }
}

impl Choice {
    /// Narrows a scenario to what was chosen.
    fn apply(&self, scenario: &mut Scenario) {
        if !self.strategies.is_empty() {
            scenario.strategies.retain(|plan| self.strategies.contains(&plan.name));
        }
        if !self.seeds.is_empty() {
            scenario.seeds = distinct(&self.seeds);
        }
        if !self.threads.is_empty() {
            scenario.threads = distinct(&self.threads);
        }
        scenario.timeout = self.timeout.unwrap_or(scenario.timeout);
        scenario.memory = self.memory.unwrap_or(scenario.memory);
        for plan in &mut scenario.strategies {
            // A strategy without limits takes none.
            if !self.limits.is_empty() && !plan.limits.is_empty() {
                plan.limits = distinct(&self.limits);
                plan.wall_limits = plan.limits.clone();
            }
            if let Some(clock) = self.clock {
                plan.clocks.retain(|&other| other == clock);
            }
            plan.runs = self.runs.unwrap_or(plan.runs);
        }
    }
}

/// Each value once, in the order in which it first came.
fn distinct<T: PartialEq + Copy>(values: &[T]) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(value) {
            distinct.push(*value);
        }
    }
    distinct
}

fn cells<'a>(
    origin: usize,
    scenario: &'a Scenario,
    choice: &'a Choice,
) -> impl Iterator<Item = PlannedCell> + 'a {
    let planned = move |cell| PlannedCell {
        cell,
        origin,
        heap: !choice.no_heap,
        timeout: scenario.timeout,
        memory: scenario.memory,
    };
    let mut cells = Vec::new();
    for variant in &scenario.variants {
        for &seed in &scenario.seeds {
            for strategy in &scenario.strategies {
                if !strategy.takes_part_in(variant) {
                    continue;
                }
                for coordinates in coordinates(strategy, &scenario.threads) {
                    let Coordinates { clock, limit, threads, run } = coordinates;
                    cells.push(planned(CellId {
                        scenario: scenario.name.clone(),
                        variant: variant.name.clone(),
                        strategy: strategy.name.clone(),
                        limit,
                        threads,
                        clock,
                        seed,
                        run,
                    }));
                }
            }
        }
    }
    cells.into_iter()
}

struct Coordinates {
    clock: Clock,
    limit: Option<NonZeroUsize>,
    threads: NonZeroUsize,
    run: u32,
}

/// What of a cell's coordinates the strategy decides.
fn coordinates(strategy: &StrategyPlan, threads: &[NonZeroUsize]) -> Vec<Coordinates> {
    let limits: Vec<_> = match strategy.limits.as_slice() {
        [] => vec![None],
        limits => limits.iter().copied().map(Some).collect(),
    };
    let mut all = Vec::new();
    for limit in limits {
        let runs_on = |clock| limit.is_none_or(|limit| strategy.limits_on(clock).contains(&limit));
        for clock in strategy.clocks.iter().copied().filter(|&clock| runs_on(clock)) {
            match clock {
                // One thread, and a second run would be the same to the byte.
                Clock::Virtual => all.push(Coordinates { clock, limit, threads: NonZeroUsize::MIN, run: 1 }),
                Clock::Wall => {
                    for &threads in threads {
                        all.extend((1..=strategy.runs.get()).map(|run| Coordinates {
                            clock,
                            limit,
                            threads,
                            run,
                        }));
                    }
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fanout_record::WorkloadKind;
    use fanout_scenario::{StrategyFacts, parse};

    use super::*;

    const KNOWN: [StrategyFacts<'static>; 2] = [
        StrategyFacts {
            name: "sequential-stack",
            workloads: &[WorkloadKind::Tree],
            limited: false,
            heeds_policy: false,
        },
        StrategyFacts {
            name: "queue-workers",
            workloads: &[WorkloadKind::Tree],
            limited: true,
            heeds_policy: true,
        },
    ];

    const TEXT: &str = r#"
        title = "A chain"
        analysis = "Nothing."
        limits = [7, 20]
        wall-limits = [20]
        clocks = ["virtual", "wall"]
        runs = 2
        latency.constant = "10ms"
        workload.chain.nodes = 9
        [strategy.sequential-stack]
        [strategy.queue-workers]
    "#;

    /// The first letter of each cell's strategy, its clock's, its limit, and its run.
    fn planned(choice: &Choice) -> Vec<String> {
        let mut scenario = parse("chain", Path::new("chain.toml"), TEXT, &Folder::new(""), &KNOWN).unwrap();
        choice.apply(&mut scenario);
        cells(0, &scenario, choice)
            .map(|PlannedCell { cell, .. }| {
                let letter = |name: &str| name.chars().next().unwrap();
                let limit = cell.limit.map_or(0, NonZeroUsize::get);
                format!("{}{}{limit}.{}", letter(&cell.strategy), letter(&cell.clock.to_string()), cell.run)
            })
            .collect()
    }

    #[test]
    fn wall_cells_keep_to_the_wall_limits() {
        assert_eq!(
            planned(&Choice::default()),
            ["sv0.1", "sw0.1", "sw0.2", "qv7.1", "qv20.1", "qw20.1", "qw20.2"]
        );
    }

    #[test]
    fn limits_that_are_asked_for_run_on_every_clock() {
        let limits = [7, 5, 7].map(|limit| NonZeroUsize::new(limit).unwrap()).to_vec();
        let choice =
            Choice { limits, runs: NonZeroU32::new(1), clock: Some(Clock::Wall), ..Choice::default() };
        assert_eq!(planned(&choice), ["sw0.1", "qw7.1", "qw5.1"]);
    }

    #[test]
    fn strategies_keep_to_their_variants() {
        let text = TEXT.replace(
            "[strategy.seq",
            "[[variant]]\nname = \"one\"\n[[variant]]\nname = \"two\"\n[strategy.seq",
        ) + "variants = [\"two\"]\nclocks = [\"virtual\"]";
        let scenario = parse("chain", Path::new("chain.toml"), &text, &Folder::new(""), &KNOWN).unwrap();
        let choice = Choice { clock: Some(Clock::Virtual), ..Choice::default() };
        let planned: Vec<_> = cells(0, &scenario, &choice)
            .filter(|planned| planned.cell.clock == Clock::Virtual)
            .map(|PlannedCell { cell, .. }| (cell.variant.unwrap(), cell.strategy))
            .collect();
        let expected = [
            ("one", "sequential-stack"),
            ("two", "sequential-stack"),
            ("two", "queue-workers"),
            ("two", "queue-workers"),
        ];
        assert_eq!(planned, expected.map(|(variant, strategy)| (variant.to_owned(), strategy.to_owned())));
    }
}
