//! Where a value stands on an axis, and the axis's ticks.

use fanout_record::Unit;

use super::text::Face;

/// From this ratio of the largest to the smallest value on, an axis is logarithmic.
const LOG_FROM: f64 = 20.0;

/// More ticks than these tell a reader nothing more.
const MOST_TICKS: usize = 6;

/// How an axis is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// For bars, which grow from zero: logarithmic where the range asks for it.
    Bars,
    /// For steps, which may rest at zero: logarithmic where the range asks for it.
    Steps,
    /// For a power law: always logarithmic.
    Lines,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Linear,
    Log,
}

/// An axis: from values in a metric's unit to pixels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    shape: Shape,
    low: f64,
    high: f64,
    /// The pixel of `low` and that of `high`.
    pixels: (i32, i32),
    /// Where zero stands on a logarithmic axis, below its lowest value.
    zero: i32,
    has_zero: bool,
    factor: f64,
    unit: &'static str,
}

/// A labelled place on an axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tick {
    pub(crate) at: i32,
    pub(crate) label: String,
}

impl Scale {
    /// The axis that shows all values within the pixels `from` to `to`; `from` may be the larger, as on a y
    /// axis.
    pub(crate) fn fit(fit: Fit, unit: Unit, values: &[u64], (from, to): (i32, i32)) -> Self {
        let high = values.iter().copied().max().unwrap_or(0) as f64;
        let low = values.iter().copied().filter(|&value| value > 0).min().unwrap_or(0) as f64;
        let (factor, name) = axis_unit(unit, high);
        let log = low > 0.0 && (fit == Fit::Lines || high / low > LOG_FROM);
        if !log {
            let room = if fit == Fit::Bars { 1.04 } else { 1.15 };
            let high = if high > 0.0 { high * room } else { factor };
            let shape = Shape::Linear;
            return Self {
                shape,
                low: 0.0,
                high,
                pixels: (from, to),
                zero: from,
                has_zero: true,
                factor,
                unit: name,
            };
        }
        let has_zero = fit != Fit::Bars && values.contains(&0);
        // A bar of the smallest value must still be seen, and a line must not run along the frame.
        let (below, above) = match fit {
            Fit::Bars => (0.5, 1.1),
            Fit::Steps => (0.8, 1.15),
            Fit::Lines => (0.75, 1.35),
        };
        let band = if has_zero { 13 * (to - from).signum() } else { 0 };
        Self {
            shape: Shape::Log,
            low: low * below,
            high: high * above,
            pixels: (from + band, to),
            zero: from,
            has_zero,
            factor,
            unit: name,
        }
    }

    /// The pixel of a value; one outside the axis stands at its edge.
    pub(crate) fn at(&self, value: u64) -> i32 {
        self.place(value as f64)
    }

    fn place(&self, value: f64) -> i32 {
        let share = match self.shape {
            Shape::Linear => (value - self.low) / (self.high - self.low),
            Shape::Log if value <= 0.0 => return self.zero,
            Shape::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let (from, to) = (f64::from(self.pixels.0), f64::from(self.pixels.1));
        (from + (to - from) * share.clamp(0.0, 1.0)).round() as i32
    }

    /// The unit of the ticks and the shape, for the axis's title: `s, log scale`; empty for a plain count.
    pub(crate) fn describe(&self) -> String {
        let shape = if self.shape == Shape::Log { "log scale" } else { "" };
        let parts: Vec<&str> = [self.unit, shape].into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// The unit of the ticks alone; empty for a count.
    pub(crate) fn unit(&self) -> &'static str {
        self.unit
    }

    /// The ticks of a horizontal axis: as many as stand beside each other.
    pub(crate) fn ticks_across(&self) -> Vec<Tick> {
        self.ticks(|label| Face::SMALL.width(label) + 12)
    }

    /// The ticks of a vertical axis.
    pub(crate) fn ticks_up(&self) -> Vec<Tick> {
        self.ticks(|_| 14)
    }

    fn ticks(&self, room: impl Fn(&str) -> i32) -> Vec<Tick> {
        let candidates: Vec<Vec<f64>> = match self.shape {
            Shape::Linear => [0.1, 0.2, 0.5, 1.0].iter().map(|&part| self.linear(part)).collect(),
            Shape::Log => {
                let sets: [(&[f64], i32); 6] = [
                    (&[1.0, 2.0, 5.0], 1),
                    (&[1.0, 3.0], 1),
                    (&[1.0], 1),
                    (&[1.0], 2),
                    (&[1.0], 3),
                    (&[1.0], 4),
                ];
                sets.iter().map(|(steps, every)| self.decades(steps, *every)).collect()
            }
        };
        let mut fewest = Vec::new();
        for values in candidates {
            let ticks: Vec<Tick> = values
                .iter()
                .map(|&value| Tick { at: self.place(value), label: plain(value / self.factor) })
                .collect();
            let apart = ticks.windows(2).all(|pair| {
                (pair[1].at - pair[0].at).abs() >= (room(&pair[0].label) + room(&pair[1].label)) / 2
            });
            if apart && ticks.len() <= MOST_TICKS {
                return ticks;
            }
            fewest = ticks;
        }
        fewest.truncate(1);
        fewest
    }

    /// Multiples of a round step of which about `1 / part` fill the axis.
    fn linear(&self, part: f64) -> Vec<f64> {
        let step = round_step(self.high / self.factor * part);
        let whole =
            if self.unit.is_empty() || self.factor == 1.0 { step.max(1.0) } else { step } * self.factor;
        let count = (self.high / whole).floor() as u32;
        (0..=count).map(|n| f64::from(n) * whole).collect()
    }

    fn decades(&self, steps: &[f64], every: i32) -> Vec<f64> {
        let first = (self.low / self.factor).log10().floor() as i32;
        let last = (self.high / self.factor).log10().ceil() as i32;
        let zero = self.has_zero.then_some(0.0);
        let powers = (first..=last).filter(|power| power.rem_euclid(every) == 0);
        let values =
            powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power) * self.factor));
        // There is no part of a thing, a nanosecond or a byte.
        zero.into_iter()
            .chain(values.filter(|&value| value >= self.low && value <= self.high && value >= 0.999))
            .collect()
    }
}

