//! The comparison table: what was measured, beside what was published.

use fanout_record::{Axis, Clock, Metric, Unit};

use super::markdown::{ABSENT, Align, LESS_OF_THE_WORK, Table, inline, less_of_the_work};
use crate::case::{Case, Spread, spread, time_of, unfinished};
use crate::chart::memory_metric;
use crate::study::{Study, threads_in_words};

/// The scenario's table and a line that says what it is of. `name` makes a strategy's cell.
pub(crate) fn comparison(study: &Study<'_>, name: impl Fn(&str) -> String) -> String {
    let cases = compared(study);
    if cases.is_empty() {
        return "No cell was run.\n".to_owned();
    }
    let clock = study.clock();
    let memory = memory_metric(clock);
    let threads = wall_threads(study, &cases);
    let variants = cases.iter().any(|case| case.variant != cases[0].variant);
    let limits = several_limits(&cases);
    let mut header = Vec::new();
    if variants {
        header.push(("variant".to_owned(), Align::Left));
    }
    header.push(("strategy".to_owned(), Align::Left));
    if limits {
        header.push(("limit".to_owned(), Align::Right));
    }
    header.push(match (clock, study.wall_threads()) {
        (Clock::Wall, first @ Some(_)) if !threads.is_empty() => {
            (format!("wall, {}", threads_in_words(first)), Align::Right)
        }
        _ => (clock.to_string(), Align::Right),
    });
    for count in &threads {
        header.push((format!("wall, {}", threads_in_words(Some(*count))), Align::Right));
    }
    let memory_name = if memory == Metric::HeapPeak { "heap" } else { "resident" };
    for column in ["efficiency", "in flight", "tasks", memory_name] {
        header.push((column.to_owned(), Align::Right));
    }
    let fixed = 2 + usize::from(variants) + usize::from(limits);
    let mut table = Table::new(header);
    for case in &cases {
        let mut cells = Vec::new();
        if variants {
            cells.push(inline(case.variant.unwrap_or_default()));
        }
        cells.push(name(case.strategy));
        if limits {
            cells.push(
                case.limit.map_or_else(|| ABSENT.to_owned(), |limit| Unit::Count.show(limit.get() as u64)),
            );
        }
        // A guide's times are real ones: they stand beside the wall's, and beside the virtual ones for want
        // of any.
        let published = case.published_time();
        let time = words_or_time(case.unfinished(clock), case.time(clock));
        let time = if study.left_work(case) { time.map(less_of_the_work) } else { time };
        let first = clock == Clock::Wall || case.wall().is_empty();
        cells.push(beside(time, published.filter(|_| first), Unit::Nanoseconds));
        for (at, count) in threads.iter().enumerate() {
            let runs =
                case.wall().iter().find(|(threads, _)| threads == count).map_or(&[][..], |(_, rows)| rows);
            let time = words_or_time(unfinished(runs), spread(runs, Metric::Wall));
            cells.push(beside(time, published.filter(|_| at == 0 && !first), Unit::Nanoseconds));
        }
        cells.push(efficiency(case, clock).unwrap_or_else(|| ABSENT.to_owned()));
        for metric in [Metric::InFlightPeak, Metric::TasksPeak, memory] {
            let measured = case.spread(clock, metric).map(|spread| metric.unit().show(spread.median));
            cells.push(beside(measured, case.published(metric), metric.unit()));
        }
        table.row(cells);
    }
    format!("{}\n{}\n", table.without_empty_columns(fixed).render(), notes(study, &cases))
}

/// The cases that the table is of: for a sweep those that the comparison sheet shows, else all.
pub(crate) fn compared<'s, 'a>(study: &'s Study<'a>) -> Vec<&'s Case<'a>> {
    match study.record.axis {
        Axis::Limit | Axis::Size => {
            study.compared_variants().into_iter().flat_map(|variant| study.at_middle_limit(variant)).collect()
        }
        Axis::None | Axis::Variant => study.cases.iter().collect(),
    }
}

