//! A scenario's page.

use fanout_record::{Clock, Metric, Unit};

use super::comparison::{comparison, fate, further};
use super::markdown::{Align, Table, image, inline};
use super::{claims, dependencies, provenance, runtime, sweep};
use crate::case::{Case, time_of};
use crate::chart::memory_metric;
use crate::study::Study;

/// Which charts stand beside a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Charts {
    pub(crate) timeline: bool,
    pub(crate) sweep: bool,
    pub(crate) dependencies: bool,
}

pub(crate) fn page(study: &Study<'_>, charts: Charts) -> String {
    let record = study.record;
    let mut parts = vec![
        format!("# {}\n", inline(&record.title)),
        format!("{}\n", claims::Verdict::of(&study.claims).sentence()),
        format!("{}\n", record.analysis.trim()),
    ];
    let title = &record.title;
    if !study.cases.is_empty() {
        let alt = format!("{title}: time, calls in flight, tasks and memory of each strategy");
        parts.push(format!("{}\n", image(&alt, &format!("{}.svg", record.name))));
    }
    parts.push(comparison(study, inline));
    if let Some(table) = fate(study) {
        parts.push(format!("## What became of the items\n\n{table}"));
    }
    if let Some(table) = dependencies::table(study) {
        parts.push("## Of each dependency\n".to_owned());
        if charts.dependencies {
            let alt = format!("{title}: calls in flight at each dependency over time");
            parts.push(format!("{}\n", image(&alt, &format!("{}-dependencies.svg", record.name))));
        }
        parts.push(table);
    }
    if let Some(table) = runtime::table(study) {
        parts.push(format!("## On the runtime\n\n{table}"));
    }
    if let Some(section) = sweep::section(study) {
        let over = if record.axis == fanout_record::Axis::Limit { "limit" } else { "size" };
        parts.push(format!("## By {over}\n"));
        if charts.sweep {
            let alt = format!("{title}: each metric over the {over}");
            parts.push(format!("{}\n", image(&alt, &format!("{}-sweep.svg", record.name))));
        }
        parts.push(section);
    }
    if charts.timeline {
        let alt = format!("{title}: calls in flight, tasks and backlog over time");
        let image = image(&alt, &format!("{}-timeline.svg", record.name));
        parts.push(format!("## Over time\n\n{image}\n"));
    }
    if let Some(table) = claims::table(&study.claims) {
        parts.push(format!("## Claims\n\n{table}"));
    }
    if let Some(table) = spreads(study) {
        parts.push(format!("## Spread\n\n{table}"));
    }
    if let Some(table) = further(study) {
        parts.push(format!("## Further columns\n\n{table}"));
    }
    parts.extend(reasons(study));
    parts.push(format!("## Where this comes from\n\n{}", provenance::provenance(study.manifest)));
    parts.iter().map(|part| part.trim_end()).collect::<Vec<_>>().join("\n\n") + "\n"
}

/// How far the runs of a cell lie apart, where it was run more than once and they do.
fn spreads(study: &Study<'_>) -> Option<String> {
    let header = [
        ("variant", Align::Left),
        ("strategy", Align::Left),
        ("limit", Align::Right),
        ("what", Align::Left),
        ("runs", Align::Right),
        ("least", Align::Right),
        ("median", Align::Right),
        ("most", Align::Right),
    ];
    let mut table = Table::new(header);
    for case in &study.cases {
        let mut line = |what: String, metric: Metric, spread: Option<crate::case::Spread>| {
            let Some(spread) = spread.filter(|spread| spread.least < spread.most) else { return };
            let show = |value| metric.unit().show(value);
            table.row([
                inline(case.variant.unwrap_or_default()),
                inline(case.strategy),
                case.limit.map_or_else(String::new, |limit| Unit::Count.show(limit.get() as u64)),
                what,
                spread.runs.to_string(),
                show(spread.least),
                show(spread.median),
                show(spread.most),
            ]);
        };
        let clock = study.clock();
        line(format!("time, {clock} clock"), time_of(clock), case.time(clock));
        for metric in [Metric::InFlightPeak, Metric::TasksPeak, memory_metric(clock)] {
            line(metric.to_string(), metric, case.spread(clock, metric));
        }
        if study.has_both_clocks() {
            line("time, wall clock".to_owned(), Metric::Wall, case.time(Clock::Wall));
        }
    }
    (!table.is_empty()).then(|| table.without_empty_columns(0).render())
}

/// Why runs did not end as they should, as far as they said so.
fn reasons(study: &Study<'_>) -> Option<String> {
    let header = [
        ("variant", Align::Left),
        ("strategy", Align::Left),
        ("limits", Align::Left),
        ("clock", Align::Left),
        ("outcome", Align::Left),
        ("reason", Align::Left),
    ];
    let mut table = Table::new(header);
    let mut lines: Vec<(Vec<usize>, [String; 5])> = Vec::new();
    for case in &study.cases {
        let mut last = None;
        for row in case.all_rows() {
            let Some(reason) = &row.reason else { continue };
            let key = [
                inline(case.variant.unwrap_or_default()),
                inline(case.strategy),
                row.clock.to_string(),
                row.outcome.to_string(),
                inline(reason),
            ];
            if last.as_ref() == Some(&key) {
                continue;
            }
            last = Some(key.clone());
            let limit = limit(case);
            match lines.iter_mut().find(|(_, other)| *other == key) {
                Some((limits, _)) => limits.extend(limit),
                None => lines.push((limit.into_iter().collect(), key)),
            }
        }
    }
    for (mut limits, [variant, strategy, clock, outcome, reason]) in lines {
        limits.dedup();
        let limits = limits.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        table.row([variant, strategy, limits, clock, outcome, reason]);
    }
    (!table.is_empty()).then(|| format!("## Reasons\n\n{}", table.without_empty_columns(0).render()))
}

fn limit(case: &Case<'_>) -> Option<usize> {
    case.limit.map(std::num::NonZeroUsize::get)
}
