//! Workloads, latencies, faults, downstreams, and the variants that combine them.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use bytesize::ByteSize;
use fanout_resilience::Patience;
use fanout_simulation::{
    Answer, Arrivals, Branching, DownstreamSpec, Faults, Latency, Rule, StreamSpec, TreeSpec, WhenFull, Which,
};
use toml::Spanned;

use super::number::{positive, whole};
use super::walk::policy;
use super::{batch, problem_at, spanned};
use crate::error::Problem;
use crate::files::Files;
use crate::latency::fit_for_virtual;
use crate::raw::{self, OneOf};
use crate::scenario::{Shutdown, Variant, WEIGHTS, Workload};
use crate::walk::WalkPolicy;
use crate::{text, work};

/// What a workload must fit into.
pub(super) struct Setting<'a> {
    pub files: &'a dyn Files,
    /// Bytes that a cell may hold.
    pub memory: u64,
    /// Whether there are cells on the virtual clock.
    pub on_virtual: bool,
}

/// What a file, or one of its variants, says of the work.
#[derive(Default)]
struct Parts {
    workload: Option<TheWork>,
    latency: Option<Latency>,
    faults: Option<TheFaults>,
    /// With its place.
    downstream: Option<(DownstreamSpec, Range<usize>)>,
    /// With its place.
    call_future_bytes: Option<(usize, Range<usize>)>,
    dependencies: Vec<batch::Dependency>,
    /// With its place.
    calls: Option<batch::Calls>,
    /// With its place.
    walk: Option<(WalkPolicy, Range<usize>)>,
    /// With its place.
    shutdown: Option<(Shutdown, Range<usize>)>,
}

/// A workload, a batch without what it calls.
#[derive(Clone)]
enum TheWork {
    Tree(TreeSpec),
    Stream(StreamSpec),
    Batch(batch::Items),
}

#[derive(Clone, Default)]
pub(super) struct TheFaults {
    pub(super) faults: Faults,
    /// The first place that names a depth.
    pub(super) depth: Option<Range<usize>>,
    /// The first rule's place.
    pub(super) place: Option<Range<usize>>,
}

pub(super) fn variants(file: &raw::File, setting: &Setting<'_>) -> Result<Vec<Variant>, Problem> {
    let common = Parts {
        workload: file.workload.as_ref().map(|workload| setting.workload(workload)).transpose()?,
        latency: file.latency.as_ref().map(|latency| setting.latency(latency)).transpose()?,
        faults: Some(faults(&file.fault)?),
        downstream: file.downstream.as_ref().map(placed_downstream).transpose()?,
        call_future_bytes: file.call_future_bytes.as_ref().map(weight).transpose()?,
        dependencies: batch::dependencies(&file.dependency, setting)?,
        calls: file.calls.as_ref().map(batch::calls).transpose()?,
        walk: file.walk.as_ref().map(walk).transpose()?,
        shutdown: file.shutdown.as_ref().map(shutdown).transpose()?,
    };
    if file.variant.is_empty() {
        return Ok(vec![variant(None, Parts::default(), &common)?]);
    }
    let mut variants: Vec<Variant> = Vec::with_capacity(file.variant.len());
    for own in &file.variant {
        let name = variant_name(&own.name, &variants)?;
        let parts = Parts {
            workload: own.workload.as_ref().map(|workload| setting.workload(workload)).transpose()?,
            latency: own.latency.as_ref().map(|latency| setting.latency(latency)).transpose()?,
            faults: own.fault.as_deref().map(faults).transpose()?,
            downstream: own.downstream.as_ref().map(placed_downstream).transpose()?,
            call_future_bytes: own.call_future_bytes.as_ref().map(weight).transpose()?,
            dependencies: batch::dependencies(&own.dependency, setting)?,
            calls: own.calls.as_ref().map(batch::calls).transpose()?,
            walk: own.walk.as_ref().map(walk).transpose()?,
            shutdown: own.shutdown.as_ref().map(shutdown).transpose()?,
        };
        let checked = variant(Some((name, own.name.span())), parts, &common)?;
        if let Some(first) = variants.first().filter(|first| first.workload.kind() != checked.workload.kind())
        {
            let (kind, others) = (checked.workload.kind(), first.workload.kind());
            let problem = format!(
                "found a {kind}, expected a {others} like the variants before: a scenario has one kind"
            );
            return Err(Problem::at(own.name.span(), problem));
        }
        variants.push(checked);
    }
    Ok(variants)
}

/// Names become parts of tables, charts and commands.
pub(super) fn plain_name(name: &Spanned<String>) -> Result<String, Problem> {
    let found = name.get_ref();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if found.is_empty() || !found.chars().all(plain) {
        let problem =
            format!("found {found:?}, expected a name of the letters a to z, digits, `-`, `_` and `.`");
        return Err(Problem::at(name.span(), problem));
    }
    Ok(found.clone())
}

