//! Batches: their dependencies, and how long their calls are waited for.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::Range;

use fanout_resilience::Patience;
use fanout_simulation::{BatchSpec, DependencySpec, DownstreamSpec, Faults, Latency, Manner};
use toml::Spanned;

use super::number::{positive, whole};
use super::work::{Setting, TheFaults, downstream, faults, plain_name};
use super::{problem_at, spanned};
use crate::error::Problem;
use crate::raw::{self, InOrder};
use crate::scenario::Workload;
use crate::text;

/// More threads than this in a blocking pool are a mistake.
const MAX_BLOCKING_THREADS: u64 = 1_024;

/// A batch, before it is known what it calls.
#[derive(Clone)]
pub(super) struct Items {
    items: u32,
    blocking_threads: Option<NonZeroUsize>,
}

/// A dependency, before it is known what calls take that it says nothing of.
#[derive(Clone)]
pub(super) struct Dependency {
    name: String,
    latency: Option<Latency>,
    faults: Faults,
    downstream: Option<DownstreamSpec>,
    limit: Option<NonZeroUsize>,
    fallback: bool,
    manner: Manner,
    place: Range<usize>,
}

impl Dependency {
    pub(super) fn place(&self) -> Range<usize> {
        self.place.clone()
    }
}

/// What is said of calls, with its place.
pub(super) type Calls = (Patience, Range<usize>);

pub(super) fn items(raw: &raw::Batch) -> Result<Items, Problem> {
    let threads = raw.blocking_threads.as_ref();
    Ok(Items {
        items: whole(&raw.items, 0..=u32::MAX.into())?,
        blocking_threads: threads.map(|threads| positive(threads, MAX_BLOCKING_THREADS)).transpose()?,
    })
}

pub(super) fn dependencies(
    raw: &InOrder<String, Spanned<raw::Dependency>>,
    setting: &Setting<'_>,
) -> Result<Vec<Dependency>, Problem> {
    raw.0.iter().map(|(name, raw)| dependency(name, raw, setting)).collect()
}

fn dependency(
    name: &Spanned<String>,
    raw: &Spanned<raw::Dependency>,
    setting: &Setting<'_>,
) -> Result<Dependency, Problem> {
    let raw = raw.get_ref();
    let TheFaults { faults, depth, .. } = faults(&raw.fault)?;
    if let Some(depth) = depth {
        return Err(Problem::at(depth, "a batch has no depth: `depth` chooses among the nodes of a tree"));
    }
    if let Some(call) = raw.call.as_ref().filter(|call| *call.get_ref() != raw::Manner::Waiting)
        && setting.on_virtual
    {
        let problem = "this takes real time, which the virtual clock has none of: say `clocks = [\"wall\"]`";
        return Err(Problem::at(call.span(), problem));
    }
    Ok(Dependency {
        name: plain_name(name)?,
        latency: raw.latency.as_ref().map(|latency| setting.latency(latency)).transpose()?,
        faults,
        downstream: raw.downstream.as_ref().map(downstream).transpose()?,
        limit: raw.limit.as_ref().map(|limit| positive(limit, u32::MAX.into())).transpose()?,
        fallback: raw.fallback,
        manner: match raw.call.as_ref().map(Spanned::get_ref) {
            None | Some(raw::Manner::Waiting) => Manner::Waiting,
            Some(raw::Manner::Blocking) => Manner::Blocking,
            Some(raw::Manner::BlockingPool) => Manner::BlockingPool,
            Some(raw::Manner::Computing) => Manner::Computing,
        },
        place: name.span(),
    })
}

pub(super) fn calls(raw: &Spanned<raw::Calls>) -> Result<Calls, Problem> {
    let place = raw.span();
    let raw = raw.get_ref();
    let time = |words: &Option<Spanned<String>>| {
        words.as_ref().map(|words| spanned(words, text::in_earnest)).transpose()
    };
    let attempts = match &raw.attempts {
        Some(attempts) => positive(attempts, u32::MAX.into())?,
        None => NonZeroU32::MIN,
    };
    if let Some(backoff) = raw.backoff.as_ref().filter(|_| attempts == NonZeroU32::MIN) {
        let problem = "this is the pause before a second attempt, and there is none: add `attempts = 3`";
        return Err(Problem::at(backoff.span(), problem));
    }
    let patience = Patience {
        deadline: time(&raw.deadline)?,
        budget: time(&raw.budget)?,
        timeout: time(&raw.timeout)?,
        attempts,
        backoff: time(&raw.backoff)?.unwrap_or_default(),
    };
    if patience == Patience::default() {
        let problem =
            "this says nothing: add `deadline`, `budget`, `timeout` or `attempts`, or leave the table out";
        return Err(Problem::at(place, problem));
    }
    Ok((patience, place))
}

/// A variant's dependencies: the file's, each replaced by the variant's own of the same name, and then those that only
/// the variant has.
pub(super) fn merged(own: Vec<Dependency>, common: &[Dependency]) -> Vec<Dependency> {
    let mut merged = common.to_vec();
    for dependency in own {
        match merged.iter_mut().find(|other| other.name == dependency.name) {
            Some(other) => *other = dependency,
            None => merged.push(dependency),
        }
    }
    merged
}

/// A batch as a whole. `latency` is that of dependencies that say nothing of theirs.
pub(super) fn workload(
    items: &Items,
    dependencies: Vec<Dependency>,
    latency: Option<&Latency>,
    patience: &Patience,
    variant: Option<&Range<usize>>,
) -> Result<Workload, Problem> {
    let spec = |dependency: Dependency| {
        let Dependency { name, faults, downstream, limit, fallback, manner, place, .. } = dependency;
        let latency = dependency.latency.or_else(|| latency.cloned()).ok_or_else(|| {
            let problem = "nothing says how long a call takes: add `latency = { constant = \"40ms\" }`";
            Problem::at(place.clone(), problem)
        })?;
        if fallback && patience.deadline.is_none() && patience.budget.is_none() {
            let problem = "`fallback` is for calls whose time is up, and theirs never is: add `[calls]` with a \
                           `deadline` or a `budget`";
            return Err(Problem::at(place, problem));
        }
        Ok(DependencySpec { name, latency, faults, downstream, limit, fallback, manner })
    };
    let dependencies = dependencies.into_iter().map(spec).collect::<Result<Vec<_>, Problem>>()?;
    BatchSpec::new(items.items, dependencies, items.blocking_threads).map(Workload::Batch).map_err(|error| {
        problem_at(variant, format!("{error}, and there is none: add a table such as `[dependency.pricing]`"))
    })
}
