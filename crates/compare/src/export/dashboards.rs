//! The head's values for dashboards that keep a history of their own.

use std::collections::BTreeMap;

use fanout_record::{CellId, Metric, Results, Row, Unit, median};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What dashboards are given: what a cell cost.
const METRICS: [Metric; 9] = [
    Metric::Virtual,
    Metric::Wall,
    Metric::Cpu,
    Metric::InFlightPeak,
    Metric::TasksPeak,
    Metric::BacklogPeak,
    Metric::HeapPeak,
    Metric::RssPeak,
    Metric::Polls,
];

/// A cell's metric over its runs.
struct Measured {
    name: String,
    metric: Metric,
    least: u64,
    median: u64,
    most: u64,
    runs: usize,
}

/// The head in Bencher Metric Format: a benchmark a cell, a measure a metric, and where there are several runs the least
/// and the most as its bounds. See <https://bencher.dev/docs/reference/bencher-metric-format/>.
#[must_use]
pub fn bencher(head: &Results) -> String {
    let mut benchmarks: Map<String, Value> = Map::new();
    for measured in all(head) {
        let mut value = json!({ "value": measured.median });
        if measured.runs > 1 {
            value["lower_value"] = json!(measured.least);
            value["upper_value"] = json!(measured.most);
        }
        let measures = benchmarks.entry(measured.name).or_insert_with(|| json!({}));
        measures[measured.metric.to_string()] = value;
    }
    pretty(&Value::Object(benchmarks))
}

/// The head as `customSmallerIsBetter` of github-action-benchmark: an entry a cell and metric. See
/// <https://github.com/benchmark-action/github-action-benchmark>.
#[must_use]
pub fn benchmark_action(head: &Results) -> String {
    #[derive(Serialize)]
    struct Entry {
        name: String,
        unit: &'static str,
        value: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        extra: Option<String>,
    }
    let entries: Vec<Entry> = all(head)
        .map(|measured| Entry {
            name: format!("{} {}", measured.name, measured.metric),
            unit: match measured.metric.unit() {
                Unit::Nanoseconds => "ns",
                Unit::Bytes => "bytes",
                Unit::Count => "count",
            },
            value: measured.median,
            range: (measured.runs > 1).then(|| format!("{} to {}", measured.least, measured.most)),
            extra: (measured.runs > 1).then(|| format!("median of {} runs", measured.runs)),
        })
        .collect();
    pretty(&entries)
}

fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("plain data") + "\n"
}

fn all(head: &Results) -> impl Iterator<Item = Measured> {
    let mut cells: BTreeMap<CellId, Vec<&Row>> = BTreeMap::new();
    for row in &head.rows {
        cells.entry(CellId { run: 1, ..row.cell() }).or_default().push(row);
    }
    cells.into_iter().flat_map(|(cell, rows)| {
        METRICS.into_iter().filter_map(move |metric| {
            let values: Vec<u64> = rows.iter().filter_map(|row| metric.of(row)).collect();
            Some(Measured {
                name: name(&cell),
                metric,
                least: *values.iter().min()?,
                most: *values.iter().max()?,
                runs: values.len(),
                median: median(values)?,
            })
        })
    })
}

/// A cell as one word, so that a dashboard's history goes on as long as the cell does.
fn name(cell: &CellId) -> String {
    let mut parts = vec![cell.scenario.clone()];
    parts.extend(cell.variant.clone());
    parts.push(cell.strategy.clone());
    parts.extend(cell.limit.map(|limit| format!("limit-{limit}")));
    parts.push(format!("seed-{}", cell.seed));
    parts.push(format!("{}-{}", cell.clock, cell.threads));
    parts.join("/")
}
