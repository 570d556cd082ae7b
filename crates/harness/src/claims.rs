//! From what scenarios expect and guides published to claims about the cells that were run.

use std::collections::{BTreeMap, BTreeSet};

use fanout_record::{CellId, Claim, Clock, DependencyRow, Metric, Outcome, Row, Subject, median};
use fanout_scenario::{Expression, Measure, Range, Scenario, StrategyPlan, Variant, Workload};
use fanout_simulation::Facts;

use crate::plan::Plan;

/// What the plan's scenarios expect and publish about the cells that have rows, judged. A cell that nothing is said of
/// is expected to complete.
#[must_use]
pub fn claims(plan: &Plan, rows: &[Row], dependencies: &[DependencyRow]) -> Vec<Claim> {
    let mut claims: Vec<Claim> =
        plan.origins.iter().flat_map(|origin| Judge::new(&origin.scenario, rows).claims()).collect();
    for claim in &mut claims {
        claim.judge(rows, dependencies);
    }
    claims
}

struct Judge<'a> {
    scenario: &'a Scenario,
    rows: &'a [Row],
    facts: BTreeMap<(Option<&'a str>, u64), Facts>,
}

impl<'a> Judge<'a> {
    fn new(scenario: &'a Scenario, rows: &'a [Row]) -> Self {
        let facts = scenario
            .variants
            .iter()
            .flat_map(|variant| scenario.seeds.iter().map(move |&seed| (variant, seed)))
            .map(|(variant, seed)| ((variant.name.as_deref(), seed), facts(variant, seed)))
            .collect();
        Self { scenario, rows, facts }
    }

    fn claims(&self) -> Vec<Claim> {
        self.scenario.strategies.iter().flat_map(|plan| self.of_strategy(plan)).collect()
    }

    fn of_strategy(&self, plan: &StrategyPlan) -> Vec<Claim> {
        // All runs of a cell are one thing to make claims about.
        let cells: BTreeSet<CellId> = self
            .rows
            .iter()
            .filter(|row| row.scenario == self.scenario.name && row.strategy == plan.name)
            .map(|row| CellId { run: 1, ..row.cell() })
            .collect();
        cells.iter().flat_map(|cell| self.of_cell(plan, cell)).collect()
    }

    fn of_cell(&self, plan: &StrategyPlan, cell: &CellId) -> Vec<Claim> {
        let applying = || plan.expect.iter().filter(|expectation| expectation.applies(cell));
        let outcome = applying().find_map(|expectation| expectation.outcome).unwrap_or(Outcome::Complete);
        let mut claims = vec![Claim {
            expected: Some(outcome.to_string()),
            ..Claim::about(cell.clone(), Subject::Outcome)
        }];
        for (measure, range) in applying().flat_map(|expectation| &expectation.metrics) {
            claims.push(self.of_metric(cell, measure, range));
        }
        let figures = plan.published.iter().filter(|published| published.applies(cell));
        for &(metric, published) in figures
            .flat_map(|published| &published.figures)
            .filter(|(metric, _)| clock_of(*metric) == cell.clock)
        {
            let subject = Subject::Metric(metric);
            match claims.iter_mut().find(|claim| claim.metric == subject) {
                Some(claim) => claim.published = Some(published),
                None => {
                    claims.push(Claim { published: Some(published), ..Claim::about(cell.clone(), subject) });
                }
            }
        }
        claims
    }

    fn of_metric(&self, cell: &CellId, measure: &Measure, range: &Range) -> Claim {
        let bound = |expression: &Option<Expression>| {
            expression.as_ref()?.evaluate(&|name| self.lookup(name, measure.metric, cell))
        };
        Claim {
            expected: Some(in_words(range)),
            min: bound(&range.min),
            max: bound(&range.max),
            ..Claim::about(cell.clone(), measure.subject())
        }
    }

    /// What a name in an expression stands for.
    fn lookup(&self, name: &str, metric: Metric, cell: &CellId) -> Option<f64> {
        if name == "limit" {
            return cell.limit.map(|limit| limit.get() as f64);
        }
        let facts = &self.facts[&(cell.variant.as_deref(), cell.seed)];
        if let Some(value) = fact(name, self.variant(cell), facts) {
            return Some(value);
        }
        let value = match name.parse::<Metric>() {
            Ok(other) => self.measured(other, cell).or_else(|| self.measured(other, &on_virtual_clock(cell))),
            Err(_) => {
                let other = CellId { strategy: name.to_owned(), ..cell.clone() };
                self.measured(metric, &other)
                    .or_else(|| self.measured(metric, &CellId { limit: None, ..other }))
            }
        };
        value.map(|value| value as f64)
    }

    fn variant(&self, cell: &CellId) -> &'a Variant {
        self.scenario
            .variants
            .iter()
            .find(|variant| variant.name == cell.variant)
            .expect("a row's variant is one of its scenario's")
    }

    /// The median of a metric over a cell's runs.
    fn measured(&self, metric: Metric, cell: &CellId) -> Option<u64> {
        let about = Claim::about(cell.clone(), Subject::Metric(metric));
        median(self.rows.iter().filter(|row| about.covers(row)).filter_map(|row| metric.of(row)).collect())
    }
}

fn on_virtual_clock(cell: &CellId) -> CellId {
    CellId { clock: Clock::Virtual, threads: std::num::NonZeroUsize::MIN, ..cell.clone() }
}

/// The clock on which a published figure of a guide has its counterpart.
fn clock_of(metric: Metric) -> Clock {
    match metric {
        Metric::Wall | Metric::Cpu | Metric::RssPeak => Clock::Wall,
        _ => Clock::Virtual,
    }
}

fn facts(variant: &Variant, seed: u64) -> Facts {
    match &variant.workload {
        Workload::Tree(tree) => Facts::of_tree(&tree.build(seed), &variant.latency, &variant.faults, seed),
        Workload::Stream(stream) => Facts::of_stream(stream, &variant.latency, &variant.faults, seed),
        Workload::Batch(batch) => Facts::of_batch(batch, seed),
    }
}

/// What is known of a workload before anything runs.
fn fact(name: &str, variant: &Variant, facts: &Facts) -> Option<f64> {
    let count = |value: u64| Some(value as f64);
    let time = |value: std::time::Duration| Some(value.as_nanos() as f64);
    match name {
        "nodes" | "messages" => count(facts.items),
        "levels" => facts.levels.map(f64::from),
        "widest-level" => count(facts.widest_level?),
        "internal-nodes" => count(facts.internal_nodes?),
        "reachable" => count(facts.reachable),
        "failing" => count(facts.failing),
        "latency" => time(variant.latency.median()),
        "longest-path" => time(facts.longest_path),
        "total-latency" => time(facts.total_latency),
        "payload" => match &variant.workload {
            Workload::Stream(stream) => count(stream.payload_bytes() as u64),
            Workload::Tree(_) | Workload::Batch(_) => None,
        },
        "items" | "dependencies" => match &variant.workload {
            Workload::Batch(batch) if name == "items" => count(batch.items().into()),
            Workload::Batch(batch) => count(batch.dependencies().len() as u64),
            Workload::Tree(_) | Workload::Stream(_) => None,
        },
        _ => None,
    }
}

fn in_words(range: &Range) -> String {
    match (&range.min, &range.max) {
        (Some(min), Some(max)) if min == max => min.to_string(),
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    }
}
