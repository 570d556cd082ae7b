//! Calls in flight, tasks and backlog over time: a row a strategy, or one cell alone.

use std::num::NonZeroUsize;

use fanout_record::{Bin, Clock, Unit};
use plotters::style::RGBColor;

use super::canvas::{Canvas, Side, WIDTH};
use super::palette::{ALARM, AXIS, GRID, INK, MUTED, Palette, tint};
use super::scales::{Fit, Scale};
use super::sheet::{Key, MARGIN, Sheet, Sign};
use super::text::Face;
use crate::case::Case;
use crate::study::Study;

const NAMES: i32 = 178;
const TICKS: i32 = 40;
const EDGE: i32 = 14;
const PLOT: i32 = 52;
const ROW: i32 = PLOT + 28;
const HEADING: i32 = 24;
/// The height of a plot of one cell alone.
const ALONE: i32 = 110;
/// Rows whose times differ by no more than this share a time axis.
const SAME_AXIS: u64 = 3;

/// One of the three columns.
struct Course {
    title: &'static str,
    of: fn(&Bin) -> u64,
    /// Whether the limit is one for it.
    limited: bool,
}

const COURSES: [Course; 3] = [
    Course { title: "Calls in flight", of: |bin| bin.in_flight, limited: true },
    Course { title: "Tasks", of: |bin| bin.tasks, limited: true },
    Course { title: "Backlog", of: |bin| bin.backlog, limited: false },
];

/// One cell's bins.
struct Track<'a> {
    name: &'a str,
    note: String,
    /// How it ended, where it did not finish.
    unfinished: Option<String>,
    colour: RGBColor,
    limit: Option<u64>,
    bins: Vec<&'a Bin>,
    /// How long its time axis is.
    span: u64,
}

impl Track<'_> {
    fn end(&self) -> u64 {
        self.bins.last().map_or(0, |bin| bin.start_ns.saturating_add(bin.width_ns))
    }

    fn values(&self, course: &Course) -> Vec<u64> {
        let limit = self.limit.filter(|_| course.limited);
        self.bins.iter().map(|bin| (course.of)(bin)).chain(limit).chain([0]).collect()
    }
}

/// A chart of one cell: its calls in flight, tasks and backlog over time, one above the other. Pure: the same
/// bins give the same SVG.
#[must_use]
pub fn timeline_svg(title: &str, caption: &str, bins: &[Bin], limit: Option<NonZeroUsize>) -> String {
    let strategy = bins.first().map_or("", |bin| bin.strategy.as_str());
    let mut track = Track {
        name: strategy,
        note: String::new(),
        unfinished: None,
        colour: Palette::default().look(strategy).colour,
        limit: limit.map(|limit| limit.get() as u64),
        bins: bins.iter().collect(),
        span: 0,
    };
    track.span = track.end();
    let subtitle = bins.first().map_or_else(
        || "nothing was measured".to_owned(),
        |bin| format!("{strategy}, {} clock; peaks of each stretch of time", bin.clock),
    );
    let legend = if limit.is_some() { vec![Key::new(Sign::BoundLine, "limit")] } else { Vec::new() };
    let sheet = Sheet { title, subtitle, legend, caption };
    if bins.is_empty() {
        return sheet.draw(0, |_, _| {});
    }
    let block = HEADING + ALONE + 26;
    sheet.draw(3 * block + 14, |canvas, mut top| {
        let (left, right) = (MARGIN + TICKS, WIDTH - MARGIN - EDGE);
        for course in &COURSES {
            let up = |span| Scale::fit(Fit::Steps, Unit::Count, &track.values(course), span);
            canvas.heading((MARGIN, top + 8), course.title, &up((1, 0)).describe());
            draw_track(canvas, &track, course, (left, right), (top + HEADING, top + HEADING + ALONE), &up);
            top += block;
        }
        let middle = i32::midpoint(left, right);
        canvas.text((middle, top + 2), Side::Centre, Face::LABEL, INK, "time since the start");
    })
}

