//! What a comparison came to: a ratio with its interval a line, the worst first.

use super::canvas::{Canvas, Side, WIDTH};
use super::palette::{ALARM, AXIS, GRID, INK, MUTED, Marker};
use super::sheet::{MARGIN, Sheet};
use super::text::{Face, ascii};

/// One ratio of head to base.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioLine {
    /// What it is of.
    pub name: String,
    /// The head's value over the base's.
    pub ratio: f64,
    /// The interval that it lies in; the ratio itself where it is exact.
    pub interval: (f64, f64),
    /// Whether it counts as worse.
    pub worse: bool,
}

const NAMES: i32 = 430;
const PITCH: i32 = 17;
const VALUES: i32 = 56;
/// More lines than this nobody reads, and the worst come first.
const MOST_LINES: usize = 60;
/// A ratio beyond this stands at the edge, with its number beside it.
const FARTHEST: f64 = 8.0;

/// The chart's SVG. Pure: the same lines give the same bytes.
#[must_use]
pub fn ratios_svg(title: &str, caption: &str, lines: &[RatioLine]) -> String {
    let shown = &lines[..lines.len().min(MOST_LINES)];
    let mut subtitle = "head over base, with its interval, on a scale of ratios; the worst first".to_owned();
    if shown.len() < lines.len() {
        subtitle += &format!("; the first {} of {}", shown.len(), lines.len());
    }
    let sheet = Sheet { title, subtitle, legend: Vec::new(), caption };
    let height = i32::try_from(shown.len()).unwrap_or(0) * PITCH;
    let reach = reach(shown);
    sheet.draw(height + 26, |canvas, top| {
        let (left, right) = (MARGIN + NAMES, WIDTH - MARGIN - VALUES);
        let across = |ratio: f64| place(ratio, reach, (left, right));
        for tick in ticks(reach) {
            let x = across(tick);
            let colour = if (tick - 1.0).abs() < f64::EPSILON { AXIS } else { GRID };
            canvas.line(&[(x, top), (x, top + height)], colour, 1);
            let label = format!("{tick:.2}");
            canvas.text((x, top + height + 12), Side::Centre, Face::SMALL, MUTED, &label);
        }
        let mut y = top + PITCH / 2;
        for line in shown {
            draw(canvas, line, y, &across);
            y += PITCH;
        }
    })
}

fn draw(canvas: &Canvas<'_>, line: &RatioLine, y: i32, across: &dyn Fn(f64) -> i32) {
    let colour = if line.worse { ALARM } else { INK };
    let name = Face::SMALL.fit(&ascii(&line.name), NAMES - 10);
    canvas.text((MARGIN, y), Side::Right, Face::SMALL, colour, &name);
    let (low, high) = line.interval;
    canvas.line(&[(across(low), y), (across(high), y)], colour, 1);
    canvas.marker((across(line.ratio), y), Marker::Circle, colour, 3, false);
    let value = format!("{:.3}", line.ratio);
    canvas.text((WIDTH - MARGIN, y), Side::Left, Face::SMALL, colour, &value);
}

/// How far the scale goes from 1 to either side, as a factor.
fn reach(lines: &[RatioLine]) -> f64 {
    let ends = lines.iter().flat_map(|line| [line.ratio, line.interval.0, line.interval.1]);
    let factors = ends.filter(|end| *end > 0.0).map(|end| end.max(1.0 / end));
    factors.fold(1.05, f64::max).min(FARTHEST)
}

fn ticks(reach: f64) -> [f64; 5] {
    let half = reach.sqrt();
    [1.0 / reach, 1.0 / half, 1.0, half, reach]
}

/// Where a ratio stands on a scale on which twice as much is as far from 1 as half as much.
fn place(ratio: f64, reach: f64, (left, right): (i32, i32)) -> i32 {
    let share = (ratio.clamp(1.0 / reach, reach).ln() / reach.ln() + 1.0) / 2.0;
    left + (f64::from(right - left) * share).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_as_much_is_as_far_as_half_as_much() {
        let at = |ratio| place(ratio, 4.0, (0, 100));
        assert_eq!([0.25, 0.5, 1.0, 2.0, 4.0].map(at), [0, 25, 50, 75, 100]);
        assert_eq!([0.0, 9.0].map(at), [0, 100]);
    }
}
