//! A row in words: what to make of its numbers.

use fanout_record::{Outcome, Row, Unit, WorkloadKind};

/// How much more is "far above".
const FAR: u64 = 4;

/// What is to be seen, a sentence each.
pub(crate) fn diagnose(row: &Row) -> Vec<String> {
    let mut sentences = vec![ending(row)];
    sentences.extend(what_a_batch_cost(row));
    sentences.extend(where_the_limit_sits(row));
    sentences.extend(how_the_backlog_grew(row));
    sentences.extend(how_near_a_deadlock(row));
    sentences.extend(how_well_it_did(row));
    sentences
}

fn show(value: Option<u64>) -> String {
    Unit::Count.show(value.unwrap_or(0))
}

fn ending(row: &Row) -> String {
    let visited = show(row.visited);
    match row.outcome {
        Outcome::Complete if row.workload == WorkloadKind::Batch => format!(
            "Complete: {} items served fresh, {} with a fallback, {} lack something.",
            show(row.fresh),
            show(row.stale),
            show(row.unserved)
        ),
        Outcome::Complete => match row.failed {
            None | Some(0) => format!("Complete: {visited} items done."),
            Some(failed) => format!("Complete: {visited} items done, {} failed.", Unit::Count.show(failed)),
        },
        Outcome::Deadlocked if row.tasks_end == Some(0) && row.tasks_peak > Some(0) => format!(
            "Items but no workers: 0 of {} tasks alive, {} items queued. It will never finish.",
            show(row.tasks_peak),
            show(row.backlog_end)
        ),
        Outcome::Deadlocked => format!(
            "Deadlocked after {visited} items: {} tasks are alive, {} calls are in flight, {} items wait. It will never finish.",
            show(row.tasks_end),
            show(row.in_flight_end),
            show(row.backlog_end)
        ),
        outcome => {
            let reason = row.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
            format!("Ended {outcome}{reason}.")
        }
    }
}

/// Calls of a batch that were refused, or made for nobody.
fn what_a_batch_cost(row: &Row) -> Vec<String> {
    let happened = |value: Option<u64>| value.filter(|&value| value > 0);
    let mut sentences = Vec::new();
    sentences.extend(
        happened(row.refused)
            .map(|refused| format!("{} calls were refused by what they call.", Unit::Count.show(refused))),
    );
    sentences.extend(happened(row.wasted_ns).map(|wasted| {
        format!("Nobody used what {} of its calls' time came to.", Unit::Nanoseconds.show(wasted))
    }));
    sentences.extend(
        happened(row.late_calls)
            .map(|late| format!("{} calls were begun after it had ended.", Unit::Count.show(late))),
    );
    sentences
}

/// Tasks far above calls in flight.
fn where_the_limit_sits(row: &Row) -> Option<String> {
    let (tasks, in_flight) = (row.tasks_peak?, row.in_flight_peak?);
    if tasks > FAR * in_flight.max(1) {
        return Some(format!(
            "Tasks far above calls in flight ({} to {}): the limit sits inside the tasks. It bounds the calls; what waits for a slot is a task all the same.",
            Unit::Count.show(tasks),
            Unit::Count.show(in_flight)
        ));
    }
    let unbounded = row.limit.is_none() && in_flight > 1;
    unbounded.then(|| {
        format!(
            "Nothing bounds the calls: {} were in flight at once, which is the workload's number and nobody's choice.",
            Unit::Count.show(in_flight)
        )
    })
}

/// A frontier that grows while all slots are busy.
fn how_the_backlog_grew(row: &Row) -> Option<String> {
    if row.workload != WorkloadKind::Tree {
        return None;
    }
    let (limit, backlog, tasks) = (row.limit?.get() as u64, row.backlog_peak?, row.tasks_peak?);
    let queued = backlog > FAR * limit && tasks <= limit + 1;
    queued.then(|| {
        format!(
            "The queue grew to {} items: the tree is wider than the {limit} workers. They wait as plain data, not as tasks.",
            Unit::Count.show(backlog)
        )
    })
}

/// A slot held while its holder waits for the same pool, in a run that ended all the same.
fn how_near_a_deadlock(row: &Row) -> Option<String> {
    let warning = row.reason.as_deref().filter(|_| row.held_waiting_peak > Some(0))?;
    (row.outcome == Outcome::Complete).then(|| format!("Warning: {warning}."))
}

fn how_well_it_did(row: &Row) -> Option<String> {
    let (ideal, measured) = (row.ideal_ns?, row.virtual_ns?);
    if row.outcome != Outcome::Complete || measured == 0 {
        return None;
    }
    let of = match row.limit {
        Some(limit) => format!("No schedule with {limit} at once"),
        None => "No schedule".to_owned(),
    };
    Some(format!(
        "{of} can be faster than {}; this took {}, {:.1} % of that.",
        Unit::Nanoseconds.show(ideal),
        Unit::Nanoseconds.show(measured),
        100.0 * measured as f64 / ideal.max(1) as f64
    ))
}