/// The unit in which an axis up to `high` is labelled.
fn axis_unit(unit: Unit, high: f64) -> (f64, &'static str) {
    let units: &[(f64, &str)] = match unit {
        Unit::Count => &[(1.0, "")],
        Unit::Nanoseconds => &[(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")],
        Unit::Bytes => &[(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")],
    };
    *units.iter().rev().find(|(factor, _)| high >= *factor).unwrap_or(&units[0])
}

/// The next of 1, 2, 2.5, 5 times a power of ten.
fn round_step(at_least: f64) -> f64 {
    let power = 10f64.powf(at_least.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|step| *step >= at_least * 0.999).unwrap_or(10.0 * power)
}

/// A tick's number with no more digits than it needs.
fn plain(value: f64) -> String {
    if value >= 1.0 && (value - value.round()).abs() < 1e-6 * value {
        return Unit::Count.show(value.round() as u64);
    }
    let digits = format!("{value:.6}");
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn a_wide_range_is_logarithmic_and_a_narrow_one_is_not() {
        let time = Scale::fit(Fit::Bars, Unit::Nanoseconds, &[60_000_000, 39_060_000_000], (0, 200));
        assert_eq!(time.describe(), "s, log scale");
        assert_eq!(labels(&time.ticks_across()), ["0.1", "1", "10"]);
        let even = Scale::fit(Fit::Bars, Unit::Nanoseconds, &[1_970_000_000, 2_130_000_000], (0, 200));
        assert_eq!((even.describe().as_str(), even.at(0)), ("s", 0));
        assert_eq!(labels(&even.ticks_across()), ["0", "0.5", "1", "1.5", "2"]);
    }

    #[test]
    fn values_keep_their_proportions() {
        let linear = Scale::fit(Fit::Bars, Unit::Count, &[50, 100], (0, 104));
        assert_eq!((linear.at(0), linear.at(50), linear.at(100)), (0, 50, 100));
        let log = Scale::fit(Fit::Lines, Unit::Count, &[1, 10, 100], (300, 0));
        assert_eq!(log.at(1) - log.at(10), log.at(10) - log.at(100));
        assert!(log.at(1) < 300 && log.at(100) > 0, "no value stands on the frame");
    }

    #[test]
    fn zero_has_a_place_of_its_own_below_a_logarithmic_axis() {
        let scale = Scale::fit(Fit::Steps, Unit::Count, &[0, 1, 3_000], (100, 0));
        assert_eq!(scale.at(0), 100);
        assert!(scale.at(1) < 95);
        assert_eq!(labels(&scale.ticks_up())[0], "0");
        let bars = Scale::fit(Fit::Bars, Unit::Count, &[0, 1, 3_000], (0, 100));
        assert_eq!(labels(&bars.ticks_across())[0], "1");
    }

    #[test]
    fn bytes_tick_in_their_own_unit() {
        let scale = Scale::fit(Fit::Bars, Unit::Bytes, &[3_000, 5 << 20], (0, 240));
        assert_eq!(scale.describe(), "MiB, log scale");
        assert_eq!(labels(&scale.ticks_across()), ["0.01", "0.1", "1"]);
    }

    #[test]
    fn ticks_never_touch_and_never_part_a_thing() {
        let small = Scale::fit(Fit::Bars, Unit::Count, &[1, 2], (0, 200));
        assert_eq!(labels(&small.ticks_across()), ["0", "1", "2"]);
        let narrow = Scale::fit(Fit::Lines, Unit::Count, &[1, 1_000_000], (0, 120));
        let ticks = narrow.ticks_across();
        assert_eq!(labels(&ticks), ["1", "1,000", "1,000,000"]);
    }

    #[test]
    fn nothing_to_show_is_no_error() {
        let scale = Scale::fit(Fit::Lines, Unit::Nanoseconds, &[], (0, 100));
        assert_eq!(scale.at(0), 0);
        assert_eq!(labels(&scale.ticks_across()), ["0", "1"]);
    }
}
