//! The account of a batch: what its items were served.

use std::time::Duration;

use fanout_probe::{Counts, Took};
use fanout_record::{Outcome, Row};
use fanout_resilience::{Served, Unserved};
use fanout_simulation::{CallError, Reply};
use fanout_workload::Answers;

use super::account::Account;
use super::measure::{Known, nanoseconds};

/// What a strategy gave back for a batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Servings {
    /// Items served whole and fresh.
    fresh: u64,
    /// Items served whole, some of it by a fallback.
    stale: u64,
    /// Items that lack something.
    unserved: u64,
    /// Fresh answers that were given back.
    values: u64,
    /// How long their calls took in all.
    pub(crate) used_ns: u64,
    /// Calls that were not answered in time, with no fallback.
    expired: u64,
    /// Failures that were given back.
    reported: u64,
    /// Items that lack an answer although none of their calls failed.
    lost: u64,
    /// Answers in another's place.
    misplaced: u64,
    /// When they were given back, since the start.
    pub(crate) ended_ns: u64,
    over_deadline_ns: Option<u64>,
}

type SimulatedAnswer = Result<Served<Took<Reply>>, Unserved<CallError>>;
pub(crate) type SimulatedAnswers = Answers<Served<Took<Reply>>, Unserved<CallError>>;

impl Servings {
    pub(crate) fn of(answers: &SimulatedAnswers, ended_ns: u64, deadline: Option<Duration>) -> Self {
        let mut servings = Self {
            ended_ns,
            over_deadline_ns: deadline.map(|deadline| ended_ns.saturating_sub(nanoseconds(deadline))),
            ..Self::default()
        };
        for (item, calls) in (0..).zip(answers.items()) {
            servings.add(item, calls);
        }
        servings
    }

    fn add(&mut self, item: u64, calls: &[Option<SimulatedAnswer>]) {
        let (mut stale, mut failed, mut missing) = (false, false, false);
        for (dependency, call) in calls.iter().enumerate() {
            match call {
                None => missing = true,
                Some(Err(error)) => {
                    failed = true;
                    self.reported += 1;
                    self.expired += u64::from(*error == Unserved::Expired);
                }
                Some(Ok(served)) => {
                    let (Served::Fresh(took) | Served::Stale(took)) = served;
                    self.misplaced += u64::from(took.value != Reply { item, dependency });
                    match served {
                        Served::Stale(_) => stale = true,
                        Served::Fresh(_) => {
                            self.values += 1;
                            self.used_ns += took.took_ns;
                        }
                    }
                }
            }
        }
        self.lost += u64::from(missing && !failed);
        match (missing || failed, stale) {
            (true, _) => self.unserved += 1,
            (false, true) => self.stale += 1,
            (false, false) => self.fresh += 1,
        }
    }
}

impl Account for Servings {
    fn judge(&self, _: &Known<'_>, counts: Counts) -> Result<(Outcome, Option<String>), String> {
        if self.misplaced > 0 {
            return Err(format!("{} answers are in the place of another", self.misplaced));
        }
        if self.lost > 0 {
            return Err(format!("{} items lack an answer although none of their calls failed", self.lost));
        }
        if self.values > counts.answered {
            return Err(format!(
                "the strategy gave back {} values, but {} calls answered",
                self.values, counts.answered
            ));
        }
        if self.expired > 0 {
            let reason = format!("{} calls were not answered in time, and nothing was served", self.expired);
            return Ok((Outcome::Deadline, Some(reason)));
        }
        Ok((Outcome::Complete, None))
    }

    fn tell(&self, row: &mut Row, _: Counts) {
        row.fresh = Some(self.fresh);
        row.stale = Some(self.stale);
        row.unserved = Some(self.unserved);
        row.reported = Some(self.reported);
        row.over_deadline_ns = self.over_deadline_ns;
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;

    const MS: u64 = 1_000_000;

    fn took(item: u64, dependency: usize) -> Took<Reply> {
        Took { value: Reply { item, dependency }, took_ns: 10 * MS }
    }

    fn fresh(item: u64, dependency: usize) -> SimulatedAnswer {
        Ok(Served::Fresh(took(item, dependency)))
    }

    /// Two dependencies for each item, and what they answered.
    fn servings(items: &[[Option<SimulatedAnswer>; 2]]) -> Servings {
        let mut answers = Answers::none_yet(items.len(), NonZeroUsize::new(2).expect("not 0"));
        for (item, calls) in items.iter().enumerate() {
            for (dependency, call) in calls.iter().enumerate() {
                if let Some(call) = *call {
                    answers.record(item, dependency, call);
                }
            }
        }
        Servings::of(&answers, 50 * MS, Some(Duration::from_millis(30)))
    }

    fn judged(servings: Servings, answered: u64) -> Result<Outcome, String> {
        let cell = fanout_record::CellId {
            scenario: "a".to_owned(),
            variant: None,
            strategy: "b".to_owned(),
            limit: None,
            threads: NonZeroUsize::MIN,
            clock: fanout_record::Clock::Virtual,
            seed: 1,
            run: 1,
        };
        let latency = fanout_simulation::Latency::constant(Duration::ZERO);
        let stream = fanout_simulation::StreamSpec::new(0, 0, fanout_simulation::Arrivals::AtOnce);
        let facts = fanout_simulation::Facts::of_stream(&stream, &latency, &Default::default(), 1);
        let known = Known {
            cell: &cell,
            workload: fanout_record::WorkloadKind::Batch,
            facts: &facts,
            services: &[],
            calls: None,
            bounded: false,
        };
        servings.judge(&known, Counts { answered, ..Counts::default() }).map(|(outcome, _)| outcome)
    }

    #[test]
    fn an_item_is_as_good_as_the_worst_of_its_answers() {
        let stale = Some(Ok(Served::Stale(Took { took_ns: 0, ..took(1, 1) })));
        let failed = Some(Err(Unserved::Expired));
        let served = servings(&[
            [Some(fresh(0, 0)), Some(fresh(0, 1))],
            [Some(fresh(1, 0)), stale],
            [Some(fresh(2, 0)), failed],
            [None, failed],
        ]);
        assert_eq!((served.fresh, served.stale, served.unserved, served.expired), (1, 1, 2, 2));
        assert_eq!((served.values, served.used_ns), (4, 40 * MS));
        assert_eq!(served.over_deadline_ns, Some(20 * MS));
        assert_eq!(judged(served, 4), Ok(Outcome::Deadline));
        assert!(judged(served, 3).expect_err("more than were answered").contains("gave back 4 values"));
    }

    #[test]
    fn an_answer_in_another_place_and_one_that_was_lost_are_wrong() {
        let swapped = servings(&[[Some(fresh(0, 1)), Some(fresh(0, 0))]]);
        assert!(judged(swapped, 2).expect_err("swapped").contains("2 answers are in the place"));
        let lost = servings(&[[Some(fresh(0, 0)), None]]);
        assert!(judged(lost, 2).expect_err("lost").contains("1 items lack an answer"));
        let whole = servings(&[[Some(fresh(0, 0)), Some(fresh(0, 1))]]);
        assert_eq!(judged(whole, 2), Ok(Outcome::Complete));
    }
}
