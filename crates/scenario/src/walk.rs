use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;

/// What a scenario tells those walks that can be told: how far to go, in which order, and what to do about calls that
/// fail. A strategy without such a walk does not hear of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WalkPolicy {
    /// Which of the nodes that wait is called next.
    pub order: WalkOrder,
    /// Nodes at this depth are not called.
    pub depth: Option<u32>,
    /// So many nodes are called.
    pub nodes: Option<usize>,
    /// So many nodes may wait.
    pub frontier: Option<usize>,
    /// When the walk is over, however much is left.
    pub deadline: Option<Duration>,
    /// When a call has failed, if it has not answered.
    pub call_deadline: Option<Duration>,
    /// How often a node is called, if it fails.
    pub retry: Option<WalkRetry>,
    /// Whether a node that is met again is skipped.
    pub seen: bool,
}

impl WalkPolicy {
    /// Whether a walk that heeds this makes the same calls as one that does not: only perhaps in another order.
    #[must_use]
    pub fn keeps_calls(&self) -> bool {
        *self == Self { order: self.order, ..Self::default() }
    }

    /// The longest time for which a walk that heeds this may rightly do nothing.
    #[must_use]
    pub fn longest_pause(&self) -> Duration {
        let Some(retry) = self.retry else { return Duration::ZERO };
        let doublings = retry.attempts.get().saturating_sub(2).min(31);
        retry.backoff.saturating_mul(1 << doublings).min(retry.longest.unwrap_or(Duration::MAX))
    }
}

/// Which of the nodes that wait is called next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WalkOrder {
    /// The one that has waited longest.
    #[default]
    FirstInFirstOut,
    /// The one that was revealed last.
    LastInFirstOut,
    /// The deepest, and of equals the one that has waited longest.
    DeepestFirst,
    /// The least deep, and of equals the one that has waited longest.
    ShallowestFirst,
}

/// How often a node is called, and how long it backs off between two calls: twice as long each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkRetry {
    /// Most calls of a node, the first included.
    pub attempts: NonZeroU32,
    /// The time between the first and the second.
    pub backoff: Duration,
    /// The longest time between two.
    pub longest: Option<Duration>,
    /// Whether each time is drawn, from the upper half of what it would be.
    pub jitter: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_order_keeps_the_calls() {
        let order = WalkPolicy { order: WalkOrder::DeepestFirst, ..WalkPolicy::default() };
        assert!(order.keeps_calls());
        assert!(!WalkPolicy { seen: true, ..order }.keeps_calls());
        assert!(!WalkPolicy { depth: Some(12), ..order }.keeps_calls());
    }

    #[test]
    fn the_longest_pause_is_the_last_backoff() {
        let pause = |attempts, longest| {
            let attempts = NonZeroU32::new(attempts).unwrap();
            let retry = WalkRetry { attempts, backoff: Duration::from_millis(50), longest, jitter: false };
            WalkPolicy { retry: Some(retry), ..WalkPolicy::default() }.longest_pause().as_millis()
        };
        assert_eq!((pause(2, None), pause(4, None)), (50, 200));
        assert_eq!(pause(u32::MAX, Some(Duration::from_secs(2))), 2_000);
        assert_eq!(WalkPolicy::default().longest_pause(), Duration::ZERO);
    }
}
