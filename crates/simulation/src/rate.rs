use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);

/// At most so many calls in any one second, whichever second one looks at.
#[derive(Debug)]
pub(crate) struct Rate {
    per_second: NonZeroUsize,
    /// When the last calls were let in, at most as many as may be within a second. Its memory is reserved at the start.
    admitted: Mutex<VecDeque<Instant>>,
}

impl Rate {
    pub(crate) fn new(per_second: NonZeroUsize) -> Self {
        Self { per_second, admitted: Mutex::new(VecDeque::with_capacity(per_second.get())) }
    }

    /// Lets a call in, or says that it is one too many.
    pub(crate) fn admit(&self, now: Instant) -> bool {
        let mut admitted = self.admitted.lock().unwrap_or_else(PoisonError::into_inner);
        while admitted.front().is_some_and(|&first| now.saturating_duration_since(first) >= SECOND) {
            admitted.pop_front();
        }
        let admits = admitted.len() < self.per_second.get();
        if admits {
            admitted.push_back(now);
        }
        admits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_second_has_more_than_its_number() {
        let rate = Rate::new(NonZeroUsize::new(3).expect("not 0"));
        let start = Instant::now();
        let admitted: Vec<u64> = (0..300)
            .map(|step| 10 * step)
            .filter(|&ms| rate.admit(start + Duration::from_millis(ms)))
            .collect();
        assert_eq!(admitted, [0, 10, 20, 1_000, 1_010, 1_020, 2_000, 2_010, 2_020]);
    }
}
