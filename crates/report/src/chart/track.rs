//! Cells over time: a row a cell, a column for each thing that is read of it.

use fanout_record::{Bin, Clock, Unit};
use plotters::style::RGBColor;

use super::canvas::{Canvas, Side, WIDTH};
use super::palette::{ALARM, AXIS, GRID, INK, MUTED, Palette, tint};
use super::scales::{Fit, Scale};
use super::sheet::MARGIN;
use super::text::Face;
use crate::case::Case;
use crate::study::Study;

const NAMES: i32 = 178;
const PLOT: i32 = 52;
const ROW: i32 = PLOT + 28;
/// Left of a plot, for the labels of its ticks.
pub(super) const TICKS: i32 = 40;
/// Right of a plot.
pub(super) const EDGE: i32 = 14;
/// Above the plots of a column.
pub(super) const HEADING: i32 = 24;
/// Rows whose times differ by no more than this share a time axis.
const SAME_AXIS: u64 = 3;

/// What is read of a bin.
pub(super) type Reading = fn(&Bin) -> u64;

/// One cell's bins.
#[derive(Debug, Clone)]
pub(super) struct Track<'a> {
    pub(super) name: &'a str,
    pub(super) note: String,
    /// How it ended, where it did not finish.
    pub(super) unfinished: Option<String>,
    pub(super) colour: RGBColor,
    /// A line across, where there is a bound to what is read.
    pub(super) bound: Option<u64>,
    pub(super) bins: Vec<&'a Bin>,
    /// How long its time axis is.
    pub(super) span: u64,
}

impl<'a> Track<'a> {
    /// The first run of a case, with the strategy's limit as its bound; none where no bins were recorded. `told` is
    /// the variant that readers know it to be of.
    pub(super) fn of(
        study: &'a Study<'_>,
        case: &Case<'a>,
        palette: &Palette,
        told: Option<&str>,
    ) -> Option<Self> {
        let (cell, bins) = study.timeline_of(case)?;
        let mut notes = Vec::new();
        notes.extend(case.variant.filter(|variant| Some(*variant) != told).map(str::to_owned));
        notes.extend(case.limit.map(|limit| format!("limit {limit}")));
        let time = case.time(cell.clock).map(|time| Unit::Nanoseconds.show(time.median));
        let unfinished = case.unfinished(cell.clock);
        notes.extend(time.filter(|_| unfinished.is_none()));
        let mut track = Track {
            name: case.strategy,
            note: notes.join("; "),
            unfinished,
            colour: palette.look(case.strategy).colour,
            bound: case.limit.map(|limit| limit.get() as u64),
            bins: bins.to_vec(),
            span: 0,
        };
        track.span = track.end();
        Some(track)
    }

    pub(super) fn end(&self) -> u64 {
        self.bins.last().map_or(0, |bin| bin.start_ns.saturating_add(bin.width_ns))
    }

    /// All that its plot must have room for.
    pub(super) fn values(&self, of: Reading) -> Vec<u64> {
        self.bins.iter().map(|bin| of(bin)).chain(self.bound).chain([0]).collect()
    }
}

/// What is read of each row: its tracks are as many as there are rows.
pub(super) struct Column<'a> {
    pub(super) title: &'a str,
    pub(super) of: Reading,
    pub(super) tracks: Vec<Track<'a>>,
}

/// How high a grid of so many rows is.
pub(super) fn grid_height(rows: usize) -> i32 {
    HEADING + i32::try_from(rows).unwrap_or(i32::MAX / ROW) * ROW + 12
}

