use std::any::Any;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// What a walk did, and with every node that it did not visit.
///
/// Each node that was discovered is in exactly one of `visited`, `failed`, `truncated`, `seen` and `cancelled`,
/// however the walk ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey<N, E> {
    /// How it ended.
    pub ended: Ended,
    /// Nodes that it was given: the roots, and all children that calls revealed.
    pub discovered: usize,
    /// Nodes whose call answered.
    pub visited: usize,
    /// Nodes that were given up, in the order in which they were.
    pub failed: Vec<Failure<N, E>>,
    /// Nodes that a limit kept from being called, with which, in the order in which they were cut. All of them, so as
    /// long as there are.
    pub truncated: Vec<(N, Cut)>,
    /// Nodes met again and skipped.
    pub seen: usize,
    /// Nodes whose call was dropped before it ended, because the walk did.
    pub cancelled: Vec<N>,
}

impl<N, E> Survey<N, E> {
    /// All nodes that became something. Equal to `discovered` once the walk is over.
    #[must_use]
    pub const fn accounted(&self) -> usize {
        self.visited + self.failed.len() + self.truncated.len() + self.seen + self.cancelled.len()
    }

    /// The nodes to walk again from, to cover what is missing: failed, truncated, cancelled.
    pub fn missing(&self) -> impl Iterator<Item = &N> {
        let failed = self.failed.iter().map(|failure| &failure.node);
        failed.chain(self.truncated.iter().map(|(node, _)| node)).chain(&self.cancelled)
    }
}

// Derived, it would ask for `N: Default` and `E: Default`.
impl<N, E> Default for Survey<N, E> {
    fn default() -> Self {
        Self {
            ended: Ended::Complete,
            discovered: 0,
            visited: 0,
            failed: Vec::new(),
            truncated: Vec::new(),
            seen: 0,
            cancelled: Vec::new(),
        }
    }
}

/// How a walk ended. One that was stopped when there was nothing left to miss was not stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ended {
    /// Every node was called, but for the subtrees of those that failed.
    #[default]
    Complete,
    /// A limit on depth, nodes or the frontier cut something.
    Truncated,
    /// A fatal error stopped it.
    Fatal,
    /// It ran into its deadline.
    Deadline,
    /// It was cancelled from outside.
    Cancelled,
}

/// A node that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<N, E> {
    /// Which.
    pub node: N,
    /// Why: what its last call came to.
    pub error: Fault<E>,
    /// How many calls it had.
    pub attempts: u32,
}

/// Why a call did not answer with children.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault<E> {
    /// It answered with an error.
    Call(E),
    /// It panicked, with this message.
    Panicked(String),
    /// It did not answer within this time, and was dropped.
    NoAnswer(Duration),
}

impl<E> Fault<E> {
    /// What a caught panic says.
    #[must_use]
    pub fn panicked(payload: &(dyn Any + Send)) -> Self {
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Self::Panicked(message.unwrap_or("a payload that is no text").to_owned())
    }
}

impl<E: fmt::Display> fmt::Display for Fault<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::Panicked(message) => write!(f, "the call panicked: {message}"),
            Self::NoAnswer(deadline) => write!(f, "the call did not answer within {deadline:?}"),
        }
    }
}

impl<E: Error> Error for Fault<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // It speaks for the error, so its source is the error's.
            Self::Call(error) => error.source(),
            Self::Panicked(_) | Self::NoAnswer(_) => None,
        }
    }
}

/// What kept a node from being called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It is at the depth limit.
    Depth,
    /// As many nodes as the walk may call had been claimed.
    Nodes,
    /// As many nodes were waiting as may.
    Frontier,
    /// The walk's deadline passed.
    Deadline,
    /// A fatal error stopped the walk.
    Fatal,
    /// The walk was cancelled.
    Cancelled,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_what_was_neither_visited_nor_seen() {
        let survey = Survey {
            discovered: 9,
            visited: 4,
            failed: vec![Failure { node: "a", error: Fault::Call("gone"), attempts: 1 }],
            truncated: vec![("b", Cut::Depth)],
            seen: 2,
            cancelled: vec!["c"],
            ended: Ended::Deadline,
        };
        assert_eq!(survey.accounted(), survey.discovered);
        assert!(survey.missing().eq(&["a", "b", "c"]));
    }

    #[test]
    fn a_fault_says_what_happened() {
        let panicked = |payload: Box<dyn Any + Send>| Fault::<&str>::panicked(&*payload).to_string();
        assert_eq!(panicked(Box::new("no such folder")), "the call panicked: no such folder");
        assert_eq!(panicked(Box::new("folder 7".to_owned())), "the call panicked: folder 7");
        assert_eq!(panicked(Box::new(7)), "the call panicked: a payload that is no text");
        assert_eq!(Fault::Call("gone").to_string(), "gone");
        let fault = Fault::<&str>::NoAnswer(Duration::from_millis(1_500));
        assert_eq!(fault.to_string(), "the call did not answer within 1.5s");
    }
}
