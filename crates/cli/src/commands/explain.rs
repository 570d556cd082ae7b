use std::io::Write;

use anyhow::{Context, Result, bail};
use fanout_harness::{Choice, Plan, Registry, measure_one};
use fanout_record::{Clock, replace};

use super::Verdict;
use crate::args::ExplainArgs;
use crate::{diagnosis, select, timeline};

/// Shows one cell over time, and says what is to be seen.
pub(crate) fn explain(args: &ExplainArgs, registry: &Registry) -> Result<Verdict> {
    let mut origins = select::scenarios(std::slice::from_ref(&args.scenario), registry)?;
    let [origin] = origins.as_mut_slice() else { bail!("{} is several scenarios", args.scenario.display()) };
    if !origin.scenario.strategies.iter().any(|plan| plan.name == args.strategy) {
        let names: Vec<_> = origin.scenario.strategies.iter().map(|plan| plan.name.as_str()).collect();
        bail!("{} has no strategy {:?}; it has {}", origin.scenario.name, args.strategy, names.join(", "));
    }
    if let Some(name) = &args.variant {
        origin.scenario.variants.retain(|variant| variant.name.as_ref() == Some(name));
        if origin.scenario.variants.is_empty() {
            bail!("{} has no variant {name:?}", origin.scenario.name);
        }
    }
    // On the virtual clock even where the scenario names it for other strategies alone: a timeline has to be exact.
    for plan in &mut origin.scenario.strategies {
        plan.clocks = vec![Clock::Virtual];
    }
    let choice = Choice {
        strategies: vec![args.strategy.clone()],
        limits: args.limit.into_iter().collect(),
        seeds: args.seed.into_iter().collect(),
        clock: Some(Clock::Virtual),
        ..Choice::default()
    };
    let plan = Plan::new(origins, &choice, registry)?;
    let report = measure_one(&plan, &plan.cells[0])?;

    let mut out = anstream::stdout();
    let title = timeline::title(&report.row);
    writeln!(out, "{title}\n\n{}", timeline::draw(&report.timeline))?;
    for sentence in diagnosis::diagnose(&report.row) {
        writeln!(out, "{sentence}")?;
    }
    if let Some(deadlock) = &report.deadlock {
        writeln!(out, "\n{}", deadlock.trim_end())?;
    }
    if let Some(path) = &args.svg {
        let caption = format!("fanout explain {} {}", report.row.scenario, report.row.strategy);
        let svg = fanout_report::timeline_svg(&title, &caption, &report.timeline, report.row.limit);
        replace(path, |file| file.write_all(svg.as_bytes())).context("cannot write the timeline")?;
        writeln!(out, "\n{}", path.display())?;
    }
    Ok(Verdict::Fine)
}
