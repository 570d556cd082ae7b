//! What a strategy itself says of its run.

use fanout_probe::Counts;
use fanout_record::{Outcome, Row};

use super::measure::Known;

/// What a strategy says of its run, to be held against what was observed of it.
pub(crate) trait Account {
    /// How the run ended, and why if it did not complete.
    ///
    /// # Errors
    ///
    /// How the account contradicts what was observed, or what is known of the workload.
    fn judge(&self, known: &Known<'_>, counts: Counts) -> Result<(Outcome, Option<String>), String>;

    /// Puts what only the strategy can know into the row.
    fn tell(&self, _row: &mut Row, _counts: Counts) {}
}

/// The account of a strategy that does all the work there is: how often it went well, and how often not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) visited: usize,
    pub(crate) failed: usize,
}

impl Account for Tally {
    fn judge(&self, known: &Known<'_>, counts: Counts) -> Result<(Outcome, Option<String>), String> {
        let Counts { given, started, answered, failed, dropped, .. } = counts;
        if dropped > 0 {
            return Err(format!("{dropped} calls were dropped before their end"));
        }
        if started != given {
            return Err(format!("{given} items were given and {started} called"));
        }
        if let Some(calls) = known.calls.filter(|&calls| calls != started) {
            return Err(format!("{started} calls were made, there are {calls} items to call"));
        }
        if (self.visited as u64, self.failed as u64) != (answered, failed) {
            return Err(format!(
                "the strategy says {} visited and {} failed, but {answered} calls answered and {failed} failed",
                self.visited, self.failed
            ));
        }
        Ok((Outcome::Complete, None))
    }
}
