//! A panel of horizontal bars, one a strategy, with its values in a column at the right.

use fanout_record::Unit;
use plotters::style::RGBColor;

use super::canvas::{Canvas, Side};
use super::palette::{ALARM, AXIS, GRID, INK, MUTED, PAPER, tint};
use super::scales::{Fit, Scale};
use super::text::{Face, ascii};
use crate::case::Spread;

/// The room for values at the right.
const VALUES: i32 = 82;
const HEADING: i32 = 26;
const AXIS_HEIGHT: i32 = 26;
const GROUP_HEADING: i32 = 20;
const GROUP_GAP: i32 = 8;

/// What a bar shows.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Measured(Spread),
    Absent,
    /// How the run ended, in place of a value that it did not reach.
    Unfinished(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) colour: RGBColor,
    pub(crate) value: Value,
    /// Some of the work was left undone: not the same work as its neighbours did.
    pub(crate) hollow: bool,
    /// The same on the other clock, as a thin bar below.
    pub(crate) under: Option<Spread>,
    /// What it can at best, or at most, be.
    pub(crate) bound: Option<u64>,
    pub(crate) published: Option<u64>,
}

/// The rows that all panels of a sheet share: a name each, in groups.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    /// A heading, where there is more than one group, and the rows' names.
    pub(crate) groups: Vec<(Option<String>, Vec<String>)>,
    /// The height of a row.
    pub(crate) pitch: i32,
}

impl Rows {
    /// The height of a panel with these rows.
    pub(crate) fn height(&self) -> i32 {
        HEADING + self.plot_height() + AXIS_HEIGHT
    }

    fn plot_height(&self) -> i32 {
        let (places, end) = self.places();
        debug_assert_eq!(places.len(), self.groups.iter().map(|(_, names)| names.len()).sum::<usize>());
        end
    }

    /// The middle of each row, from the top of the plot, and where the plot ends.
    fn places(&self) -> (Vec<i32>, i32) {
        let mut places = Vec::new();
        let mut y = 4;
        for (at, (heading, names)) in self.groups.iter().enumerate() {
            if at > 0 {
                y += GROUP_GAP;
            }
            if heading.is_some() {
                y += GROUP_HEADING;
            }
            for _ in names {
                places.push(y + self.pitch / 2);
                y += self.pitch;
            }
        }
        (places, y + 4)
    }

    /// Whether a thin bar has room below each bar.
    fn has_under(&self) -> bool {
        self.pitch > 20
    }

    /// How far the middle of a bar is below that of its row.
    fn lift(&self) -> i32 {
        if self.has_under() { -2 } else { 0 }
    }

    /// How wide the names and headings are.
    pub(crate) fn width(&self) -> i32 {
        let names = self.groups.iter().flat_map(|(_, names)| names);
        let names = names.map(|name| Face::LABEL.width(&ascii(name)));
        let headings = self.groups.iter().filter_map(|(heading, _)| heading.as_ref());
        let headings = headings.map(|heading| Face::HEADING.width(&ascii(heading)));
        names.chain(headings).max().unwrap_or(0)
    }

    /// The names, to end at `right` beside a panel whose top is `top`.
    pub(crate) fn draw_names(&self, canvas: &Canvas<'_>, (left, right): (i32, i32), top: i32) {
        let (places, _) = self.places();
        let mut places = places.iter().map(|place| top + HEADING + place);
        for (heading, names) in &self.groups {
            let mut first = true;
            for (name, y) in names.iter().zip(places.by_ref()) {
                if let (true, Some(heading)) = (first, heading) {
                    let heading = Face::HEADING.fit(heading, right - left);
                    let y = y - self.pitch / 2 - GROUP_HEADING / 2 + 1;
                    canvas.text((left, y), Side::Right, Face::HEADING, INK, &heading);
                }
                first = false;
                let name = Face::LABEL.fit(name, right - left);
                canvas.text((right, y + self.lift()), Side::Left, Face::LABEL, INK, &name);
            }
        }
    }
}

