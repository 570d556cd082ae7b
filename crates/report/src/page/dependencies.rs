//! What each dependency of a batch saw.

use std::num::NonZeroUsize;

use fanout_record::{Clock, Metric, Row, Unit};

use super::comparison::compared;
use super::markdown::{ABSENT, Align, Table, inline};
use crate::case::Case;
use crate::study::Study;

const COUNTS: [(&str, Metric); 7] = [
    ("calls", Metric::Calls),
    ("answered", Metric::Visited),
    ("failed", Metric::Failed),
    ("refused", Metric::Refused),
    ("retried", Metric::Retried),
    ("cancelled", Metric::Cancelled),
    ("waiting downstream", Metric::DownstreamQueuePeak),
];

const MEASURES: [(&str, Metric); 4] = [
    ("in flight", Metric::InFlightPeak),
    ("service p50", Metric::ServiceP50),
    ("service p99", Metric::ServiceP99),
    ("response p99", Metric::ResponseP99),
];

/// A line a dependency of each case that the comparison is of; none but for a batch.
pub(crate) fn table(study: &Study<'_>) -> Option<String> {
    let all = &study.dependencies;
    let mut header = vec![
        ("variant", Align::Left),
        ("strategy", Align::Left),
        ("limit", Align::Right),
        ("threads", Align::Right),
        ("dependency", Align::Left),
        ("own limit", Align::Right),
        ("capacity", Align::Right),
    ];
    header.extend(COUNTS.iter().chain(&MEASURES).map(|(name, _)| (*name, Align::Right)));
    let mut table = Table::new(header);
    let count = |value: Option<u64>| value.map(|value| Unit::Count.show(value)).unwrap_or_default();
    for case in compared(study) {
        for (threads, runs) in by_threads(case, study.clock()) {
            for name in all.names() {
                let read = |metric: Metric| all.median(runs, name, metric).map(|value| (metric, value));
                if read(Metric::Calls).is_none_or(|(_, calls)| calls == 0) {
                    continue;
                }
                let mut cells = vec![
                    inline(case.variant.unwrap_or_default()),
                    inline(case.strategy),
                    count(case.limit.map(|limit| limit.get() as u64)),
                    count(threads.map(|threads| threads.get() as u64)),
                    inline(name),
                    count(all.limit(runs, name)),
                    count(all.capacity(runs, name)),
                ];
                // What did not happen is not shown, so that what did can be seen.
                let counts = COUNTS.iter().map(|(_, metric)| read(*metric).filter(|(_, value)| *value > 0));
                let measures = MEASURES.iter().map(|(_, metric)| read(*metric));
                let shown = |read: Option<(Metric, u64)>| {
                    read.map_or_else(|| ABSENT.to_owned(), |(metric, value)| metric.unit().show(value))
                };
                cells.extend(counts.chain(measures).map(shown));
                table.row(cells);
            }
        }
    }
    (!table.is_empty()).then(|| table.without_empty_columns(0).render())
}

/// A case's runs on a clock; those of the wall clock by their number of threads, where that differs.
fn by_threads<'c, 'a>(case: &'c Case<'a>, clock: Clock) -> Vec<(Option<NonZeroUsize>, &'c [&'a Row])> {
    match (clock, case.wall()) {
        (Clock::Wall, several @ [_, _, ..]) => {
            several.iter().map(|(threads, runs)| (Some(*threads), runs.as_slice())).collect()
        }
        _ => vec![(None, case.rows(clock))],
    }
}