fn several_limits(cases: &[&Case<'_>]) -> bool {
    let mut limits = cases.iter().filter_map(|case| case.limit);
    let first = limits.next();
    limits.any(|limit| Some(limit) != first)
}

/// The numbers of threads that stand in columns of their own, beside virtual times, or beside those of the fewest
/// threads.
fn wall_threads(study: &Study<'_>, cases: &[&Case<'_>]) -> Vec<std::num::NonZeroUsize> {
    let mut threads: Vec<_> =
        cases.iter().flat_map(|case| case.wall()).map(|(threads, _)| *threads).collect();
    threads.sort_unstable();
    threads.dedup();
    if study.clock() == Clock::Wall {
        threads.retain(|&count| Some(count) != study.wall_threads());
    }
    threads
}

fn words_or_time(unfinished: Option<String>, time: Option<Spread>) -> Option<String> {
    unfinished.or_else(|| time.map(|time| Unit::Nanoseconds.show(time.median)))
}

/// A measured value, and in brackets the published one.
fn beside(measured: Option<String>, published: Option<u64>, unit: Unit) -> String {
    let measured = measured.unwrap_or_else(|| ABSENT.to_owned());
    match published {
        Some(published) => format!("{measured} ({})", unit.show(published)),
        None => measured,
    }
}

/// The ideal time over the measured one, the median over the runs: each seed has its own ideal.
pub(crate) fn efficiency(case: &Case<'_>, clock: Clock) -> Option<String> {
    if case.unfinished(clock).is_some() {
        return None;
    }
    let mut percents: Vec<f64> = case
        .rows(clock)
        .iter()
        .filter_map(|row| Some((row.ideal_ns?, time_of(clock).of(row).filter(|&time| time > 0)?)))
        .map(|(ideal, time)| ideal as f64 / time as f64 * 100.0)
        .collect();
    percents.sort_by(f64::total_cmp);
    let percent = *percents.get(percents.len().checked_sub(1)? / 2)?;
    Some(match percent {
        ..0.05 => "< 0.1 %".to_owned(),
        ..9.95 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    })
}

fn notes(study: &Study<'_>, cases: &[&Case<'_>]) -> String {
    let clock = study.clock();
    let mut variants: Vec<Option<&str>> = cases.iter().map(|case| case.variant).collect();
    variants.dedup();
    let mut notes = Vec::new();
    if several_limits(cases) {
        notes.push(format!("Time, counts and memory on the {clock} clock."));
    } else {
        let cells = study.describe_cells(&variants);
        let mut letters = cells.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        notes.push(format!("{}{}.", first.map(String::from).unwrap_or_default(), letters.as_str()));
    }
    if cases.iter().any(|case| has_published(case, clock)) {
        notes.push("In brackets: what the guide published.".to_owned());
    }
    if cases.iter().any(|case| efficiency(case, clock).is_some()) {
        notes.push(
            "Efficiency: the ideal time, which no schedule within the limit can beat, over the measured one."
                .to_owned(),
        );
    }
    if cases.iter().any(|case| study.left_work(case)) {
        notes.push(LESS_OF_THE_WORK.to_owned());
    }
    notes.join(" ")
}

fn has_published(case: &Case<'_>, clock: Clock) -> bool {
    let counted = [Metric::InFlightPeak, Metric::TasksPeak, memory_metric(clock), time_of(clock)];
    case.published_time().is_some() || counted.iter().any(|metric| case.published(*metric).is_some())
}

