//! All runs of one strategy at one limit of one variant, as one.

use std::num::NonZeroUsize;

use fanout_record::{Claim, Clock, Metric, Outcome, Row, Subject, WorkloadKind, median};

/// One value of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) least: u64,
    pub(crate) median: u64,
    pub(crate) most: u64,
    pub(crate) runs: usize,
}

impl Spread {
    fn of(values: Vec<u64>) -> Option<Self> {
        Some(Self {
            least: *values.iter().min()?,
            most: *values.iter().max()?,
            runs: values.len(),
            median: median(values)?,
        })
    }
}

/// One strategy at one limit of one variant.
#[derive(Debug)]
pub(crate) struct Case<'a> {
    pub(crate) workload: WorkloadKind,
    pub(crate) variant: Option<&'a str>,
    pub(crate) strategy: &'a str,
    pub(crate) limit: Option<NonZeroUsize>,
    exact: Vec<&'a Row>,
    /// By their number of threads, ascending.
    wall: Vec<(NonZeroUsize, Vec<&'a Row>)>,
    published: Vec<(Metric, u64)>,
}

impl<'a> Case<'a> {
    /// The case of these rows, which differ in clock, threads, seed and run alone; none without a row.
    pub(crate) fn of(mut rows: Vec<&'a Row>, claims: &[&Claim]) -> Option<Self> {
        // Rows come in the order in which cells ended, which a report must not depend on.
        rows.sort_by_key(|row| (row.threads, row.seed, row.run));
        let first = *rows.first()?;
        let mut exact = Vec::new();
        let mut wall: Vec<(NonZeroUsize, Vec<&Row>)> = Vec::new();
        for row in rows {
            match (row.clock, wall.last_mut()) {
                (Clock::Virtual, _) => exact.push(row),
                (Clock::Wall, Some((threads, runs))) if *threads == row.threads => runs.push(row),
                (Clock::Wall, _) => wall.push((row.threads, vec![row])),
            }
        }
        let about = claims.iter().filter(|claim| {
            claim.variant == first.variant && claim.strategy == first.strategy && claim.limit == first.limit
        });
        let published = about.filter_map(|claim| match (&claim.metric, claim.published) {
            (Subject::Metric(metric), Some(value)) => Some((*metric, value)),
            _ => None,
        });
        Some(Self {
            workload: first.workload,
            variant: first.variant.as_deref(),
            strategy: &first.strategy,
            limit: first.limit,
            exact,
            wall,
            published: published.collect(),
        })
    }

    /// Its runs on a clock; on the wall clock those with the fewest threads.
    pub(crate) fn rows(&self, clock: Clock) -> &[&'a Row] {
        match clock {
            Clock::Virtual => &self.exact,
            Clock::Wall => self.wall.first().map_or(&[], |(_, rows)| rows),
        }
    }

    /// Its runs on the wall clock, by their number of threads.
    pub(crate) fn wall(&self) -> &[(NonZeroUsize, Vec<&'a Row>)] {
        &self.wall
    }

    /// Every run of it.
    pub(crate) fn all_rows(&self) -> impl Iterator<Item = &'a Row> {
        self.exact.iter().chain(self.wall.iter().flat_map(|(_, rows)| rows)).copied()
    }

    /// A metric over its runs on a clock; none where it was not measured.
    pub(crate) fn spread(&self, clock: Clock, metric: Metric) -> Option<Spread> {
        spread(self.rows(clock), metric)
    }

    /// How long it took to finish on a clock, over the runs that did.
    pub(crate) fn time(&self, clock: Clock) -> Option<Spread> {
        let done: Vec<&Row> = self.rows(clock).iter().copied().filter(|row| finished(row)).collect();
        spread(&done, time_of(clock))
    }

    /// How its runs on a clock ended, where one of them did not finish: `deadlocked`, or `2 of 10
    /// deadlocked`.
    pub(crate) fn unfinished(&self, clock: Clock) -> Option<String> {
        unfinished(self.rows(clock))
    }

    /// How much of its work a run of it did, at the median: items visited, of a batch items served; none where nobody
    /// counted.
    pub(crate) fn done(&self) -> Option<u64> {
        let clock = if self.exact.is_empty() { Clock::Wall } else { Clock::Virtual };
        let count = |metric: Metric| self.spread(clock, metric).map(|spread| spread.median);
        match self.workload {
            WorkloadKind::Tree | WorkloadKind::Stream => count(Metric::Visited),
            WorkloadKind::Batch => Some(count(Metric::Fresh)? + count(Metric::Stale)?),
        }
    }

    /// Whether a limit cut a run of it.
    pub(crate) fn truncated(&self) -> bool {
        self.all_rows().any(|row| row.outcome == Outcome::Truncated)
    }

    /// Whether items of a batch lack something in a run of it.
    pub(crate) fn left_unserved(&self) -> bool {
        self.all_rows().any(|row| row.unserved > Some(0))
    }

    /// What the guide published of a metric.
    pub(crate) fn published(&self, metric: Metric) -> Option<u64> {
        self.published.iter().find(|(of, _)| *of == metric).map(|&(_, value)| value)
    }

    /// What the guide published as its time: guides measure real time.
    pub(crate) fn published_time(&self) -> Option<u64> {
        self.published(Metric::Wall).or_else(|| self.published(Metric::Virtual))
    }
}

/// The column that says how long a run on a clock took.
pub(crate) fn time_of(clock: Clock) -> Metric {
    match clock {
        Clock::Virtual => Metric::Virtual,
        Clock::Wall => Metric::Wall,
    }
}

pub(crate) fn spread(rows: &[&Row], metric: Metric) -> Option<Spread> {
    Spread::of(rows.iter().filter_map(|row| metric.of(row)).collect())
}

/// Whether a run's time is that of its whole work. One that a limit cut ended as it should.
fn finished(row: &Row) -> bool {
    matches!(row.outcome, Outcome::Complete | Outcome::Truncated)
}

/// How runs ended, where one of them did not finish. Of different ends the first one named speaks.
pub(crate) fn unfinished(rows: &[&Row]) -> Option<String> {
    let outcome = rows.iter().find(|row| !finished(row))?.outcome;
    let count = rows.iter().filter(|row| row.outcome == outcome).count();
    Some(if count == rows.len() {
        outcome.to_string()
    } else {
        format!("{count} of {} {outcome}", rows.len())
    })
}
