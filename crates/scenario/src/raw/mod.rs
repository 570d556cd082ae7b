//! A scenario's file as TOML has it, before anything is checked but names and types. Nothing in here is public: what
//! passes the checks is a [`Scenario`](crate::Scenario).

mod batch;
mod expect;
mod one_of;
mod one_or_more;
mod order;
mod published;
mod value;
mod walk;

use fanout_record::{Axis, Clock};
use serde::Deserialize;
use toml::Spanned;

pub(crate) use batch::{Batch, Calls, Dependency, Manner};
pub(crate) use expect::{Bound, Entry, KnownMetric, LimitRange, Side};
pub(crate) use one_of::{Choice, OneOf};
pub(crate) use one_or_more::OneOrMore;
pub(crate) use order::InOrder;
pub(crate) use published::Published;
pub(crate) use value::{Number, Whole};
pub(crate) use walk::{Retry, Walk};

/// A list of which both the whole and each part can be pointed at.
pub(crate) type List<T> = Spanned<Vec<Spanned<T>>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct File {
    pub title: Spanned<String>,
    pub analysis: Spanned<String>,
    pub axis: Option<Spanned<Axis>>,
    pub seeds: Option<List<Whole>>,
    pub limits: Option<List<Whole>>,
    pub wall_limits: Option<List<Whole>>,
    pub clocks: Option<List<Clock>>,
    pub runs: Option<Spanned<Whole>>,
    pub threads: Option<List<Whole>>,
    pub timeout: Option<Spanned<String>>,
    pub memory: Option<Spanned<String>>,
    pub call_future_bytes: Option<Spanned<Whole>>,
    pub workload: Option<OneOf<Workload>>,
    pub latency: Option<OneOf<Latency>>,
    #[serde(default)]
    pub fault: Vec<Spanned<Fault>>,
    pub downstream: Option<Spanned<Downstream>>,
    #[serde(default)]
    pub dependency: InOrder<String, Spanned<Dependency>>,
    pub calls: Option<Spanned<Calls>>,
    pub walk: Option<Spanned<Walk>>,
    pub shutdown: Option<Spanned<Shutdown>>,
    #[serde(default)]
    pub variant: Vec<Variant>,
    #[serde(default)]
    pub strategy: InOrder<String, Strategy>,
}

/// What a variant says replaces what the file says, key by key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Variant {
    pub name: Spanned<String>,
    pub call_future_bytes: Option<Spanned<Whole>>,
    pub workload: Option<OneOf<Workload>>,
    pub latency: Option<OneOf<Latency>>,
    pub fault: Option<Vec<Spanned<Fault>>>,
    pub downstream: Option<Spanned<Downstream>>,
    #[serde(default)]
    pub dependency: InOrder<String, Spanned<Dependency>>,
    pub calls: Option<Spanned<Calls>>,
    pub walk: Option<Spanned<Walk>>,
    pub shutdown: Option<Spanned<Shutdown>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Workload {
    Tree(FullTree),
    Chain(Chain),
    Star(Star),
    Random(RandomTree),
    Listing(FileRef),
    Diamond(Diamond),
    Cycle(Cycle),
    Complete(Complete),
    Empty(Nothing),
    Stream(Stream),
    Batch(Batch),
}

impl Choice for Workload {
    const EXPECTED: &str = "one of `tree`, `chain`, `star`, `random`, `listing`, `diamond`, `cycle`, \
                           `complete`, `empty`, `stream` or `batch`";
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Nothing {}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct FullTree {
    pub branching: Spanned<Whole>,
    pub depth: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Chain {
    pub nodes: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Star {
    pub leaves: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Diamond {
    pub parents: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Cycle {
    pub nodes: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Complete {
    pub nodes: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct RandomTree {
    pub nodes: Spanned<Whole>,
    pub branching: OneOf<Branching>,
}

/// How many children a node of a random tree has.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Branching {
    Uniform(Spanned<MinMax<Whole>>),
    /// By their mean.
    Geometric(Spanned<Number>),
    Skewed(Spanned<Skewed>),
}

impl Choice for Branching {
    const EXPECTED: &str = "one of `uniform`, `geometric` or `skewed`";
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Skewed {
    pub exponent: Spanned<Number>,
    pub max: Spanned<Whole>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct FileRef {
    pub path: Spanned<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Stream {
    pub messages: Spanned<Whole>,
    pub payload: Spanned<String>,
    pub arrivals: OneOf<Arrivals>,
}

/// When messages arrive; rates are per second.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Arrivals {
    AtOnce,
    Even(Spanned<Whole>),
    Poisson(Spanned<Whole>),
}

impl Choice for Arrivals {
    const EXPECTED: &str = "\"at-once\", or a rate per second as `even` or `poisson`";
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Latency {
    Constant(Spanned<String>),
    Uniform(Spanned<MinMax<String>>),
    Exponential(Spanned<String>),
    LogNormal(Spanned<LogNormal>),
    Samples(FileRef),
}

impl Choice for Latency {
    const EXPECTED: &str = "one of `constant`, `uniform`, `exponential`, `log-normal` or `samples`";
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct MinMax<T> {
    pub min: Spanned<T>,
    pub max: Spanned<T>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct LogNormal {
    pub median: Spanned<String>,
    pub sigma: Spanned<Number>,
}

/// Exactly one of `share` and `every` is there: checked later, since a fault has other keys beside them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Fault {
    pub share: Option<Spanned<Number>>,
    pub every: Option<Spanned<Every>>,
    /// Only the first so many calls of each item.
    pub first_calls: Option<Spanned<Whole>>,
    #[serde(default)]
    pub answer: Answer,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Every {
    pub nth: Spanned<Whole>,
    pub depth: Option<Spanned<Whole>>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    #[default]
    Error,
    Fatal,
    Panic,
    Never,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", expecting = "a table")]
pub(crate) struct Downstream {
    pub capacity: Spanned<Whole>,
    pub when_full: WhenFull,
    pub per_second: Option<Spanned<Whole>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Shutdown {
    pub at: Spanned<String>,
    pub drain: Spanned<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum WhenFull {
    Reject,
    Queue,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub(crate) struct Strategy {
    pub clocks: Option<List<Clock>>,
    pub limits: Option<List<Whole>>,
    pub variants: Option<List<String>>,
    pub runs: Option<Spanned<Whole>>,
    pub expect: Option<Spanned<OneOrMore<Entry>>>,
    pub published: Option<Spanned<OneOrMore<Published>>>,
}
