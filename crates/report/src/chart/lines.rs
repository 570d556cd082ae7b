//! A panel of lines over a logarithmic axis, one a strategy.

use fanout_record::Unit;

use super::canvas::{Canvas, Side};
use super::palette::{AXIS, GRID, INK, Look, MUTED};
use super::scales::{Fit, Scale};
use super::text::Face;
use crate::case::Spread;

/// The room for tick labels left of a panel.
pub(crate) const TICKS: i32 = 44;
const HEADING: i32 = 26;
const AXIS_HEIGHT: i32 = 22;
/// A line with more points than this has smaller ones.
const CROWDED: usize = 16;
/// However many lines lie upon one, it becomes no wider than for these.
const MOST_UPON: i32 = 2;
/// The height of a row of marks for runs that did not finish.
const UNFINISHED: i32 = 12;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: u64,
    pub(crate) y: Spread,
    /// Some of the work was left undone: not the same work as its neighbours did.
    pub(crate) hollow: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Course {
    /// Through points.
    Through(Vec<Point>),
    /// The same at every x: a strategy that takes no limit.
    Level(Point),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line {
    pub(crate) look: Look,
    pub(crate) course: Course,
    /// Where its run did not finish.
    pub(crate) unfinished: Vec<u64>,
}

impl Line {
    fn points(&self) -> &[Point] {
        match &self.course {
            Course::Through(points) => points,
            Course::Level(point) => std::slice::from_ref(point),
        }
    }

    /// Where its points stand; a level line's alone stands at the axis.
    fn places(&self, across: &Scale, up: &Scale) -> Vec<(i32, i32)> {
        let across = |x| if matches!(self.course, Course::Level(_)) { 0 } else { across.at(x) };
        self.points().iter().map(|point| (across(point.x), up.at(point.y.median))).collect()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) unit: Unit,
    pub(crate) lines: Vec<Line>,
    /// What no line can pass, by x.
    pub(crate) bound: Vec<(u64, u64)>,
}

/// Where a panel stands: its plot's left and right edge, the top of its heading, and its whole height.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) left: i32,
    pub(crate) right: i32,
    pub(crate) top: i32,
    pub(crate) height: i32,
}

impl Panel {
    /// Draws it with a scale over the values of all panels that a reader compares with this one.
    pub(crate) fn draw(&self, canvas: &Canvas<'_>, across: &Scale, compared: &[u64], place: Place) {
        let Place { left, right, .. } = place;
        let (top, bottom) = (place.top + HEADING, place.top + place.height - AXIS_HEIGHT);
        let rows = self.lines.iter().filter(|line| !line.unfinished.is_empty()).count();
        let strip = i32::try_from(rows).map_or(0, |rows| if rows > 0 { rows * UNFINISHED + 6 } else { 0 });
        let up = Scale::fit(Fit::Lines, self.unit, compared, (bottom, top + strip));
        canvas.heading((left - TICKS + 4, place.top + 10), &self.title, &up.describe());
        if self.values().is_empty() && rows == 0 {
            let middle = (i32::midpoint(left, right), i32::midpoint(top, bottom));
            canvas.text(middle, Side::Centre, Face::LABEL, MUTED, "not measured");
        } else {
            draw_grid(canvas, across, &up, (left, right), (top, bottom));
        }
        canvas.line(&[(left, top), (left, bottom), (right, bottom)], AXIS, 1);
        let bound: Vec<(i32, i32)> = self.bound.iter().map(|&(x, y)| (across.at(x), up.at(y))).collect();
        match bound.as_slice() {
            [(_, y)] => canvas.line(&[(left, *y), (right, *y)], INK, 1),
            points => canvas.line(points, INK, 1),
        }
        // Lines that lie upon each other are all seen: those below are the wider ones.
        let courses: Vec<Vec<(i32, i32)>> = self.lines.iter().map(|line| line.places(across, &up)).collect();
        for (at, line) in self.lines.iter().enumerate() {
            let upon = courses[at + 1..].iter().filter(|above| lies_under(&courses[at], above)).count();
            let wider = i32::try_from(upon).unwrap_or(0).min(MOST_UPON) * 2;
            draw_line(canvas, line, &courses[at], &up, (left, right), wider);
        }
        let mut y = top + UNFINISHED / 2;
        for line in self.lines.iter().filter(|line| !line.unfinished.is_empty()) {
            for &x in &line.unfinished {
                canvas.unfinished((across.at(x), y), line.look.colour);
            }
            y += UNFINISHED;
        }
    }

    /// All that must be seen on its axis.
    pub(crate) fn values(&self) -> Vec<u64> {
        let points = self.lines.iter().flat_map(Line::points);
        points
            .flat_map(|point| [point.y.least, point.y.most])
            .chain(self.bound.iter().map(|&(_, y)| y))
            .collect()
    }
}

fn draw_grid(
    canvas: &Canvas<'_>,
    across: &Scale,
    up: &Scale,
    (left, right): (i32, i32),
    (top, bottom): (i32, i32),
) {
    for tick in up.ticks_up() {
        canvas.line(&[(left, tick.at), (right, tick.at)], GRID, 1);
        canvas.text((left - 6, tick.at), Side::Left, Face::SMALL, MUTED, &tick.label);
    }
    for tick in across.ticks_across() {
        canvas.line(&[(tick.at, top), (tick.at, bottom)], GRID, 1);
        canvas.line(&[(tick.at, bottom), (tick.at, bottom + 4)], AXIS, 1);
        canvas.text((tick.at, bottom + 12), Side::Centre, Face::SMALL, MUTED, &tick.label);
    }
}

/// Whether most of a line is under another, as far as an eye can tell.
fn lies_under(one: &[(i32, i32)], other: &[(i32, i32)]) -> bool {
    let hidden = one.iter().filter(|a| other.iter().any(|b| a.0 == b.0 && (a.1 - b.1).abs() <= 1)).count();
    hidden > 0 && 2 * hidden >= one.len()
}

fn draw_line(
    canvas: &Canvas<'_>,
    line: &Line,
    places: &[(i32, i32)],
    up: &Scale,
    (left, right): (i32, i32),
    wider: i32,
) {
    let Look { colour, marker } = line.look;
    let width = 2 + wider.unsigned_abs();
    let radius = if places.len() > CROWDED { 1 } else { 2 } + wider / 2;
    match &line.course {
        Course::Level(point) => {
            let y = up.at(point.y.median);
            canvas.line(&[(left, y), (right, y)], colour, width);
            canvas.marker((right - 6, y), marker, colour, radius + 1, point.hollow);
        }
        Course::Through(points) => {
            // A line does not lead across a run that did not finish.
            let breaks = |from: u64, to: u64| line.unfinished.iter().any(|&x| from < x && x < to);
            for at in 1..points.len() {
                if !breaks(points[at - 1].x, points[at].x) {
                    canvas.line(&places[at - 1..=at], colour, width);
                }
            }
            for (point, &place) in points.iter().zip(places) {
                if point.y.least < point.y.most {
                    canvas.line(
                        &[(place.0, up.at(point.y.least)), (place.0, up.at(point.y.most))],
                        colour,
                        1,
                    );
                }
                canvas.marker(place, marker, colour, radius + 1, point.hollow);
            }
        }
    }
}
