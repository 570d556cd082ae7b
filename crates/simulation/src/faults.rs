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
    /// It fails in a way that tells the caller to stop altogether: access was withdrawn, the quota is spent.
    Fatal,
    /// It panics.
    Panic,
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
    /// How many of an item's calls it spoils, from the first on; none: all of them.
    calls: Option<NonZeroU32>,
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
            _ => Ok(Self { which, answer, calls: None }),
        }
    }

    /// Only the first so many calls of each item: the one after them goes well.
    #[must_use]
    pub const fn first(mut self, calls: NonZeroU32) -> Self {
        self.calls = Some(calls);
        self
    }

    /// `at` is the rule's own place: two rules that each take a share draw independently of each other.
    fn speaks_of(&self, at: u32, seed: u64, item: Item, attempt: u32) -> bool {
        if self.calls.is_some_and(|calls| attempt >= calls.get()) {
            return false;
        }
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

    /// How a call for an item goes wrong, if it does. `attempt` counts the item's calls, the first being 0; which items
    /// a rule speaks of is the same at every attempt.
    #[must_use]
    pub fn verdict(&self, seed: u64, item: Item, attempt: u32) -> Option<Answer> {
        let mut rules = self.0.iter().zip(0..);
        rules.find(|(rule, at)| rule.speaks_of(*at, seed, item, attempt)).map(|(rule, _)| rule.answer)
    }

    /// Whether an item's calls differ by their number.
    #[must_use]
    pub fn heed_attempts(&self) -> bool {
        self.0.iter().any(|rule| rule.calls.is_some())
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
        let failing = |depth| (0..125).filter(|&at| faults.verdict(1, node(depth, at), 0).is_some()).count();
        assert_eq!((failing(2), failing(3), failing(4)), (0, 63, 0));
        assert_eq!(faults.verdict(1, node(3, 0), 0), Some(Answer::Error));
        assert_eq!(faults.verdict(1, node(3, 1), 0), None);
    }

    #[test]
    fn a_share_is_drawn_by_hash() {
        let faults = faults(&[(Which::Share(0.02), Answer::Error)]);
        let failing = |seed| (0..20_000).filter(|&at| faults.verdict(seed, node(1, at), 0).is_some()).count();
        assert!((340..460).contains(&failing(1)), "{}", failing(1));
        assert_eq!(failing(1), failing(1));
        assert_ne!(failing(1), failing(2));
    }

    #[test]
    fn two_shares_are_independent() {
        let first = faults(&[(Which::Share(0.5), Answer::Never)]);
        let both = faults(&[(Which::Share(0.5), Answer::Never), (Which::Share(0.5), Answer::Error)]);
        let left: Vec<_> = (0..20_000).filter(|&at| first.verdict(1, node(1, at), 0).is_none()).collect();
        let failing = left.iter().filter(|&&at| both.verdict(1, node(1, at), 0).is_some()).count();
        let share = failing as f64 / left.len() as f64;
        assert!((0.48..0.52).contains(&share), "{share}");
    }

    #[test]
    fn every_nth_of_a_stream_or_of_each_level() {
        let message = |at| Item { index: at, depth: None, position: at };
        let each = faults(&[(every(50, None), Answer::Error)]);
        let failing = |item: &dyn Fn(u64) -> Item| {
            (0..120).filter(|&at| each.verdict(1, item(at), 0).is_some()).collect::<Vec<_>>()
        };
        assert_eq!(failing(&message), [0, 50, 100]);
        assert_eq!(failing(&|at| node(4, at)), [0, 50, 100]);
        assert_eq!(faults(&[(every(1, Some(0)), Answer::Error)]).verdict(1, message(0), 0), None);
    }

    #[test]
    fn none_and_all_are_shares() {
        let share = |share| faults(&[(Which::Share(share), Answer::Error)]);
        assert_eq!(share(0.0).verdict(1, node(0, 0), 0), None);
        assert_eq!(share(1.0).verdict(1, node(0, 0), 0), Some(Answer::Error));
        for bad in [-0.1, 1.1, f64::NAN] {
            assert!(Rule::new(Which::Share(bad), Answer::Error).is_err());
        }
    }

    #[test]
    fn a_passing_fault_is_over_after_its_calls() {
        let twice = Rule::new(every(2, None), Answer::Error)
            .expect("a rule")
            .first(NonZeroU32::new(2).expect("not 0"));
        let faults = Faults::new(vec![twice, Rule::new(every(1, Some(9)), Answer::Panic).expect("a rule")]);
        let verdicts = |item| [0, 1, 2, 9].map(|attempt| faults.verdict(1, item, attempt));
        assert_eq!(verdicts(node(1, 0)), [Some(Answer::Error), Some(Answer::Error), None, None]);
        assert_eq!(verdicts(node(1, 1)), [None; 4]);
        // The next rule has its turn then.
        let (error, panic) = (Some(Answer::Error), Some(Answer::Panic));
        assert_eq!(verdicts(node(9, 0)), [error, error, panic, panic]);
        assert!(faults.heed_attempts());
        assert!(!Faults::default().heed_attempts());
    }

    #[test]
    fn the_first_rule_that_speaks_decides() {
        let faults = faults(&[(every(2, None), Answer::Never), (every(1, None), Answer::Error)]);
        assert_eq!(faults.verdict(1, node(1, 0), 0), Some(Answer::Never));
        assert_eq!(faults.verdict(1, node(1, 1), 0), Some(Answer::Error));
    }
}
