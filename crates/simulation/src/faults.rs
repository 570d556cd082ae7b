use std::num::NonZeroU32;

use rand::RngExt;
use thiserror::Error;

use crate::draw::{Purpose, generator};

/// What a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Its number: a node's in level order, a message's in order of arrival; from 0.
    pub index: u64,
    /// A node's level, the root's being 0; none for a message.
    pub depth: Option<u32>,
    /// Its place in its level, or in the stream; from 0.
    pub position: u64,
}

/// What a faulty call does, after its latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It fails.
    Error,
    /// It never answers.
    Never,
}

/// Which items a rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Which {
    /// A share of all items, by hash.
    Share(f64),
    /// The first of every `nth` items: of one level of a tree, or of all levels each by itself, or of a stream.
    Every {
        /// One in so many.
        nth: NonZeroU32,
        /// Only of this level.
        depth: Option<u32>,
    },
}

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    which: Which,
    answer: Answer,
}

/// Why a rule makes no sense.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum FaultError {
    /// No share of anything.
    #[error("share is {found}, expected a number from 0 to 1")]
    Share {
        /// What was found.
        found: f64,
    },
}

impl Rule {
    /// The items of `which` answer like this.
    ///
    /// # Errors
    ///
    /// A share is not within 0 to 1.
    pub fn new(which: Which, answer: Answer) -> Result<Self, FaultError> {
        match which {
            Which::Share(found) if !(0.0..=1.0).contains(&found) => Err(FaultError::Share { found }),
            _ => Ok(Self { which, answer }),
        }
    }

    /// `at` is the rule's own place: two rules that each take a share draw independently of each other.
    fn speaks_of(&self, at: u32, seed: u64, item: Item) -> bool {
        match self.which {
            Which::Share(share) => generator(Purpose::Fault, seed, item.index, at).random_bool(share),
            Which::Every { nth, depth } => {
                (depth.is_none() || depth == item.depth) && item.position.is_multiple_of(u64::from(nth.get()))
            }
        }
    }
}

/// All that goes wrong: of several rules the first that speaks of an item decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Faults(Vec<Rule>);

impl Faults {
    /// These rules, in this order.
    #[must_use]
    pub const fn new(rules: Vec<Rule>) -> Self {
        Self(rules)
    }

    /// How the call for an item goes wrong, if it does. The same at every attempt.
    #[must_use]
    pub fn verdict(&self, seed: u64, item: Item) -> Option<Answer> {
        let mut rules = self.0.iter().zip(0..);
        rules.find(|(rule, at)| rule.speaks_of(*at, seed, item)).map(|(rule, _)| rule.answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(depth: u32, position: u64) -> Item {
        Item { index: 1_000 * u64::from(depth) + position, depth: Some(depth), position }
    }

    fn every(nth: u32, depth: Option<u32>) -> Which {
        Which::Every { nth: NonZeroU32::new(nth).expect("not 0"), depth }
    }

    fn faults(rules: &[(Which, Answer)]) -> Faults {
        Faults::new(rules.iter().map(|&(which, answer)| Rule::new(which, answer).expect("a rule")).collect())
    }

    #[test]
    fn every_second_of_a_level_from_its_first() {
        let faults = faults(&[(every(2, Some(3)), Answer::Error)]);
        let failing = |depth| (0..125).filter(|&at| faults.verdict(1, node(depth, at)).is_some()).count();
        assert_eq!((failing(2), failing(3), failing(4)), (0, 63, 0));
        assert_eq!(faults.verdict(1, node(3, 0)), Some(Answer::Error));
        assert_eq!(faults.verdict(1, node(3, 1)), None);
    }

    #[test]
    fn a_share_is_drawn_by_hash() {
        let faults = faults(&[(Which::Share(0.02), Answer::Error)]);
        let failing = |seed| (0..20_000).filter(|&at| faults.verdict(seed, node(1, at)).is_some()).count();
        assert!((340..460).contains(&failing(1)), "{}", failing(1));
        assert_eq!(failing(1), failing(1));
        assert_ne!(failing(1), failing(2));
    }

    #[test]
    fn two_shares_are_independent() {
        let first = faults(&[(Which::Share(0.5), Answer::Never)]);
        let both = faults(&[(Which::Share(0.5), Answer::Never), (Which::Share(0.5), Answer::Error)]);
        let left: Vec<_> = (0..20_000).filter(|&at| first.verdict(1, node(1, at)).is_none()).collect();
        let failing = left.iter().filter(|&&at| both.verdict(1, node(1, at)).is_some()).count();
        let share = failing as f64 / left.len() as f64;
        assert!((0.48..0.52).contains(&share), "{share}");
    }

    #[test]
    fn every_nth_of_a_stream_or_of_each_level() {
        let message = |at| Item { index: at, depth: None, position: at };
        let each = faults(&[(every(50, None), Answer::Error)]);
        let failing = |item: &dyn Fn(u64) -> Item| {
            (0..120).filter(|&at| each.verdict(1, item(at)).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(failing(&message), [0, 50, 100]);
        assert_eq!(failing(&|at| node(4, at)), [0, 50, 100]);
        assert_eq!(faults(&[(every(1, Some(0)), Answer::Error)]).verdict(1, message(0)), None);
    }

    #[test]
    fn none_and_all_are_shares() {
        let share = |share| faults(&[(Which::Share(share), Answer::Error)]);
        assert_eq!(share(0.0).verdict(1, node(0, 0)), None);
        assert_eq!(share(1.0).verdict(1, node(0, 0)), Some(Answer::Error));
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(Rule::new(Which::Share(bad), Answer::Error).is_err());
        }
    }

    #[test]
    fn the_first_rule_that_speaks_decides() {
        let faults = faults(&[(every(2, None), Answer::Never), (every(1, None), Answer::Error)]);
        assert_eq!(faults.verdict(1, node(1, 0)), Some(Answer::Never));
        assert_eq!(faults.verdict(1, node(1, 1)), Some(Answer::Error));
    }
}
