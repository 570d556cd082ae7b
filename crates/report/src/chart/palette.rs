//! A colour and a marker for each strategy, the same in every chart.

use plotters::style::RGBColor;

/// Text, axes, bounds.
pub(crate) const INK: RGBColor = RGBColor(34, 34, 34);
/// What is said in passing: captions, "not measured".
pub(crate) const MUTED: RGBColor = RGBColor(95, 95, 95);
/// Grid lines.
pub(crate) const GRID: RGBColor = RGBColor(226, 226, 226);
/// Axes.
pub(crate) const AXIS: RGBColor = RGBColor(150, 150, 150);
/// The paper.
pub(crate) const PAPER: RGBColor = RGBColor(255, 255, 255);
/// The word for a run that did not finish.
pub(crate) const ALARM: RGBColor = RGBColor(160, 20, 20);

/// The shape of a point on a line, so that colour is never the only difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    Diamond,
    Up,
    Down,
    Left,
}

/// How a strategy looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: RGBColor,
    pub(crate) marker: Marker,
}

/// The first six are Okabe and Ito's colours, which people with any of the common colour blindnesses tell apart; their
/// yellow and black left out, since one cannot be seen on white and the other is the ink.
const KNOWN: [(&[&str], Look); 13] = [
    (&["sequential-stack"], look(119, 119, 119, Marker::Square)),
    // One crate in two forms, and no scenario has both for one workload.
    (&["unbounded-join-all", "unbounded-spawn"], look(213, 94, 0, Marker::Up)),
    (&["semaphore-across-recursion"], look(204, 121, 167, Marker::Left)),
    (&["semaphore-around-fetch"], look(230, 159, 0, Marker::Down)),
    // Nor has one the workers in both of their forms.
    (&["queue-workers", "pipeline"], look(0, 114, 178, Marker::Circle)),
    (&["slot-before-spawn"], look(0, 158, 115, Marker::Diamond)),
    // The known bugs: one that walks trees, one that consumes streams and one of batches never meet.
    (
        &["pitfall-unhandled-errors", "pitfall-manual-release", "pitfall-careless-join"],
        look(178, 24, 43, Marker::Up),
    ),
    (
        &["pitfall-bounded-frontier", "pitfall-abandoned-timeout", "pitfall-detached-timeout"],
        look(118, 42, 131, Marker::Down),
    ),
    (
        &["pitfall-slow-consumer", "pitfall-unreaped-join-set", "pitfall-swallowed-cancellation"],
        look(197, 27, 125, Marker::Left),
    ),
    (&["pitfall-idle-receiver", "pitfall-block-on-worker"], look(69, 90, 100, Marker::Square)),
    (&["pitfall-pool-awaits-pool"], look(120, 94, 60, Marker::Circle)),
    (&["structured-group"], look(0, 92, 49, Marker::Circle)),
    (&["token-group"], look(110, 150, 20, Marker::Diamond)),
];

/// For strategies of a user's own: Paul Tol's, as far as they differ from those above.
const OTHERS: [Look; 6] = [
    look(86, 180, 233, Marker::Square),
    look(136, 34, 85, Marker::Up),
    look(51, 34, 136, Marker::Diamond),
    look(153, 153, 51, Marker::Circle),
    look(68, 170, 153, Marker::Down),
    look(110, 70, 30, Marker::Left),
];

const fn look(red: u8, green: u8, blue: u8, marker: Marker) -> Look {
    Look { colour: RGBColor(red, green, blue), marker }
}

/// Which strategy looks how.
#[derive(Debug, Clone, Default)]
pub(crate) struct Palette {
    /// The unknown strategies, in order of their names, and their places among [`OTHERS`].
    others: Vec<(String, usize)>,
}

impl Palette {
    /// The palette of a report over these strategies. A strategy of ours always looks the same; another takes
    /// its look by its name, and the next free one where two names would meet.
    pub(crate) fn of<'a>(strategies: impl IntoIterator<Item = &'a str>) -> Self {
        let mut names: Vec<&str> = strategies.into_iter().filter(|name| known(name).is_none()).collect();
        names.sort_unstable();
        names.dedup();
        let mut others: Vec<(String, usize)> = Vec::with_capacity(names.len());
        for name in names {
            let first = by_name(name);
            let free = (first..first + OTHERS.len())
                .map(|at| at % OTHERS.len())
                .find(|at| others.iter().all(|(_, taken)| taken != at));
            others.push((name.to_owned(), free.unwrap_or(first)));
        }
        Self { others }
    }

    pub(crate) fn look(&self, strategy: &str) -> Look {
        known(strategy).unwrap_or_else(|| {
            let chosen = self.others.iter().find(|(name, _)| name == strategy);
            OTHERS[chosen.map_or_else(|| by_name(strategy), |&(_, at)| at)]
        })
    }
}

fn known(strategy: &str) -> Option<Look> {
    KNOWN.iter().find(|(names, _)| names.contains(&strategy)).map(|&(_, look)| look)
}

/// A place that depends on nothing but the name.
fn by_name(name: &str) -> usize {
    name.bytes().fold(7, |sum: usize, byte| (sum * 31 + usize::from(byte)) % 6_007) % OTHERS.len()
}

/// The colour mixed with white: `share` of it is left.
pub(crate) fn tint(colour: RGBColor, share: f64) -> RGBColor {
    let mix = |part: u8| (255.0 - (255.0 - f64::from(part)) * share).round() as u8;
    RGBColor(mix(colour.0), mix(colour.1), mix(colour.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strategy_of_ours_looks_the_same_in_any_company() {
        let alone = Palette::default().look("queue-workers");
        let among = Palette::of(["mine", "queue-workers", "yours"]).look("queue-workers");
        assert_eq!(alone, among);
    }

    #[test]
    fn strategies_of_a_user_differ_among_one_another_and_from_ours() {
        let names = ["a", "b", "c", "d", "e", "f"];
        let palette = Palette::of(names);
        let mut looks: Vec<(u8, u8, u8)> =
            names.iter().map(|name| palette.look(name).colour).map(|c| (c.0, c.1, c.2)).collect();
        looks.extend(KNOWN.iter().map(|(_, look)| (look.colour.0, look.colour.1, look.colour.2)));
        looks.sort_unstable();
        looks.dedup();
        assert_eq!(looks.len(), OTHERS.len() + KNOWN.len());
        assert_eq!(Palette::of(["a"]).look("a"), Palette::default().look("a"));
    }

    #[test]
    fn more_strategies_than_looks_still_have_one() {
        let names: Vec<String> = (0..20).map(|n| format!("mine-{n}")).collect();
        let palette = Palette::of(names.iter().map(String::as_str));
        assert_eq!(palette.look("mine-19"), palette.look("mine-19"));
    }

    #[test]
    fn tints_go_towards_white() {
        assert_eq!(tint(RGBColor(0, 114, 178), 0.0), RGBColor(255, 255, 255));
        assert_eq!(tint(RGBColor(0, 114, 178), 1.0), RGBColor(0, 114, 178));
    }
}
