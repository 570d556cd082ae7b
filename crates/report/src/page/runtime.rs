//! How late the runtime served what was due.

use fanout_record::{Metric, Unit};

use super::comparison::compared;
use super::markdown::{ABSENT, Align, Table, inline};
use crate::case::spread;
use crate::study::Study;

const COLUMNS: [(&str, Metric); 5] = [
    ("loop lag p50", Metric::LoopLagP50),
    ("loop lag p99", Metric::LoopLagP99),
    ("loop lag max", Metric::LoopLagMax),
    ("longest poll", Metric::LongestPoll),
    ("polls of 50 ms", Metric::LongPolls),
];

/// A line a number of threads of each case that the comparison is of; none where nobody measured it.
pub(crate) fn table(study: &Study<'_>) -> Option<String> {
    let mut header = vec![
        ("variant", Align::Left),
        ("strategy", Align::Left),
        ("limit", Align::Right),
        ("threads", Align::Right),
    ];
    header.extend(COLUMNS.map(|(name, _)| (name, Align::Right)));
    let mut table = Table::new(header);
    let count = |value: usize| Unit::Count.show(value as u64);
    for case in compared(study) {
        for (threads, runs) in case.wall() {
            let median =
                |metric: Metric| spread(runs, metric).map(|spread| metric.unit().show(spread.median));
            let measured = COLUMNS.map(|(_, metric)| median(metric));
            // Where a worker was blocked from the first poll, the task that measures was never served.
            if measured[0].is_none() {
                continue;
            }
            let mut cells = vec![
                inline(case.variant.unwrap_or_default()),
                inline(case.strategy),
                case.limit.map_or_else(String::new, |limit| count(limit.get())),
                count(threads.get()),
            ];
            cells.extend(measured.map(|value| value.unwrap_or_else(|| ABSENT.to_owned())));
            table.row(cells);
        }
    }
    (!table.is_empty()).then(|| table.without_empty_columns(0).render())
}
