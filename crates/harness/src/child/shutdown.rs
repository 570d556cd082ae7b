//! The accounts of consumers that are stopped before their stream's end.

use std::time::Duration;

use fanout_probe::Counts;
use fanout_record::{Outcome, Row};
use fanout_workload::drain::{Drained, Ended};

use super::account::Account;
use super::measure::Known;

/// A consumer that was told to stop, and what it said of its messages.
pub(crate) struct Stopped {
    pub(crate) drained: Drained,
    pub(crate) at: Duration,
}

impl Account for Stopped {
    fn judge(&self, _: &Known<'_>, counts: Counts) -> Result<(Outcome, Option<String>), String> {
        let Drained { ended, received, handled, failed, returned, cancelled, drained, .. } = self.drained;
        let Counts { given, started, answered, .. } = counts;
        if counts.in_flight() > 0 {
            return Err(format!("{} calls outlived the consumer", counts.in_flight()));
        }
        if received != self.drained.accounted() {
            return Err(format!(
                "of {received} messages received {} are accounted for",
                self.drained.accounted()
            ));
        }
        if (received as u64, handled as u64) != (given, answered) {
            return Err(format!(
                "the strategy says {received} received and {handled} handled, but {given} messages were taken and \
                 {answered} calls answered"
            ));
        }
        let calls = (handled + failed + cancelled) as u64;
        if calls != started {
            return Err(format!("the strategy accounts for {calls} calls, {started} were made"));
        }
        let reason = || {
            let at = self.at;
            format!("stopped at {at:?}: {drained} drained, {cancelled} cancelled, {returned} returned")
        };
        Ok(match ended {
            Ended::Complete => (Outcome::Complete, None),
            Ended::Drained => (Outcome::Cancelled, Some(reason())),
            Ended::Deadline => (Outcome::Deadline, Some(reason())),
        })
    }

    fn tell(&self, row: &mut Row, _: Counts) {
        row.visited = Some(self.drained.handled as u64);
        row.failed = Some(self.drained.failed as u64);
        row.cancelled = Some(self.drained.cancelled as u64);
    }
}

/// A consumer that is dropped, since nobody can tell it to stop: its account, if it came to its end before that.
pub(crate) struct Dropped<A> {
    pub(crate) account: Option<A>,
    pub(crate) at: Option<Duration>,
}

impl<A: Account> Account for Dropped<A> {
    fn judge(&self, known: &Known<'_>, counts: Counts) -> Result<(Outcome, Option<String>), String> {
        match (&self.account, self.at) {
            (Some(account), _) => account.judge(known, counts),
            (None, at) => {
                let (in_flight, waiting) = (counts.in_flight(), counts.backlog());
                let at = at.unwrap_or_default();
                let reason =
                    format!("dropped at {at:?}: {in_flight} calls in flight, {waiting} never started");
                Ok((Outcome::Cancelled, Some(reason)))
            }
        }
    }

    fn tell(&self, row: &mut Row, counts: Counts) {
        if let Some(account) = &self.account {
            account.tell(row, counts);
        }
    }
}
