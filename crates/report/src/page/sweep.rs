//! What a sweep says in numbers: a table a metric, and the limit from which more helps no more.

use std::num::NonZeroUsize;

use fanout_record::{Axis, Metric, Unit};

use super::markdown::{ABSENT, Align, LESS_OF_THE_WORK, Table, inline, less_of_the_work};
use crate::case::{Case, time_of};
use crate::chart::memory_metric;
use crate::study::Study;

/// A time of up to this part of the best one is as good.
const AS_GOOD: f64 = 1.05;

/// A strategy's smallest limit that is as good as its best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Enough {
    pub(crate) limit: NonZeroUsize,
    pub(crate) time: u64,
    /// The shortest time at any limit.
    pub(crate) best: u64,
}

/// The smallest limit within 5 % of the best time, of those at which a strategy did all of the work.
pub(crate) fn enough(study: &Study<'_>, variant: Option<&str>, strategy: &str) -> Option<Enough> {
    let clock = study.clock();
    let own = study.cases.iter().filter(|case| case.variant == variant && case.strategy == strategy);
    let whole: Vec<(NonZeroUsize, u64)> = own
        .filter(|case| case.unfinished(clock).is_none() && !study.left_work(case))
        .filter_map(|case| Some((case.limit?, case.time(clock)?.median)))
        .collect();
    let best = whole.iter().map(|&(_, time)| time).min()?;
    let good = whole.iter().filter(|&&(_, time)| time as f64 <= best as f64 * AS_GOOD);
    good.min().map(|&(limit, time)| Enough { limit, time, best })
}

/// The section of a scenario that varies its limit or its size; none for another.
pub(crate) fn section(study: &Study<'_>) -> Option<String> {
    let mut text = String::new();
    match study.record.axis {
        Axis::None | Axis::Variant => return None,
        Axis::Limit => {
            text.push_str(&enough_table(study));
            for variant in study.variants() {
                if let Some(variant) = variant {
                    text.push_str(&format!("### {}\n\n", inline(variant)));
                }
                let rows: Vec<Axle<'_>> = study.limits().into_iter().map(Axle::Limit).collect();
                matrices(study, &rows, variant, &mut text);
            }
        }
        Axis::Size => {
            let rows: Vec<Axle<'_>> = study.variants().into_iter().map(Axle::Variant).collect();
            matrices(study, &rows, None, &mut text);
        }
    }
    Some(text)
}

fn enough_table(study: &Study<'_>) -> String {
    let variants = study.variants();
    let header = [
        ("variant", Align::Left),
        ("strategy", Align::Left),
        ("smallest limit", Align::Right),
        ("its time", Align::Right),
        ("best time", Align::Right),
    ];
    let mut table = Table::new(header);
    let mut at_the_end = false;
    for variant in &variants {
        for strategy in study.strategies() {
            if let Some(enough) = enough(study, *variant, strategy) {
                at_the_end |= study.limits().last() == Some(&enough.limit);
                table.row([
                    inline(variant.unwrap_or_default()),
                    inline(strategy),
                    Unit::Count.show(enough.limit.get() as u64),
                    Unit::Nanoseconds.show(enough.time),
                    Unit::Nanoseconds.show(enough.best),
                ]);
            }
        }
    }
    if table.is_empty() {
        return String::new();
    }
    format!(
        "The smallest limit whose time is within 5 % of the strategy's best, of those limits at which it did \
         all of the\nwork:\n\n{}\n{}",
        table.without_empty_columns(0).render(),
        if at_the_end {
            "Where that is the largest limit that was tried, a larger one may be faster still.\n\n"
        } else {
            ""
        }
    )
}

/// What a line of a matrix stands for.
#[derive(Debug, Clone, Copy)]
enum Axle<'a> {
    Limit(NonZeroUsize),
    Variant(Option<&'a str>),
}