/// The sheet's SVG; none where no timeline was recorded.
pub(crate) fn timeline(study: &Study<'_>, palette: &Palette, caption: &str) -> Option<String> {
    let mut tracks = tracks(study, palette);
    if tracks.is_empty() {
        return None;
    }
    share_axes(&mut tracks);
    let legend = if tracks.iter().any(|track| track.limit.is_some()) {
        vec![Key::new(Sign::BoundLine, "limit")]
    } else {
        Vec::new()
    };
    let sheet = Sheet { title: &study.record.title, subtitle: subtitle(study, &tracks), legend, caption };
    let rows = i32::try_from(tracks.len()).unwrap_or(i32::MAX / ROW);
    Some(sheet.draw(HEADING + rows * ROW + 12, |canvas, top| {
        let first = MARGIN + NAMES;
        let width = (WIDTH - MARGIN - first) / 3;
        for (at, course) in (0..).zip(&COURSES) {
            let left = first + at * width + TICKS;
            let right = first + (at + 1) * width - EDGE;
            let values: Vec<u64> = tracks.iter().flat_map(|track| track.values(course)).collect();
            let up = |span| Scale::fit(Fit::Steps, Unit::Count, &values, span);
            canvas.heading((left - 6, top + 6), course.title, &up((1, 0)).describe());
            let mut y = top + HEADING;
            for track in &tracks {
                draw_track(canvas, track, course, (left, right), (y, y + PLOT), &up);
                y += ROW;
            }
            let middle = i32::midpoint(left, right);
            canvas.text((middle, y), Side::Centre, Face::LABEL, INK, "time since the start");
        }
        let mut y = top + HEADING;
        for track in &tracks {
            let name = Face::LABEL.fit(track.name, NAMES - 4);
            canvas.text((MARGIN, y + 8), Side::Right, Face::LABEL, INK, &name);
            canvas.text((MARGIN, y + 24), Side::Right, Face::SMALL, MUTED, &track.note);
            if let Some(how) = &track.unfinished {
                canvas.text((MARGIN, y + 38), Side::Right, Face::SMALL, ALARM, how);
            }
            y += ROW;
        }
    }))
}

/// A track a strategy: of the first variant, or the largest size, that it has one of.
fn tracks<'a>(study: &'a Study<'_>, palette: &Palette) -> Vec<Track<'a>> {
    let preferred = study.timeline_variant();
    let mut variants = study.variants();
    variants.sort_by_key(|variant| *variant != preferred);
    let tracks = study.strategies().into_iter().filter_map(|strategy| {
        variants.iter().find_map(|&variant| {
            let case = study.at_middle_limit(variant).into_iter().find(|case| case.strategy == strategy)?;
            track(study, case, palette)
        })
    });
    tracks.collect()
}

fn track<'a>(study: &'a Study<'_>, case: &Case<'a>, palette: &Palette) -> Option<Track<'a>> {
    let (cell, bins) = study.timeline_of(case)?;
    let mut notes = Vec::new();
    notes
        .extend(case.variant.filter(|variant| Some(*variant) != study.timeline_variant()).map(str::to_owned));
    notes.extend(case.limit.map(|limit| format!("limit {limit}")));
    let time = case.time(cell.clock).map(|time| Unit::Nanoseconds.show(time.median));
    let unfinished = case.unfinished(cell.clock);
    notes.extend(time.filter(|_| unfinished.is_none()));
    let mut track = Track {
        name: case.strategy,
        note: notes.join("; "),
        unfinished,
        colour: palette.look(case.strategy).colour,
        limit: case.limit.map(|limit| limit.get() as u64),
        bins: bins.to_vec(),
        span: 0,
    };
    track.span = track.end();
    Some(track)
}

