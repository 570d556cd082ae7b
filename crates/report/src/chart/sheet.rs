//! What every chart has around it: title, subtitle, legend and caption.

use plotters::style::RGBColor;

use super::canvas::{Canvas, Side, WIDTH};
use super::palette::{INK, Look, MUTED};
use super::text::{Face, ascii};

/// The empty edge of a chart.
pub(crate) const MARGIN: i32 = 16;

/// The sign that a legend explains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sign {
    /// A bar.
    Bar(RGBColor),
    /// A bar of a run that left work undone.
    HollowBar,
    /// The thin bar below one.
    Under(RGBColor),
    /// A published value.
    Published,
    /// A bound across bars.
    Bound,
    /// A bound along lines.
    BoundLine,
    /// From the least to the most.
    Whisker,
    /// A strategy's line.
    Line(Look),
    /// A point that left work undone.
    Hollow,
    /// A run that did not finish.
    Unfinished,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Key {
    pub(crate) sign: Sign,
    pub(crate) text: String,
}

impl Key {
    pub(crate) fn new(sign: Sign, text: impl Into<String>) -> Self {
        Self { sign, text: text.into() }
    }
}

/// A chart but for its panels.
#[derive(Debug, Clone)]
pub(crate) struct Sheet<'a> {
    pub(crate) title: &'a str,
    pub(crate) subtitle: String,
    pub(crate) legend: Vec<Key>,
    pub(crate) caption: &'a str,
}

const SIGN_WIDTH: i32 = 24;
const ROOM: i32 = WIDTH - 2 * MARGIN;

impl Sheet<'_> {
    /// The SVG with panels of a height; `panels` is told where they begin.
    pub(crate) fn draw(&self, height: i32, panels: impl FnOnce(&Canvas<'_>, i32)) -> String {
        let title = Face::TITLE.wrap(&ascii(self.title), ROOM);
        let subtitle = Face::LABEL.wrap(&ascii(&self.subtitle), ROOM);
        let legend = self.legend_lines();
        let caption = Face::SMALL.wrap(&ascii(self.caption), ROOM);
        let head = 10 + 21 * count(&title) + 15 * count(&subtitle) + 19 * count(&legend) + 12;
        let foot = 10 + 14 * count(&caption) + 8;
        Canvas::draw(head + height + foot, |canvas| {
            let mut y = 10;
            for line in &title {
                canvas.text((MARGIN, y + 10), Side::Right, Face::TITLE, INK, line);
                y += 21;
            }
            for line in &subtitle {
                canvas.text((MARGIN, y + 7), Side::Right, Face::LABEL, MUTED, line);
                y += 15;
            }
            for line in &legend {
                let mut x = MARGIN;
                for key in line {
                    sign(canvas, (x, y + 11), key.sign);
                    canvas.text((x + SIGN_WIDTH, y + 11), Side::Right, Face::LABEL, INK, &key.text);
                    x += key_width(key);
                }
                y += 19;
            }
            panels(canvas, head);
            y = head + height + 10;
            for line in &caption {
                canvas.text((MARGIN, y + 7), Side::Right, Face::SMALL, MUTED, line);
                y += 14;
            }
        })
    }

    fn legend_lines(&self) -> Vec<Vec<&Key>> {
        let mut lines: Vec<Vec<&Key>> = Vec::new();
        let mut used = ROOM;
        for key in &self.legend {
            if used + key_width(key) > ROOM {
                lines.push(Vec::new());
                used = 0;
            }
            used += key_width(key);
            if let Some(line) = lines.last_mut() {
                line.push(key);
            }
        }
        lines
    }
}

fn key_width(key: &Key) -> i32 {
    SIGN_WIDTH + Face::LABEL.width(&ascii(&key.text)) + 16
}

fn sign(canvas: &Canvas<'_>, (x, y): (i32, i32), sign: Sign) {
    let middle = (x + 9, y);
    match sign {
        Sign::Bar(colour) => canvas.rect((x, y - 5), (x + 18, y + 5), colour),
        Sign::HollowBar => canvas.bar((x, y - 5), (x + 18, y + 5), MUTED, true),
        Sign::Under(colour) => canvas.rect((x, y - 2), (x + 18, y + 2), colour),
        Sign::Published => canvas.published(middle),
        Sign::Bound => canvas.line(&[(x + 9, y - 7), (x + 9, y + 7)], INK, 2),
        Sign::BoundLine => canvas.line(&[(x, y), (x + 18, y)], INK, 1),
        Sign::Whisker => canvas.whisker((x, y), (x + 18, y)),
        Sign::Line(look) => {
            canvas.line(&[(x, y), (x + 18, y)], look.colour, 2);
            canvas.marker(middle, look.marker, look.colour, 3, false);
        }
        Sign::Hollow => canvas.marker(middle, super::palette::Marker::Circle, MUTED, 3, true),
        Sign::Unfinished => canvas.unfinished(middle, MUTED),
    }
}

fn count<T>(lines: &[T]) -> i32 {
    i32::try_from(lines.len()).unwrap_or(i32::MAX)
}
