//! Which strategies take part, on which clocks and with which limits.

use std::num::{NonZeroU32, NonZeroUsize};

use fanout_record::Clock;
use toml::Spanned;

use super::Origin;
use super::number::{distinct, positive};
use crate::error::Problem;
use crate::names;
use crate::raw;
use crate::scenario::{Scenario, StrategyFacts, StrategyPlan};

/// The plans without their expectations, which may speak of any strategy of the file, and published figures.
pub(super) fn plans(
    file: &raw::File,
    scenario: &Scenario,
    origin: Origin<'_>,
) -> Result<Vec<StrategyPlan>, Problem> {
    if file.strategy.0.is_empty() {
        return Err(Problem::missing(
            "no strategy takes part: add a table such as `[strategy.queue-workers]`",
        ));
    }
    file.strategy.0.iter().map(|(name, raw)| plan(name, raw, scenario, origin)).collect()
}

/// Which of the file's limits wall cells run with.
pub(super) fn wall_limits(file: &raw::File, scenario: &Scenario) -> Result<Vec<NonZeroUsize>, Problem> {
    match &file.wall_limits {
        None => Ok(scenario.limits.clone()),
        Some(chosen) if !scenario.clocks.contains(&Clock::Wall) => {
            let problem = "nothing runs on the wall clock: leave this out, or add \"wall\" to `clocks`";
            Err(Problem::at(chosen.span(), problem))
        }
        Some(chosen) if scenario.limits.is_empty() => {
            Err(Problem::at(chosen.span(), "this chooses among the file's `limits`, and there are none"))
        }
        Some(chosen) => distinct(chosen, "limit", |limit| {
            among(limit, positive(limit, u32::MAX.into())?, &scenario.limits)
        }),
    }
}

fn plan(
    name: &Spanned<String>,
    raw: &raw::Strategy,
    scenario: &Scenario,
    origin: Origin<'_>,
) -> Result<StrategyPlan, Problem> {
    let here = |problem| Problem::at(name.span(), problem);
    let facts = find(name.get_ref(), origin.known).map_err(here)?;
    if !facts.workloads.contains(&scenario.kind()) {
        let has: Vec<String> = facts.workloads.iter().map(|kind| format!("a {kind}")).collect();
        let problem = format!(
            "{} has no form for a {}, which is this scenario's workload: it has one for {}",
            facts.name,
            scenario.kind(),
            has.join(" and ")
        );
        return Err(here(problem));
    }
    if facts.limited && scenario.limits.is_empty() {
        return Err(here(format!(
            "{} takes a limit, and the file has none: add `limits = [20]`",
            facts.name
        )));
    }
    let clocks = match &raw.clocks {
        Some(clocks) => distinct(clocks, "clock", |clock| among(clock, *clock.get_ref(), &scenario.clocks))?,
        None => scenario.clocks.clone(),
    };
    let limits = limits(raw, facts, scenario)?;
    let wall_limits: Vec<_> =
        limits.iter().copied().filter(|limit| scenario.wall_limits.contains(limit)).collect();
    if clocks.contains(&Clock::Wall) && wall_limits.is_empty() && !limits.is_empty() {
        let problem = format!(
            "none of the limits of {} is among the file's `wall-limits`: add one, or say \
             `clocks = [\"virtual\"]`",
            facts.name
        );
        return Err(here(problem));
    }
    Ok(StrategyPlan {
        name: facts.name.to_owned(),
        clocks,
        limits,
        wall_limits,
        variants: variants(raw, scenario)?,
        runs: raw.runs.as_ref().map_or(Ok(scenario.runs), |runs| fewer_runs(runs, scenario.runs))?,
        expect: Vec::new(),
        published: Vec::new(),
    })
}

fn find<'a>(name: &str, known: &'a [StrategyFacts<'a>]) -> Result<&'a StrategyFacts<'a>, String> {
    known
        .iter()
        .find(|facts| facts.name == name)
        .ok_or_else(|| names::unknown("strategy", name, known.iter().map(|facts| facts.name)))
}

fn limits(
    raw: &raw::Strategy,
    facts: &StrategyFacts<'_>,
    scenario: &Scenario,
) -> Result<Vec<NonZeroUsize>, Problem> {
    match &raw.limits {
        Some(limits) if !facts.limited => {
            Err(Problem::at(limits.span(), format!("{} takes no limit: leave this out", facts.name)))
        }
        Some(limits) => distinct(limits, "limit", |limit| {
            among(limit, positive(limit, u32::MAX.into())?, &scenario.limits)
        }),
        None if facts.limited => Ok(scenario.limits.clone()),
        None => Ok(Vec::new()),
    }
}

fn variants(raw: &raw::Strategy, scenario: &Scenario) -> Result<Vec<String>, Problem> {
    let all: Vec<String> = scenario.variants.iter().filter_map(|variant| variant.name.clone()).collect();
    match &raw.variants {
        None => Ok(all),
        Some(chosen) if all.is_empty() => {
            Err(Problem::at(chosen.span(), "this file has no `[[variant]]`: leave this out"))
        }
        Some(chosen) => {
            distinct(chosen, "variant", |variant| among(variant, variant.get_ref().clone(), &all))
        }
    }
}

/// A strategy narrows what its file says, and never widens it.
fn among<R, T: PartialEq + ToString>(raw: &Spanned<R>, value: T, all: &[T]) -> Result<T, Problem> {
    if all.contains(&value) {
        return Ok(value);
    }
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    let problem =
        format!("found {}, expected some of what the file has: {}", value.to_string(), all.join(", "));
    Err(Problem::at(raw.span(), problem))
}

fn fewer_runs(raw: &Spanned<raw::Whole>, all: NonZeroU32) -> Result<NonZeroU32, Problem> {
    let runs: NonZeroU32 = positive(raw, u32::MAX.into())?;
    if runs > all {
        return Err(Problem::at(raw.span(), format!("found {runs}, expected at most the file's {all}")));
    }
    Ok(runs)
}