fn variant_name(name: &Spanned<String>, before: &[Variant]) -> Result<String, Problem> {
    let found = plain_name(name)?;
    if before.iter().any(|variant| variant.name.as_ref() == Some(&found)) {
        return Err(Problem::at(
            name.span(),
            format!("a variant named {found:?} stands in this file already"),
        ));
    }
    Ok(found)
}

fn variant(name: Option<(String, Range<usize>)>, own: Parts, common: &Parts) -> Result<Variant, Problem> {
    let (name, span) = name.unzip();
    let lacking = |what: &str| problem_at(span.as_ref(), format!("nothing says {what}"));
    let work = own.workload.or_else(|| common.workload.clone()).ok_or_else(|| {
        lacking(
            "what the work is: add a table such as `[workload.tree]`, `[workload.stream]` or `[workload.batch]`",
        )
    })?;
    let TheFaults { faults, depth, place } = own.faults.or_else(|| common.faults.clone()).unwrap_or_default();
    let placed = Placed {
        faults: place,
        depth,
        downstream: own.downstream.or_else(|| common.downstream.clone()).unzip(),
        call_future_bytes: own.call_future_bytes.or_else(|| common.call_future_bytes.clone()).unzip(),
        dependencies: batch::merged(own.dependencies, &common.dependencies),
        calls: own.calls.or_else(|| common.calls.clone()).unzip(),
        walk: own.walk.or_else(|| common.walk.clone()).unzip(),
        shutdown: own.shutdown.or_else(|| common.shutdown.clone()).unzip(),
    };
    placed.suits(&work)?;
    let patience = placed.calls.0.unwrap_or_default();
    let latency = own.latency.or_else(|| common.latency.clone());
    let (workload, latency) = match work {
        TheWork::Batch(items) => {
            let workload =
                batch::workload(&items, placed.dependencies, latency.as_ref(), &patience, span.as_ref())?;
            (workload, latency.unwrap_or_else(|| Latency::constant(Duration::ZERO)))
        }
        TheWork::Tree(tree) => (Workload::Tree(tree), latency.ok_or_else(|| lacking(CALLS_TAKE))?),
        TheWork::Stream(stream) => (Workload::Stream(stream), latency.ok_or_else(|| lacking(CALLS_TAKE))?),
    };
    Ok(Variant {
        name,
        workload,
        latency,
        faults,
        downstream: placed.downstream.0,
        call_future_bytes: placed.call_future_bytes.0.unwrap_or_default(),
        patience,
        walk: placed.walk.0,
        shutdown: placed.shutdown.0,
    })
}

const CALLS_TAKE: &str = "how long a call takes: add `[latency]` with, say, `constant = \"10ms\"`";

/// What suits only some workloads, each with its place.
struct Placed {
    faults: Option<Range<usize>>,
    depth: Option<Range<usize>>,
    downstream: (Option<DownstreamSpec>, Option<Range<usize>>),
    call_future_bytes: (Option<usize>, Option<Range<usize>>),
    dependencies: Vec<batch::Dependency>,
    calls: (Option<Patience>, Option<Range<usize>>),
    walk: (Option<WalkPolicy>, Option<Range<usize>>),
    shutdown: (Option<Shutdown>, Option<Range<usize>>),
}

impl Placed {
    /// A key that the workload has no use for would do nothing.
    fn suits(&self, work: &TheWork) -> Result<(), Problem> {
        let dependency = self.dependencies.first().map(batch::Dependency::place);
        let for_batches = "this is for batches: what serves the calls of another workload is said at the top";
        let unsuited: &[(&Option<Range<usize>>, &str)] = match work {
            TheWork::Tree(_) => &[
                (
                    &self.shutdown.1,
                    "a walk is not shut down: this is for streams, and `walk.deadline` for trees",
                ),
                (&dependency, for_batches),
                (&self.calls.1, "this is for batches: a tree has `[walk]`"),
            ],
            TheWork::Stream(_) => &[
                (&self.depth, "a stream has no depth: `depth` chooses among the nodes of a tree"),
                (&self.walk.1, "a stream is not walked: this is for trees"),
                (&dependency, for_batches),
                (&self.calls.1, "this is for batches: a stream has no use for it"),
            ],
            TheWork::Batch(_) => &[
                (&self.faults, "a batch's faults are those of its dependencies: say `dependency.NAME.fault`"),
                (
                    &self.downstream.1,
                    "each dependency of a batch has its own: say `dependency.NAME.downstream`",
                ),
                (&self.call_future_bytes.1, "a call of a batch weighs what it weighs: leave this out"),
                (&self.walk.1, "a batch is not walked: this is for trees, and `[calls]` for batches"),
                (
                    &self.shutdown.1,
                    "a batch is not shut down: this is for streams, and `calls.deadline` for batches",
                ),
            ],
        };
        if let Some((Some(place), problem)) = unsuited.iter().find(|(place, _)| place.is_some()) {
            return Err(Problem::at(place.clone(), *problem));
        }
        if let (TheWork::Tree(tree), (Some(policy), Some(place))) = (work, &self.walk)
            && tree.is_graph()
            && policy.retry.is_some()
            && !policy.seen
        {
            let problem = "a node of a graph that is met again would pass for one that is called again: add \
                           `seen = true`";
            return Err(Problem::at(place.clone(), problem));
        }
        Ok(())
    }
}

