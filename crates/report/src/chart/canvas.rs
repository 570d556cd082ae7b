//! An SVG under construction, in whole pixels from the top left.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::palette::{INK, MUTED, Marker, PAPER};
use super::text::{Face, ascii};

/// The width of every chart: what a design document has room for.
pub(crate) const WIDTH: i32 = 800;

/// What plotters multiplies a font's size by on its way to SVG.
const FONT_SCALE: f64 = 1.24;

/// Where a text stands from its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// It begins there.
    Right,
    /// Its middle is there.
    Centre,
    /// It ends there.
    Left,
}

pub(crate) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

impl Canvas<'_> {
    /// The SVG of what `draw` draws.
    pub(crate) fn draw(height: i32, draw: impl FnOnce(&Canvas<'_>)) -> String {
        let mut svg = String::new();
        {
            let size = (WIDTH.unsigned_abs(), height.unsigned_abs());
            let canvas = Canvas { area: SVGBackend::with_string(&mut svg, size).into_drawing_area() };
            canvas.rect((0, 0), (WIDTH, height), PAPER);
            draw(&canvas);
            drawn(canvas.area.present());
        }
        svg
    }

    pub(crate) fn rect(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor) {
        if from.0 < to.0 && from.1 < to.1 {
            drawn(self.area.draw(&Rectangle::new([from, to], colour.filled())));
        }
    }

    /// A bar, or its outline alone.
    pub(crate) fn bar(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor, hollow: bool) {
        self.rect(from, to, colour);
        if hollow {
            self.rect((from.0 + 2, from.1 + 2), (to.0 - 2, to.1 - 2), PAPER);
        }
    }

    pub(crate) fn line(&self, points: &[(i32, i32)], colour: RGBColor, width: u32) {
        if points.len() > 1 {
            drawn(self.area.draw(&PathElement::new(points.to_vec(), colour.stroke_width(width))));
        }
    }

    pub(crate) fn area(&self, outline: &[(i32, i32)], colour: RGBColor) {
        if outline.len() > 2 {
            drawn(self.area.draw(&Polygon::new(outline.to_vec(), colour.filled())));
        }
    }

    /// A text whose middle line is at the point's height.
    pub(crate) fn text(&self, at: (i32, i32), side: Side, face: Face, colour: RGBColor, text: &str) {
        let weight = if face.bold { FontStyle::Bold } else { FontStyle::Normal };
        let anchor = match side {
            Side::Right => HPos::Left,
            Side::Centre => HPos::Center,
            Side::Left => HPos::Right,
        };
        let style = TextStyle::from(("sans-serif", f64::from(face.size) * FONT_SCALE, weight))
            .color(&colour)
            .pos(Pos::new(anchor, VPos::Center));
        drawn(self.area.draw_text(&ascii(text), &style, at));
    }

    /// A panel's title and, in lighter type, its unit and scale.
    pub(crate) fn heading(&self, at: (i32, i32), title: &str, unit: &str) {
        self.text(at, Side::Right, Face::HEADING, INK, title);
        if !unit.is_empty() {
            let beside = (at.0 + Face::HEADING.width(title) + 6, at.1);
            self.text(beside, Side::Right, Face::SMALL, MUTED, &format!("({unit})"));
        }
    }

    /// A point of a line; hollow where its run left work undone.
    pub(crate) fn marker(&self, at: (i32, i32), marker: Marker, colour: RGBColor, radius: i32, hollow: bool) {
        let (x, y) = at;
        let r = radius;
        let outline = match marker {
            Marker::Circle => {
                let size = r.unsigned_abs();
                drawn(self.area.draw(&Circle::new(at, size, if hollow { PAPER } else { colour }.filled())));
                if hollow {
                    drawn(self.area.draw(&Circle::new(at, size, colour.stroke_width(2))));
                }
                return;
            }
            Marker::Square => vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)],
            Marker::Diamond => vec![(x, y - r - 1), (x + r + 1, y), (x, y + r + 1), (x - r - 1, y)],
            Marker::Up => vec![(x, y - r - 1), (x + r + 1, y + r), (x - r - 1, y + r)],
            Marker::Left => vec![(x - r - 1, y), (x + r, y - r - 1), (x + r, y + r + 1)],
            Marker::Down => vec![(x, y + r + 1), (x + r + 1, y - r), (x - r - 1, y - r)],
        };
        self.outlined(outline, if hollow { PAPER } else { colour }, colour, 1);
    }

    /// The mark of a published value: it must be seen on a bar and beside it.
    pub(crate) fn published(&self, at: (i32, i32)) {
        let (x, y) = at;
        self.outlined(vec![(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)], PAPER, INK, 1);
    }

    /// A range, from its least to its most, to be seen on a bar and beside it.
    pub(crate) fn whisker(&self, from: (i32, i32), to: (i32, i32)) {
        for (colour, width) in [(PAPER, 3), (INK, 1)] {
            self.line(&[from, to], colour, width);
            for (x, y) in [from, to] {
                self.line(&[(x, y - 3), (x, y + 3)], colour, width);
            }
        }
    }

    /// The mark of a run that did not finish.
    pub(crate) fn unfinished(&self, at: (i32, i32), colour: RGBColor) {
        let (x, y) = at;
        self.line(&[(x - 4, y - 4), (x + 4, y + 4)], colour, 2);
        self.line(&[(x - 4, y + 4), (x + 4, y - 4)], colour, 2);
    }

    fn outlined(&self, mut outline: Vec<(i32, i32)>, fill: RGBColor, edge: RGBColor, width: u32) {
        self.area(&outline, fill);
        outline.extend_from_within(..1);
        self.line(&outline, edge, width);
    }
}

/// Drawing fails only where a file is written.
fn drawn<E: std::error::Error + Send + Sync>(result: Result<(), DrawingAreaErrorKind<E>>) {
    result.expect("an SVG in memory takes every element");
}
