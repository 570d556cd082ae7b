//! The sweep sheet: every metric over the limit, or over the number of items, a line a strategy.

use fanout_record::{Axis, Metric, Unit};

use super::canvas::{Canvas, Side, WIDTH};
use super::comparison::{memory_metric, memory_title};
use super::lines::{Course, Line, Panel, Place, Point, TICKS};
use super::palette::{INK, MUTED, Palette};
use super::scales::{Fit, Scale};
use super::sheet::{Key, MARGIN, Sheet, Sign};
use super::text::Face;
use crate::case::{Case, time_of};
use crate::study::Study;

const COLUMN_GAP: i32 = 22;
const ROW_GAP: i32 = 6;
/// The room for an x axis's title, and for a variant's name.
const LINE: i32 = 18;
/// The room right of a plot: half a tick's label.
const EDGE: i32 = 10;
/// More variants than this stand in a further block.
const MOST_COLUMNS: usize = 3;

/// The sheet's SVG; none for a scenario that varies neither limit nor size.
pub(crate) fn sweep(study: &Study<'_>, palette: &Palette, caption: &str) -> Option<String> {
    let sweep = match study.record.axis {
        Axis::Limit => Sweep { study, palette, by_size: false },
        Axis::Size => Sweep { study, palette, by_size: true },
        Axis::None | Axis::Variant => return None,
    };
    let columns = sweep.columns();
    let many = columns.len() > 1;
    let sheet =
        Sheet { title: &study.record.title, subtitle: sweep.subtitle(), legend: sweep.legend(), caption };
    // One column alone stands as two by two; several side by side, a variant each, in blocks of a few.
    let blocks: Vec<Vec<Vec<&Panel>>> = if many {
        columns
            .chunks(MOST_COLUMNS)
            .map(|block| block.iter().map(|column| column.panels.iter().collect()).collect())
            .collect()
    } else {
        let panels = columns.first().map_or(&[][..], |column| &column.panels);
        let every_second = |from: usize| panels.iter().skip(from).step_by(2).collect();
        vec![vec![every_second(0), every_second(1)]]
    };
    // Variants side by side are there to be compared: a metric has one scale for all of them.
    let compared = |title: &str| -> Vec<u64> {
        let panels = columns.iter().flat_map(|column| &column.panels);
        panels.filter(|panel| panel.title == title).flat_map(Panel::values).collect()
    };
    let panel_height = if many { 150 } else { 200 };
    let block_height = |block: &[Vec<&Panel>]| {
        let rows = block.iter().map(Vec::len).max().unwrap_or(0);
        i32::try_from(rows).unwrap_or(0) * (panel_height + ROW_GAP) + LINE + if many { LINE + 8 } else { 0 }
    };
    let height = blocks.iter().map(|block| block_height(block)).sum();
    let across_columns = if many { columns.len().min(MOST_COLUMNS) } else { 2 };
    let svg = sheet.draw(height, |canvas, mut top| {
        let mut names = columns.iter().map(|column| column.heading.as_deref());
        let count = i32::try_from(across_columns).unwrap_or(1);
        let width = (WIDTH - 2 * MARGIN - COLUMN_GAP * (count - 1)) / count;
        for block in &blocks {
            let mut x = MARGIN;
            for column in block {
                let name = names.next().flatten().filter(|_| many);
                sweep.draw_column(canvas, column, compared, name, (x, x + width), (top, panel_height));
                x += width + COLUMN_GAP;
            }
            top += block_height(block);
        }
    });
    Some(svg)
}

struct Column {
    heading: Option<String>,
    panels: Vec<Panel>,
}

struct Sweep<'s, 'a> {
    study: &'s Study<'a>,
    palette: &'s Palette,
    by_size: bool,
}