/// Gives tracks of about the same length the same time axis.
fn share_axes(tracks: &mut [Track<'_>]) {
    let mut ends: Vec<u64> = tracks.iter().map(Track::end).collect();
    ends.sort_unstable();
    let mut groups: Vec<(u64, u64)> = Vec::new();
    for end in ends {
        match groups.last_mut() {
            Some((shortest, longest)) if end <= shortest.saturating_mul(SAME_AXIS) => *longest = end,
            _ => groups.push((end, end)),
        }
    }
    for track in tracks {
        let end = track.end();
        let group = groups.iter().find(|(shortest, longest)| (*shortest..=*longest).contains(&end));
        track.span = group.map_or(end, |&(_, longest)| longest);
    }
}

fn subtitle(study: &Study<'_>, tracks: &[Track<'_>]) -> String {
    let mut parts = Vec::new();
    parts.extend(study.timeline_variant().map(|variant| format!("variant {variant}")));
    let first = tracks.first().and_then(|track| track.bins.first());
    if let Some(bin) = first {
        parts.push(format!("seed {}", bin.seed));
        let run = if bin.clock == Clock::Wall { format!("run {}, ", bin.run) } else { String::new() };
        parts.push(format!("{run}{} clock", bin.clock));
    }
    parts.push("peaks of each stretch of time".to_owned());
    let spans: Vec<u64> = tracks.iter().map(|track| track.span).collect();
    let shares = |span: &u64| spans.iter().filter(|other| *other == span).count() > 1;
    parts.push(if spans.iter().all(|span| *span == spans[0]) {
        "all rows share one time axis".to_owned()
    } else if spans.iter().any(shares) {
        format!("rows within a factor of {SAME_AXIS} share a time axis")
    } else {
        "each row has its own time axis".to_owned()
    });
    parts.join("; ")
}

fn draw_track(
    canvas: &Canvas<'_>,
    track: &Track<'_>,
    course: &Course,
    (left, right): (i32, i32),
    (top, bottom): (i32, i32),
    up: &dyn Fn((i32, i32)) -> Scale,
) {
    let up = up((bottom, top));
    let across = Scale::fit(Fit::Bars, Unit::Nanoseconds, &[track.span], (left, right));
    for tick in up.ticks_up() {
        canvas.line(&[(left, tick.at), (right, tick.at)], GRID, 1);
        canvas.text((left - 5, tick.at), Side::Left, Face::SMALL, MUTED, &tick.label);
    }
    let ticks = across.ticks_across();
    for (at, tick) in ticks.iter().enumerate() {
        canvas.line(&[(tick.at, bottom), (tick.at, bottom + 4)], AXIS, 1);
        let last = at + 1 == ticks.len();
        let label = if last { format!("{} {}", tick.label, across.unit()) } else { tick.label.clone() };
        canvas.text((tick.at, bottom + 12), Side::Centre, Face::SMALL, MUTED, &label);
    }
    for stretch in stretches(&track.bins) {
        draw_steps(canvas, stretch, course, (&across, &up), (bottom, track.colour));
    }
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], AXIS, 1);
    if let Some(limit) = track.limit.filter(|_| course.limited) {
        let y = up.at(limit);
        canvas.line(&[(left, y), (right, y)], INK, 1);
    }
}

/// The bins, parted where nothing was recorded.
fn stretches<'b, 'a>(bins: &'b [&'a Bin]) -> impl Iterator<Item = &'b [&'a Bin]> {
    bins.chunk_by(|before, after| before.start_ns.saturating_add(before.width_ns) >= after.start_ns)
}

fn draw_steps(
    canvas: &Canvas<'_>,
    bins: &[&Bin],
    course: &Course,
    (across, up): (&Scale, &Scale),
    (bottom, colour): (i32, RGBColor),
) {
    let mut line: Vec<(i32, i32)> = Vec::new();
    for bin in bins {
        let y = up.at((course.of)(bin));
        let (from, to) = (across.at(bin.start_ns), across.at(bin.start_ns.saturating_add(bin.width_ns)));
        if line.last().is_some_and(|&(_, last)| last == y) {
            line.pop();
        } else {
            line.push((from, y));
        }
        line.push((to, y));
    }
    let (Some(&first), Some(&last)) = (line.first(), line.last()) else { return };
    let outline: Vec<(i32, i32)> =
        [(first.0, bottom)].into_iter().chain(line.iter().copied()).chain([(last.0, bottom)]).collect();
    canvas.area(&outline, tint(colour, 0.3));
    canvas.line(&line, colour, 2);
}
