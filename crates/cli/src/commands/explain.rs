use std::io::Write;

use anyhow::{Context, Result, bail};
use fanout_harness::{Choice, Plan, Registry, measure_one};
use fanout_record::{Clock, replace};

use super::Verdict;
use crate::args::ExplainArgs;
use crate::summary::paragraph;
use crate::{diagnosis, select, timeline};

/// How many lines of a deadlock's report are shown: the holders come first, and with many slots the waiters are legion.
const DEADLOCK_LINES: usize = 30;

/// Shows one cell over time, and says what is to be seen.
pub(crate) fn explain(args: &ExplainArgs, registry: &Registry) -> Result<Verdict> {
    let mut origins = select::scenarios(std::slice::from_ref(&args.scenario), registry)?;
    let [origin] = origins.as_mut_slice() else { bail!("{} is several scenarios", args.scenario.display()) };
    if !origin.scenario.strategies.iter().any(|plan| plan.name == args.strategy) {
        let names: Vec<_> = origin.scenario.strategies.iter().map(|plan| plan.name.as_str()).collect();
        bail!("{} has no strategy {:?}; it has {}", origin.scenario.name, args.strategy, names.join(", "));
    }
    if !origin.scenario.clocks.contains(&Clock::Virtual) {
        bail!(
            "{} runs on the wall clock alone, and what is explained is a run on the virtual one: `fanout run` and \
             `fanout report` draw it",
            origin.scenario.name
        );
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
    let Some(cell) = plan.cells.first() else {
        bail!(
            "{} takes no part in the variant {:?}",
            args.strategy,
            args.variant.as_deref().unwrap_or_default()
        )
    };
    let mut report = measure_one(&plan, cell)?;
    // All calls, not those of each dependency of a batch once more.
    report.timeline.retain(|bin| bin.dependency.is_none());

    let mut out = anstream::stdout();
    let title = timeline::title(&report.row);
    writeln!(out, "{}\n\n{}", paragraph(&title), timeline::draw(&report.timeline, &report.row))?;
    for sentence in diagnosis::diagnose(&report.row) {
        writeln!(out, "{}", paragraph(&sentence))?;
    }
    if let Some(deadlock) = &report.deadlock {
        write!(out, "\n{}", beginning(deadlock))?;
    }
    if let Some(path) = &args.svg {
        let caption = format!("fanout explain {} {}", report.row.scenario, report.row.strategy);
        let svg = fanout_report::timeline_svg(&title, &caption, &report.timeline, report.row.limit);
        replace(path, |file| file.write_all(svg.as_bytes())).context("cannot write the timeline")?;
        writeln!(out, "\n{}", path.display())?;
    }
    Ok(Verdict::Fine)
}

/// The first lines of a deadlock's report, and where the others are.
fn beginning(report: &str) -> String {
    let mut lines: Vec<&str> = report.trim_end().lines().collect();
    let more = lines.len().saturating_sub(DEADLOCK_LINES);
    lines.truncate(DEADLOCK_LINES);
    let mut shown = lines.join("\n") + "\n";
    if more > 0 {
        shown += &format!("  and {more} lines more: `fanout run` writes them all to deadlocks.txt\n");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_report_is_cut_and_says_where_the_rest_is() {
        let lines = |count: usize| (1..=count).map(|line| format!("line {line}\n")).collect::<String>();
        assert_eq!(beginning(&lines(30)), lines(30));
        let more = "  and 2 lines more: `fanout run` writes them all to deadlocks.txt\n";
        assert_eq!(beginning(&lines(32)), lines(30) + more);
    }
}