impl<'a> Sweep<'_, 'a> {
    fn columns(&self) -> Vec<Column> {
        if self.by_size {
            return vec![Column { heading: None, panels: self.panels(|_| true) }];
        }
        let variants = self.study.variants().into_iter();
        variants
            .map(|variant| Column {
                heading: variant.map(str::to_owned),
                panels: self.panels(|case| case.variant == variant),
            })
            .collect()
    }

    /// The panels over some of the cases. Each column has the same ones, so that rows are of one metric.
    fn panels(&self, chosen: impl Fn(&Case<'_>) -> bool) -> Vec<Panel> {
        let middle = self.study.middle_limit();
        let here = |case: &&Case<'_>| {
            chosen(case) && (!self.by_size || case.limit.is_none() || case.limit == middle)
        };
        let cases: Vec<&Case<'a>> = self.study.cases.iter().filter(here).collect();
        let clock = self.study.clock();
        let memory = memory_metric(clock);
        let mut metrics = vec![
            (format!("Time, {clock} clock"), time_of(clock)),
            ("Peak calls in flight".to_owned(), Metric::InFlightPeak),
            ("Peak tasks".to_owned(), Metric::TasksPeak),
            (memory_title(memory).to_owned(), memory),
        ];
        let more =
            [("Calls refused", Metric::Refused), ("Peak waiting downstream", Metric::DownstreamQueuePeak)];
        for (title, metric) in more {
            let all = || self.study.cases.iter().flat_map(Case::all_rows);
            if all().any(|row| metric.of(row).is_some_and(|value| value > 0)) {
                metrics.push((title.to_owned(), metric));
            }
        }
        metrics
            .into_iter()
            .map(|(title, metric)| Panel {
                title,
                unit: metric.unit(),
                lines: self.lines(&cases, metric),
                bound: self.bound(&cases, metric),
            })
            .collect()
    }

    fn x(&self, case: &Case<'_>) -> Option<u64> {
        if self.by_size { self.study.size(case.variant) } else { case.limit.map(|limit| limit.get() as u64) }
    }

    fn lines(&self, cases: &[&Case<'_>], metric: Metric) -> Vec<Line> {
        let clock = self.study.clock();
        let is_time = metric == time_of(clock);
        let strategies = self.study.strategies().into_iter();
        let lines = strategies.filter_map(|strategy| {
            let own = || cases.iter().filter(|case| case.strategy == strategy);
            let unfinished = own().filter(|case| is_time && case.unfinished(clock).is_some());
            let mut points: Vec<Point> = own()
                .filter(|case| !is_time || case.unfinished(clock).is_none())
                .filter_map(|case| {
                    let y = if is_time { case.time(clock) } else { case.spread(clock, metric) }?;
                    Some(Point { x: self.x(case).unwrap_or(0), y, hollow: self.study.left_work(case) })
                })
                .collect();
            points.sort_by_key(|point| point.x);
            let level = own().all(|case| self.x(case).is_none());
            let line = Line {
                look: self.palette.look(strategy),
                unfinished: unfinished.filter_map(|case| self.x(case)).collect(),
                course: match points.first() {
                    Some(&point) if level => Course::Level(point),
                    _ => Course::Through(points),
                },
            };
            (own().next().is_some()).then_some(line)
        });
        lines.collect()
    }

    /// The ideal time by x, from the strategies that keep to a limit where there are any; or the limit
    /// itself.
    fn bound(&self, cases: &[&Case<'_>], metric: Metric) -> Vec<(u64, u64)> {
        let clock = self.study.clock();
        let limited: Vec<&&Case<'_>> = cases.iter().filter(|case| case.limit.is_some()).collect();
        let bound_at = |case: &Case<'_>| match metric {
            Metric::Virtual | Metric::Wall => case.spread(clock, Metric::Ideal).map(|ideal| ideal.median),
            Metric::InFlightPeak if !self.study.limits_bound_calls() => None,
            Metric::InFlightPeak | Metric::TasksPeak => case.limit.map(|limit| limit.get() as u64),
            _ => None,
        };
        let of = if limited.is_empty() { cases.iter().collect() } else { limited };
        let mut bound: Vec<(u64, u64)> =
            of.into_iter().filter_map(|case| Some((self.x(case).unwrap_or(0), bound_at(case)?))).collect();
        bound.sort_unstable();
        bound.dedup_by_key(|(x, _)| *x);
        bound
    }

    fn subtitle(&self) -> String {
        let mut parts = vec![format!("{} clock", self.study.clock())];
        if let (true, Some(limit)) = (self.by_size, self.study.middle_limit()) {
            parts.push(format!("limit {limit}"));
        }
        let mut seeds: Vec<u64> =
            self.study.cases.iter().flat_map(Case::all_rows).map(|row| row.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        parts.push(match seeds.as_slice() {
            [seed] => format!("seed {seed}"),
            seeds => format!("median of {} seeds, upright lines from least to most", seeds.len()),
        });
        parts.push("where lines coincide, the wider ones lie below".to_owned());
        parts.join("; ")
    }

    fn legend(&self) -> Vec<Key> {
        let study = self.study;
        let mut keys: Vec<Key> = study
            .strategies()
            .into_iter()
            .map(|strategy| {
                let unlimited =
                    study.cases.iter().all(|case| case.strategy != strategy || case.limit.is_none());
                let note = if unlimited && !self.by_size { " (takes no limit)" } else { "" };
                Key::new(Sign::Line(self.palette.look(strategy)), format!("{strategy}{note}"))
            })
            .collect();
        let clock = study.clock();
        keys.push(Key::new(Sign::BoundLine, "ideal time; limit"));
        if study.cases.iter().any(|case| case.unfinished(clock).is_some()) {
            keys.push(Key::new(Sign::Unfinished, "did not finish"));
        }
        if study.cases.iter().any(|case| study.left_work(case)) {
            keys.push(Key::new(Sign::Hollow, "did less of the work"));
        }
        keys
    }

    fn draw_column(
        &self,
        canvas: &Canvas<'_>,
        panels: &[&Panel],
        compared: impl Fn(&str) -> Vec<u64>,
        heading: Option<&str>,
        (left, right): (i32, i32),
        (mut top, height): (i32, i32),
    ) {
        if let Some(heading) = heading {
            let heading = Face::HEADING.fit(heading, right - left);
            canvas.text((left + 4, top + 8), Side::Right, Face::HEADING, MUTED, &heading);
            canvas.line(&[(left + 4, top + 18), (right, top + 18)], MUTED, 1);
            top += LINE + 8;
        }
        let (plot_left, plot_right) = (left + TICKS, right - EDGE);
        let xs: Vec<u64> = self.study.cases.iter().filter_map(|case| self.x(case)).collect();
        let across = Scale::fit(Fit::Lines, Unit::Count, &xs, (plot_left, plot_right));
        for panel in panels {
            panel.draw(
                canvas,
                &across,
                &compared(&panel.title),
                Place { left: plot_left, right: plot_right, top, height },
            );
            top += height + ROW_GAP;
        }
        let title = if self.by_size { self.study.items() } else { "limit" };
        let middle = i32::midpoint(plot_left, plot_right);
        canvas.text((middle, top + 2), Side::Centre, Face::LABEL, INK, &format!("{title} (log scale)"));
    }
}
