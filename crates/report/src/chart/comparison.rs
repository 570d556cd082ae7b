//! The comparison sheet: time, calls in flight, tasks and memory, a bar a strategy.

use fanout_record::{Clock, Metric};

use super::bars::{Bar, Panel, Rows, Value};
use super::canvas::WIDTH;
use super::palette::{MUTED, Palette, tint};
use super::sheet::{Key, MARGIN, Sheet, Sign};
use crate::case::{Case, time_of};
use crate::study::{Study, threads_in_words};

const NAMES: i32 = 186;
const COLUMN_GAP: i32 = 24;
const ROW_GAP: i32 = 14;

/// The sheet's SVG.
pub(crate) fn comparison(study: &Study<'_>, palette: &Palette, caption: &str) -> String {
    let variants = study.compared_variants();
    let groups: Vec<(Option<&str>, Vec<&Case<'_>>)> =
        variants.iter().map(|&variant| (variant, study.at_middle_limit(variant))).collect();
    let both = study.has_both_clocks();
    let rows = Rows {
        groups: groups
            .iter()
            .map(|(variant, cases)| {
                let heading = variant.filter(|_| groups.len() > 1).map(str::to_owned);
                (heading, cases.iter().map(|case| case.strategy.to_owned()).collect())
            })
            .collect(),
        pitch: if both { 22 } else { 18 },
    };
    let cases: Vec<&Case<'_>> = groups.into_iter().flat_map(|(_, cases)| cases).collect();
    let panels = panels(study, &cases, palette);
    let sheet = Sheet {
        title: &study.record.title,
        subtitle: study.describe_cells(&variants),
        legend: legend(study, &panels),
        caption,
    };
    let height = 2 * rows.height() + ROW_GAP;
    sheet.draw(height, |canvas, top| {
        let names = MARGIN + rows.width().min(NAMES);
        let left = names + 8;
        let width = (WIDTH - MARGIN - left - COLUMN_GAP) / 2;
        for (at, panel) in panels.iter().enumerate() {
            let x = if at % 2 == 0 { left } else { left + width + COLUMN_GAP };
            let y = if at < 2 { top } else { top + rows.height() + ROW_GAP };
            if at % 2 == 0 {
                rows.draw_names(canvas, (MARGIN, names), y);
            }
            panel.draw(canvas, &rows, (x, x + width), y);
        }
    })
}

fn panels(study: &Study<'_>, cases: &[&Case<'_>], palette: &Palette) -> [Panel; 4] {
    let clock = study.clock();
    let colour = |case: &Case<'_>| palette.look(case.strategy).colour;
    let time = |case: &Case<'_>| Bar {
        colour: colour(case),
        value: match (case.unfinished(clock), case.time(clock)) {
            (Some(how), _) => Value::Unfinished(how),
            (None, Some(time)) => Value::Measured(time),
            (None, None) => Value::Absent,
        },
        hollow: study.left_work(case),
        under: if study.has_both_clocks() && case.unfinished(Clock::Wall).is_none() {
            case.time(Clock::Wall)
        } else {
            None
        },
        bound: case.spread(clock, Metric::Ideal).map(|ideal| ideal.median),
        published: case.published_time(),
    };
    let count = |case: &Case<'_>, metric: Metric, bounded: bool| Bar {
        colour: colour(case),
        value: case.spread(clock, metric).map_or(Value::Absent, Value::Measured),
        hollow: study.left_work(case),
        under: None,
        bound: case.limit.filter(|_| bounded).map(|limit| limit.get() as u64),
        published: case.published(metric),
    };
    let memory = memory_metric(clock);
    let panel = |title: &str, metric: Metric, bar: &dyn Fn(&Case<'_>) -> Bar| Panel {
        title: title.to_owned(),
        unit: metric.unit(),
        bars: cases.iter().map(|case| bar(case)).collect(),
    };
    [
        panel(&format!("Time, {clock} clock"), time_of(clock), &time),
        panel("Peak calls in flight", Metric::InFlightPeak, &|case| {
            count(case, Metric::InFlightPeak, study.limits_bound_calls())
        }),
        panel("Peak tasks", Metric::TasksPeak, &|case| count(case, Metric::TasksPeak, true)),
        panel(memory_title(memory), memory, &|case| count(case, memory, false)),
    ]
}

/// Which column says what a clock's runs held in memory.
pub(crate) fn memory_metric(clock: Clock) -> Metric {
    match clock {
        Clock::Virtual => Metric::HeapPeak,
        Clock::Wall => Metric::RssPeak,
    }
}

/// What its panels are called.
pub(crate) fn memory_title(metric: Metric) -> &'static str {
    if metric == Metric::RssPeak { "Peak resident memory" } else { "Peak heap" }
}

/// The signs that the panels hold, and no other.
fn legend(study: &Study<'_>, panels: &[Panel]) -> Vec<Key> {
    let bars = || panels.iter().flat_map(|panel| &panel.bars);
    let mut keys = Vec::new();
    if bars().any(|bar| bar.under.is_some()) {
        keys.push(Key::new(Sign::Bar(MUTED), format!("{} clock", study.clock())));
        let threads = threads_in_words(study.wall_threads());
        keys.push(Key::new(Sign::Under(tint(MUTED, 0.55)), format!("wall clock, {threads}")));
    }
    if bars().any(|bar| bar.published.is_some()) {
        keys.push(Key::new(Sign::Published, "published"));
    }
    let ideal = panels[0].bars.iter().any(|bar| bar.bound.is_some());
    let limit = panels[1..].iter().flat_map(|panel| &panel.bars).any(|bar| bar.bound.is_some());
    let bound = match (ideal, limit) {
        (true, true) => Some("ideal time; limit"),
        (true, false) => Some("ideal time"),
        (false, true) => Some("limit"),
        (false, false) => None,
    };
    if bars().any(|bar| bar.hollow) {
        keys.push(Key::new(Sign::HollowBar, "did less of the work"));
    }
    keys.extend(bound.map(|text| Key::new(Sign::Bound, text)));
    let spread = |bar: &Bar| matches!(&bar.value, Value::Measured(spread) if spread.least < spread.most);
    if bars().any(spread) {
        keys.push(Key::new(Sign::Whisker, "least to most"));
    }
    keys
}