/// One metric of all rows.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) unit: Unit,
    /// A bar a row, in the rows' order; none where a strategy did not run.
    pub(crate) bars: Vec<Bar>,
}

impl Panel {
    /// Draws it with its left edge, where bars begin, and its right one.
    pub(crate) fn draw(&self, canvas: &Canvas<'_>, rows: &Rows, (left, right): (i32, i32), top: i32) {
        let scale = Scale::fit(Fit::Bars, self.unit, &self.values(), (left, right - VALUES));
        let (places, height) = rows.places();
        let (plot_top, plot_bottom) = (top + HEADING, top + HEADING + height);
        canvas.heading((left, top + 10), &self.title, &scale.describe());
        for tick in scale.ticks_across() {
            if tick.at > left {
                canvas.line(&[(tick.at, plot_top), (tick.at, plot_bottom)], GRID, 1);
            }
            canvas.line(&[(tick.at, plot_bottom), (tick.at, plot_bottom + 4)], AXIS, 1);
            canvas.text((tick.at, plot_bottom + 12), Side::Centre, Face::SMALL, MUTED, &tick.label);
        }
        canvas.line(&[(left, plot_bottom), (right - VALUES, plot_bottom)], AXIS, 1);
        canvas.line(&[(left, plot_top), (left, plot_bottom)], AXIS, 1);
        for (bar, place) in self.bars.iter().zip(places) {
            self.draw_bar(canvas, &scale, bar, rows, (left, right, plot_top + place));
        }
    }

    fn draw_bar(
        &self,
        canvas: &Canvas<'_>,
        scale: &Scale,
        bar: &Bar,
        rows: &Rows,
        (left, right, y): (i32, i32, i32),
    ) {
        let middle = y + rows.lift();
        let half = if rows.has_under() { 5 } else { 6 };
        let (top, bottom) = (middle - half, middle + half);
        let end = |value: u64| scale.at(value).max(left + 1);
        if let Some(other) = bar.under.filter(|other| other.median > 0) {
            canvas.rect((left, bottom + 1), (end(other.median), bottom + 5), tint(bar.colour, 0.55));
            let at = bottom + 3;
            if other.least < other.most {
                canvas.line(&[(scale.at(other.least), at), (scale.at(other.most), at)], INK, 1);
            }
        }
        let (text, colour) = match &bar.value {
            Value::Measured(spread) => {
                if spread.median > 0 {
                    canvas.bar((left, top), (end(spread.median), bottom), bar.colour, bar.hollow);
                }
                (self.unit.show(spread.median), INK)
            }
            Value::Absent => ("not measured".to_owned(), MUTED),
            Value::Unfinished(how) => (how.clone(), ALARM),
        };
        if let Some(bound) = bar.bound.filter(|&bound| bound > 0) {
            let x = scale.at(bound);
            canvas.line(&[(x, y - rows.pitch / 2), (x, y + rows.pitch - rows.pitch / 2)], INK, 2);
        }
        match &bar.value {
            Value::Measured(spread) if spread.least < spread.most => {
                canvas.whisker((scale.at(spread.least), middle), (scale.at(spread.most), middle));
            }
            _ => {}
        }
        if let Some(published) = bar.published {
            canvas.published((scale.at(published), middle));
        }
        let width = Face::LABEL.width(&text);
        if width > VALUES - 6 {
            canvas.rect((right - width - 3, middle - 7), (right, middle + 7), PAPER);
        }
        canvas.text((right, middle), Side::Left, Face::LABEL, colour, &text);
    }

    /// All that must be seen on the axis.
    fn values(&self) -> Vec<u64> {
        let mut values = Vec::new();
        for bar in &self.bars {
            if let Value::Measured(spread) = &bar.value {
                values.extend([spread.least, spread.median, spread.most]);
            }
            if let Some(under) = bar.under {
                values.extend([under.least, under.median, under.most]);
            }
            values.extend(bar.bound);
            values.extend(bar.published);
        }
        values
    }
}