fn walk(raw: &Spanned<raw::Walk>) -> Result<(WalkPolicy, Range<usize>), Problem> {
    Ok((policy(raw)?, raw.span()))
}

fn shutdown(raw: &Spanned<raw::Shutdown>) -> Result<(Shutdown, Range<usize>), Problem> {
    let raw::Shutdown { at, drain } = raw.get_ref();
    let shutdown = Shutdown { at: spanned(at, text::in_earnest)?, drain: spanned(drain, text::in_earnest)? };
    Ok((shutdown, raw.span()))
}

fn weight(bytes: &Spanned<raw::Whole>) -> Result<(usize, Range<usize>), Problem> {
    let found = bytes.get_ref().0;
    let weight =
        WEIGHTS.into_iter().find(|weight| i128::try_from(*weight) == Ok(found)).ok_or_else(|| {
            let [most @ .., last] = WEIGHTS.map(|weight| weight.to_string());
            Problem::at(bytes.span(), format!("found {found}, expected one of {} or {last}", most.join(", ")))
        })?;
    Ok((weight, bytes.span()))
}

fn placed_downstream(raw: &Spanned<raw::Downstream>) -> Result<(DownstreamSpec, Range<usize>), Problem> {
    Ok((downstream(raw)?, raw.span()))
}

pub(super) fn downstream(raw: &Spanned<raw::Downstream>) -> Result<DownstreamSpec, Problem> {
    let raw = raw.get_ref();
    Ok(DownstreamSpec {
        capacity: positive(&raw.capacity, u32::MAX.into())?,
        when_full: match raw.when_full {
            raw::WhenFull::Reject => WhenFull::Reject,
            raw::WhenFull::Queue => WhenFull::Queue,
        },
        per_second: raw.per_second.as_ref().map(|rate| positive(rate, u32::MAX.into())).transpose()?,
    })
}

pub(super) fn faults(raw: &[Spanned<raw::Fault>]) -> Result<TheFaults, Problem> {
    let rules = raw.iter().map(rule).collect::<Result<Vec<Rule>, Problem>>()?;
    let depth = raw.iter().find_map(|fault| fault.get_ref().every.as_ref()?.get_ref().depth.as_ref());
    let place = raw.first().map(Spanned::span);
    Ok(TheFaults { faults: Faults::new(rules), depth: depth.map(Spanned::span), place })
}

fn rule(raw: &Spanned<raw::Fault>) -> Result<Rule, Problem> {
    let fault = raw.get_ref();
    let which = match (&fault.share, &fault.every) {
        (Some(share), None) => Which::Share(share.get_ref().0),
        (None, Some(every)) => Which::Every {
            nth: positive(&every.get_ref().nth, u32::MAX.into())?,
            depth: every.get_ref().depth.as_ref().map(|depth| count(depth, 0)).transpose()?,
        },
        (Some(_), Some(every)) => {
            return Err(Problem::at(
                every.span(),
                "found `every` beside `share`, expected exactly one of them",
            ));
        }
        (None, None) => {
            let problem = "nothing says which calls it is: add `share = 0.02` or `every = { nth = 50 }`";
            return Err(Problem::at(raw.span(), problem));
        }
    };
    let answer = match fault.answer {
        raw::Answer::Error => Answer::Error,
        raw::Answer::Fatal => Answer::Fatal,
        raw::Answer::Panic => Answer::Panic,
        raw::Answer::Never => Answer::Never,
    };
    let place = fault.share.as_ref().map_or_else(|| raw.span(), Spanned::span);
    let rule = Rule::new(which, answer).map_err(|error| Problem::at(place, error.to_string()))?;
    match &fault.first_calls {
        None => Ok(rule),
        Some(calls) => positive(calls, u32::MAX.into()).map(|calls| rule.first(calls)),
    }
}

