//! How late the runtime served what was due.

use fanout_record::{Metric, Unit};

use super::comparison::compared;
use super::markdown::{ABSENT, Align, Table, inline};
use crate::case::{Spread, spread};
use crate::study::Study;

type Of = fn(Spread) -> u64;

/// Of what is a percentile the median over the runs, of what is a maximum the most.
const COLUMNS: [(&str, Metric, Of); 5] = [
    ("loop lag p50", Metric::LoopLagP50, |spread| spread.median),
    ("loop lag p99", Metric::LoopLagP99, |spread| spread.median),
    ("loop lag max", Metric::LoopLagMax, |spread| spread.most),
    ("longest poll", Metric::LongestPoll, |spread| spread.most),
    ("polls of 50 ms", Metric::LongPolls, |spread| spread.most),
];

const NOTE: &str = "Percentiles: the median of the runs; the rest: the most of any run. Loop lag is that of the \
                    runtime's workers: calls that are joined in the caller's own task are not polled by one, and show as \
                    polls alone.";

/// A line a number of threads of each case that the comparison is of; none where nobody measured it.
pub(crate) fn table(study: &Study<'_>) -> Option<String> {
    let mut header = vec![
        ("variant", Align::Left),
        ("strategy", Align::Left),
        ("limit", Align::Right),
        ("threads", Align::Right),
    ];
    header.extend(COLUMNS.map(|(name, ..)| (name, Align::Right)));
    let mut table = Table::new(header);
    let count = |value: usize| Unit::Count.show(value as u64);
    for case in compared(study) {
        for (threads, runs) in case.wall() {
            let measured = COLUMNS
                .map(|(_, metric, of)| spread(runs, metric).map(|spread| metric.unit().show(of(spread))));
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
    (!table.is_empty()).then(|| format!("{}\n{NOTE}\n", table.without_empty_columns(0).render()))
}