/// A table a metric: a line an x, a column a strategy.
fn matrices(study: &Study<'_>, rows: &[Axle<'_>], variant: Option<&str>, text: &mut String) {
    let clock = study.clock();
    let memory = memory_metric(clock);
    let memory_name = if memory == Metric::HeapPeak { "Peak heap" } else { "Peak resident memory" };
    let metrics = [
        (format!("Time, {clock} clock"), time_of(clock)),
        ("Peak calls in flight".to_owned(), Metric::InFlightPeak),
        ("Peak tasks".to_owned(), Metric::TasksPeak),
        (memory_name.to_owned(), memory),
        ("Calls refused".to_owned(), Metric::Refused),
        ("Peak waiting downstream".to_owned(), Metric::DownstreamQueuePeak),
    ];
    for (title, metric) in metrics {
        if let Some(table) = matrix(study, rows, variant, metric) {
            text.push_str(&format!("{title}:\n\n{table}\n"));
        }
    }
}

fn matrix(study: &Study<'_>, rows: &[Axle<'_>], variant: Option<&str>, metric: Metric) -> Option<String> {
    let clock = study.clock();
    let by_size = study.record.axis == Axis::Size;
    let here = |case: &&Case<'_>| by_size || case.variant == variant;
    let mut strategies = study.strategies();
    strategies.retain(|strategy| study.cases.iter().filter(here).any(|case| case.strategy == *strategy));
    let mut header: Vec<(&str, Align)> = Vec::new();
    if by_size {
        header.extend([("variant", Align::Left), (study.items(), Align::Right)]);
    } else {
        header.push(("limit", Align::Right));
    }
    let fixed = header.len();
    header.extend(strategies.iter().map(|strategy| (*strategy, Align::Right)));
    let (mut anything, mut left_work) = (false, false);
    // Limits at which all is the same stand in one line.
    let mut lines: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for row in rows {
        let name = match *row {
            Axle::Limit(limit) => vec![Unit::Count.show(limit.get() as u64)],
            Axle::Variant(variant) => vec![
                inline(variant.unwrap_or_default()),
                study.size(variant).map_or_else(|| ABSENT.to_owned(), |size| Unit::Count.show(size)),
            ],
        };
        let mut cells = Vec::new();
        for strategy in &strategies {
            let case = study.cases.iter().filter(here).find(|case| {
                case.strategy == *strategy
                    && match *row {
                        // A strategy without a limit is the same at each.
                        Axle::Limit(limit) => case.limit.is_none_or(|own| own == limit),
                        Axle::Variant(variant) => {
                            case.variant == variant
                                && (case.limit.is_none() || case.limit == study.middle_limit())
                        }
                    }
            });
            let value = case.and_then(|case| {
                if metric == time_of(clock) {
                    let less = study.left_work(case);
                    left_work |= less;
                    let time = case.time(clock).map(|time| Unit::Nanoseconds.show(time.median));
                    let time = if less { time.map(less_of_the_work) } else { time };
                    return case.unfinished(clock).or(time);
                }
                let spread = case.spread(clock, metric)?;
                anything |= spread.most > 0;
                Some(metric.unit().show(spread.median))
            });
            anything |= metric == time_of(clock) && value.is_some();
            cells.push(value.unwrap_or_else(|| ABSENT.to_owned()));
        }
        match lines.last_mut().filter(|(_, last)| !by_size && *last == cells) {
            Some((names, _)) => names.extend(name),
            None => lines.push((name, cells)),
        }
    }
    let unlimited = !by_size && study.cases.iter().filter(here).all(|case| case.limit.is_none());
    let mut table = Table::new(header);
    for (names, cells) in lines {
        let names = match names.as_slice() {
            [_, .., _] if unlimited => vec!["any".to_owned()],
            [first, .., last] if !by_size => vec![format!("{first} to {last}")],
            _ => names,
        };
        table.row(names.into_iter().chain(cells));
    }
    let note = if left_work { format!("\n{LESS_OF_THE_WORK}\n") } else { String::new() };
    anything.then(|| format!("{}{note}", table.without_empty_columns(fixed).render()))
}