/// Draws rows and columns below each other's names. All plots of a column have one scale.
pub(super) fn draw_grid(canvas: &Canvas<'_>, top: i32, rows: &[Track<'_>], columns: &[Column<'_>]) {
    let first = MARGIN + NAMES;
    let width = (WIDTH - MARGIN - first) / i32::try_from(columns.len().max(1)).unwrap_or(i32::MAX);
    for (at, Column { title, of, tracks }) in (0..).zip(columns) {
        let left = first + at * width + TICKS;
        let right = first + (at + 1) * width - EDGE;
        let values: Vec<u64> = tracks.iter().flat_map(|track| track.values(*of)).collect();
        let up = |span| Scale::fit(Fit::Steps, Unit::Count, &values, span);
        canvas.heading((left - 6, top + 6), title, &up((1, 0)).describe());
        let mut y = top + HEADING;
        for track in tracks {
            draw_track(canvas, track, *of, (left, right), (y, y + PLOT), &up);
            y += ROW;
        }
        let middle = i32::midpoint(left, right);
        canvas.text((middle, y), Side::Centre, Face::LABEL, INK, "time since the start");
    }
    let mut y = top + HEADING;
    for track in rows {
        let name = Face::LABEL.fit(track.name, NAMES - 4);
        canvas.text((MARGIN, y + 8), Side::Right, Face::LABEL, INK, &name);
        let mut line_y = y + 24;
        for line in Face::SMALL.wrap(&track.note, NAMES - 4) {
            canvas.text((MARGIN, line_y), Side::Right, Face::SMALL, MUTED, &line);
            line_y += 14;
        }
        if let Some(how) = &track.unfinished {
            canvas.text((MARGIN, line_y), Side::Right, Face::SMALL, ALARM, how);
        }
        y += ROW;
    }
}

/// Which cells the tracks are of, in words.
pub(super) fn cells_in_words(variant: Option<&str>, tracks: &[Track<'_>]) -> String {
    let mut parts = Vec::new();
    parts.extend(variant.map(|variant| format!("variant {variant}")));
    let first = tracks.first().and_then(|track| track.bins.first());
    if let Some(bin) = first {
        parts.push(format!("seed {}", bin.seed));
        let run = if bin.clock == Clock::Wall { format!("run {}, ", bin.run) } else { String::new() };
        parts.push(format!("{run}{} clock", bin.clock));
    }
    parts.push("peaks of each stretch of time".to_owned());
    parts.push(axes_in_words(tracks));
    parts.join("; ")
}

/// Gives tracks of about the same length the same time axis.
pub(super) fn share_axes(tracks: &mut [Track<'_>]) {
    let mut ends: Vec<u64> = tracks.iter().map(|track| track.span).collect();
    ends.sort_unstable();
    let mut groups: Vec<(u64, u64)> = Vec::new();
    for end in ends {
        match groups.last_mut() {
            Some((shortest, longest)) if end <= shortest.saturating_mul(SAME_AXIS) => *longest = end,
            _ => groups.push((end, end)),
        }
    }
    for track in tracks {
        let end = track.span;
        let group = groups.iter().find(|(shortest, longest)| (*shortest..=*longest).contains(&end));
        track.span = group.map_or(end, |&(_, longest)| longest);
    }
}

/// Which tracks share a time axis, in words.
fn axes_in_words(tracks: &[Track<'_>]) -> String {
    let spans: Vec<u64> = tracks.iter().map(|track| track.span).collect();
    let shares = |span: &u64| spans.iter().filter(|other| *other == span).count() > 1;
    if spans.iter().all(|span| *span == spans[0]) {
        "all rows share one time axis".to_owned()
    } else if spans.iter().any(shares) {
        format!("rows within a factor of {SAME_AXIS} share a time axis")
    } else {
        "each row has its own time axis".to_owned()
    }
}

pub(super) fn draw_track(
    canvas: &Canvas<'_>,
    track: &Track<'_>,
    of: Reading,
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
        draw_steps(canvas, stretch, of, (&across, &up), (bottom, track.colour));
    }
    canvas.line(&[(left, top), (left, bottom), (right, bottom)], AXIS, 1);
    if let Some(bound) = track.bound {
        let y = up.at(bound);
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
    of: Reading,
    (across, up): (&Scale, &Scale),
    (bottom, colour): (i32, RGBColor),
) {
    let mut line: Vec<(i32, i32)> = Vec::new();
    for bin in bins {
        let y = up.at(of(bin));
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