impl Setting<'_> {
    fn workload(&self, raw: &OneOf<raw::Workload>) -> Result<TheWork, Problem> {
        let tree = match &raw.0 {
            raw::Workload::Tree(raw::FullTree { branching, depth }) => {
                at(depth, TreeSpec::full(count(branching, 1)?, count(depth, 0)?))?
            }
            raw::Workload::Chain(chain) => at(&chain.nodes, TreeSpec::chain(count(&chain.nodes, 1)?))?,
            raw::Workload::Star(star) => at(&star.leaves, TreeSpec::star(count(&star.leaves, 0)?))?,
            raw::Workload::Random(raw::RandomTree { nodes, branching }) => {
                at(nodes, TreeSpec::random(self::branching(branching)?, count(nodes, 1)?))?
            }
            raw::Workload::Listing(listing) => {
                TreeSpec::listing(spanned(&listing.path, |path| work::listing(Path::new(path), self.files))?)
            }
            raw::Workload::Diamond(diamond) => {
                at(&diamond.parents, TreeSpec::diamond(count(&diamond.parents, 1)?))?
            }
            raw::Workload::Cycle(cycle) => at(&cycle.nodes, TreeSpec::cycle(count(&cycle.nodes, 1)?))?,
            raw::Workload::Complete(complete) => {
                at(&complete.nodes, TreeSpec::complete(count(&complete.nodes, 1)?))?
            }
            raw::Workload::Empty(raw::Nothing {}) => TreeSpec::empty(),
            raw::Workload::Stream(stream) => return self.stream(stream).map(TheWork::Stream),
            raw::Workload::Batch(raw) => return batch::items(raw).map(TheWork::Batch),
        };
        Ok(TheWork::Tree(tree))
    }

    fn stream(&self, raw: &raw::Stream) -> Result<StreamSpec, Problem> {
        let payload = spanned(&raw.payload, text::size)?;
        let fits = usize::try_from(payload).ok().filter(|_| payload <= self.memory);
        let payload_bytes = fits.ok_or_else(|| {
            let (found, memory) = (raw.payload.get_ref(), ByteSize(self.memory));
            let problem = format!("found {found:?}, expected at most what `memory` gives a cell: {memory}");
            Problem::at(raw.payload.span(), problem)
        })?;
        let arrivals = match &raw.arrivals.0 {
            raw::Arrivals::AtOnce => Arrivals::AtOnce,
            raw::Arrivals::Even(rate) => Arrivals::Even { per_second: positive(rate, u32::MAX.into())? },
            raw::Arrivals::Poisson(rate) => {
                Arrivals::Poisson { per_second: positive(rate, u32::MAX.into())? }
            }
        };
        Ok(StreamSpec::new(count(&raw.messages, 0)?, payload_bytes, arrivals))
    }

    pub(super) fn latency(&self, raw: &OneOf<raw::Latency>) -> Result<Latency, Problem> {
        let read = |words| spanned(words, text::in_earnest);
        let (latency, span) = match &raw.0 {
            raw::Latency::Constant(latency) => (Latency::constant(read(latency)?), latency.span()),
            raw::Latency::Uniform(uniform) => {
                let raw::MinMax { min, max } = uniform.get_ref();
                (at(uniform, Latency::uniform(read(min)?, read(max)?))?, uniform.span())
            }
            raw::Latency::Exponential(mean) => (at(mean, Latency::exponential(read(mean)?))?, mean.span()),
            raw::Latency::LogNormal(log_normal) => {
                let raw::LogNormal { median, sigma } = log_normal.get_ref();
                (at(log_normal, Latency::log_normal(read(median)?, sigma.get_ref().0))?, log_normal.span())
            }
            raw::Latency::Samples(raw::FileRef { path }) => {
                (spanned(path, |path| work::samples(Path::new(path), self.files))?, path.span())
            }
        };
        if self.on_virtual {
            fit_for_virtual(&latency).map_err(|error| Problem::at(span, error.to_string()))?;
        }
        Ok(latency)
    }
}

fn branching(raw: &OneOf<raw::Branching>) -> Result<Branching, Problem> {
    match &raw.0 {
        raw::Branching::Uniform(uniform) => {
            let raw::MinMax { min, max } = uniform.get_ref();
            at(uniform, Branching::uniform(count(min, 0)?, count(max, 0)?))
        }
        raw::Branching::Geometric(mean) => at(mean, Branching::geometric(mean.get_ref().0)),
        raw::Branching::Skewed(skewed) => {
            let raw::Skewed { exponent, max } = skewed.get_ref();
            at(skewed, Branching::skewed(exponent.get_ref().0, count(max, 0)?))
        }
    }
}

/// A number of nodes or messages.
fn count(number: &Spanned<raw::Whole>, min: u64) -> Result<u32, Problem> {
    whole(number, min..=u32::MAX.into())
}

/// Points at what cannot be made.
fn at<R, T>(raw: &Spanned<R>, made: Result<T, impl Display>) -> Result<T, Problem> {
    made.map_err(|problem| Problem::at(raw.span(), problem.to_string()))
}
