//! What a scenario tells the walks.

use toml::Spanned;

use super::number::{positive, whole};
use super::{Origin, spanned};
use crate::error::Problem;
use crate::scenario::Scenario;
use crate::walk::{WalkPolicy, WalkRetry};
use crate::{raw, text};

pub(super) fn policy(raw: &Spanned<raw::Walk>) -> Result<WalkPolicy, Problem> {
    let raw = raw.get_ref();
    let lasting = |words| spanned(words, text::lasting);
    let most = u32::MAX.into();
    Ok(WalkPolicy {
        order: raw.order,
        depth: raw.depth.as_ref().map(|depth| whole(depth, 0..=most)).transpose()?,
        nodes: raw.nodes.as_ref().map(|nodes| whole(nodes, 0..=most)).transpose()?,
        frontier: raw.frontier.as_ref().map(|frontier| whole(frontier, 1..=most)).transpose()?,
        deadline: raw.deadline.as_ref().map(lasting).transpose()?,
        call_deadline: raw.call_deadline.as_ref().map(lasting).transpose()?,
        retry: raw.retry.as_ref().map(retry).transpose()?,
        seen: raw.seen,
    })
}

fn retry(raw: &raw::Retry) -> Result<WalkRetry, Problem> {
    Ok(WalkRetry {
        attempts: positive(&raw.attempts, u32::MAX.into())?,
        backoff: spanned(&raw.backoff, text::in_earnest)?,
        longest: raw.longest.as_ref().map(|longest| spanned(longest, text::in_earnest)).transpose()?,
        jitter: raw.jitter,
    })
}

/// A policy that no strategy of the file heeds would be a key that does nothing.
pub(super) fn heeded(file: &raw::File, scenario: &Scenario, origin: Origin<'_>) -> Result<(), Problem> {
    let variants = file.variant.iter().filter_map(|variant| variant.walk.as_ref());
    let Some(walk) = file.walk.iter().chain(variants).next() else { return Ok(()) };
    let heeding: Vec<&str> =
        origin.known.iter().filter(|facts| facts.heeds_policy).map(|facts| facts.name).collect();
    if scenario.strategies.iter().any(|plan| heeding.contains(&plan.name.as_str())) {
        return Ok(());
    }
    let problem = format!("no strategy of this file heeds it (those that do: {})", heeding.join(", "));
    Err(Problem::at(walk.span(), problem))
}