type Column = (&'static str, Metric);

const FATE: [Column; 16] = [
    ("discovered", Metric::Discovered),
    ("visited", Metric::Visited),
    ("failed", Metric::Failed),
    ("refused", Metric::Refused),
    ("retried", Metric::Retried),
    ("truncated", Metric::Truncated),
    ("seen", Metric::Seen),
    ("cancelled", Metric::Cancelled),
    ("returned", Metric::Returned),
    ("fresh", Metric::Fresh),
    ("stale", Metric::Stale),
    ("unserved", Metric::Unserved),
    ("failures reported", Metric::Reported),
    ("over deadline", Metric::OverDeadline),
    ("wasted time", Metric::Wasted),
    ("late calls", Metric::LateCalls),
];

const FURTHER: [Column; 13] = [
    ("ideal", Metric::Ideal),
    ("backlog", Metric::BacklogPeak),
    ("taken", Metric::TakenPeak),
    ("waiting downstream", Metric::DownstreamQueuePeak),
    ("held waiting", Metric::HeldWaitingPeak),
    ("allocations", Metric::HeapBlocks),
    ("service p50", Metric::ServiceP50),
    ("service max", Metric::ServiceMax),
    ("response p50", Metric::ResponseP50),
    ("response p99", Metric::ResponseP99),
    ("response max", Metric::ResponseMax),
    ("in flight at the end", Metric::InFlightEnd),
    ("tasks at the end", Metric::TasksEnd),
];

/// What became of the items, where it was not the same for all: visited.
pub(crate) fn fate(study: &Study<'_>) -> Option<String> {
    let cases = compared(study);
    let rare = FATE.iter().filter(|(_, metric)| is_rare(*metric));
    let mut happened = rare.flat_map(|(_, metric)| cases.iter().map(|case| shown(study, case, *metric)));
    happened.any(|value| value.is_some()).then(|| table(study, &cases, &FATE, &[]))
}

/// What else was measured of the same cells, in columns of their own so that the first table can be read.
pub(crate) fn further(study: &Study<'_>) -> Option<String> {
    let cases = compared(study);
    let columns = [("visited", Metric::Visited)].into_iter().filter(|_| fate(study).is_none());
    let columns: Vec<Column> = columns.chain(FURTHER).collect();
    let wall = |case: &Case<'_>, metric: Metric| {
        case.spread(Clock::Wall, metric).map(|spread| metric.unit().show(spread.median))
    };
    let table = table(
        study,
        &cases,
        &columns,
        &[
            ("resident, wall", &|case| wall(case, Metric::RssPeak)),
            ("over deadline, wall", &|case| wall(case, Metric::OverDeadline)),
            ("CPU, wall", &|case| wall(case, Metric::Cpu)),
            ("polls a call", &|case| polls_a_call(case, study.clock())),
        ],
    );
    (!table.is_empty()).then_some(table)
}

type Maker<'m> = (&'static str, &'m dyn Fn(&Case<'_>) -> Option<String>);

/// The cases with some columns that are shown as they are, and others that are made.
fn table(study: &Study<'_>, cases: &[&Case<'_>], columns: &[Column], made: &[Maker<'_>]) -> String {
    let mut header = vec![("variant", Align::Left), ("strategy", Align::Left), ("limit", Align::Right)];
    header.extend(columns.iter().map(|(name, _)| (*name, Align::Right)));
    header.extend(made.iter().map(|(name, _)| (*name, Align::Right)));
    let mut table = Table::new(header);
    for case in cases {
        let mut cells = vec![
            inline(case.variant.unwrap_or_default()),
            inline(case.strategy),
            case.limit.map_or_else(String::new, |limit| Unit::Count.show(limit.get() as u64)),
        ];
        let values = columns.iter().map(|(_, metric)| shown(study, case, *metric));
        let values = values.chain(made.iter().map(|(_, make)| make(case)));
        cells.extend(values.map(|value| value.unwrap_or_else(|| ABSENT.to_owned())));
        table.row(cells);
    }
    let table = table.without_empty_columns(0);
    if table.is_empty() { String::new() } else { table.render() }
}

/// A metric's median, in words. What hardly ever happens is not shown where it did not.
fn shown(study: &Study<'_>, case: &Case<'_>, metric: Metric) -> Option<String> {
    let spread = case.spread(study.clock(), metric)?;
    (spread.most > 0 || !is_rare(metric)).then(|| metric.unit().show(spread.median))
}

const fn is_rare(metric: Metric) -> bool {
    matches!(
        metric,
        Metric::Failed
            | Metric::Refused
            | Metric::Retried
            | Metric::Truncated
            | Metric::Seen
            | Metric::Cancelled
            | Metric::Returned
            | Metric::DownstreamQueuePeak
            | Metric::Stale
            | Metric::Unserved
            | Metric::Reported
            | Metric::OverDeadline
            | Metric::Wasted
            | Metric::LateCalls
            | Metric::InFlightEnd
            | Metric::TasksEnd
    )
}

fn polls_a_call(case: &Case<'_>, clock: Clock) -> Option<String> {
    let polls = case.spread(clock, Metric::Polls)?.median;
    let calls = case.spread(clock, Metric::Calls)?.median;
    (calls > 0).then(|| format!("{:.1}", polls as f64 / calls as f64))
}
