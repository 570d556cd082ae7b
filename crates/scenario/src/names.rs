use fanout_record::{Clock, Metric, Unit, WorkloadKind};
use strum::{Display, EnumIter, EnumString, IntoEnumIterator, IntoStaticStr};

/// What an expression may speak of that is no measurement: the cell's limit, and what its workload is known to be.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Display, EnumString, EnumIter, IntoStaticStr,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Fact {
    /// The strategy's limit.
    Limit,
    /// Nodes of the tree.
    Nodes,
    /// Levels of the tree, the root's included.
    Levels,
    /// Nodes of the tree's widest level.
    WidestLevel,
    /// Nodes that have children.
    InternalNodes,
    /// Messages of the stream.
    Messages,
    /// Items of the batch.
    Items,
    /// Dependencies of the batch.
    Dependencies,
    /// Bytes of a message's payload.
    Payload,
    /// The median latency, in nanoseconds.
    Latency,
    /// The longest sum of latencies from a root to a node, or the last arrival and its latency, in nanoseconds.
    LongestPath,
    /// The sum of all latencies, in nanoseconds.
    TotalLatency,
    /// Items that can be reached when nothing lies behind a failed node.
    Reachable,
    /// Items whose call fails.
    Failing,
}

impl Fact {
    /// In what it counts.
    #[must_use]
    pub const fn unit(self) -> Unit {
        match self {
            Self::Limit
            | Self::Nodes
            | Self::Levels
            | Self::WidestLevel
            | Self::InternalNodes
            | Self::Messages
            | Self::Items
            | Self::Dependencies
            | Self::Reachable
            | Self::Failing => Unit::Count,
            Self::Payload => Unit::Bytes,
            Self::Latency | Self::LongestPath | Self::TotalLatency => Unit::Nanoseconds,
        }
    }

    /// The kinds of workload that have it.
    #[must_use]
    pub const fn of(self) -> &'static [WorkloadKind] {
        use WorkloadKind::{Batch, Stream, Tree};
        match self {
            Self::Nodes | Self::Levels | Self::WidestLevel | Self::InternalNodes => &[Tree],
            Self::Messages | Self::Payload => &[Stream],
            Self::Items | Self::Dependencies => &[Batch],
            // Each dependency of a batch has its own.
            Self::Latency => &[Tree, Stream],
            Self::Limit | Self::LongestPath | Self::TotalLatency | Self::Reachable | Self::Failing => {
                &[Tree, Stream, Batch]
            }
        }
    }
}

/// The one clock that a metric is measured on; none: both.
pub(crate) const fn only_on(metric: Metric) -> Option<Clock> {
    match metric {
        Metric::Virtual | Metric::HeapPeak | Metric::HeapBlocks => Some(Clock::Virtual),
        Metric::Wall
        | Metric::Cpu
        | Metric::RssPeak
        | Metric::LoopLagP50
        | Metric::LoopLagP99
        | Metric::LoopLagMax
        | Metric::LongestPoll
        | Metric::LongPolls => Some(Clock::Wall),
        _ => None,
    }
}

/// The names of all metrics.
pub(crate) fn metrics() -> impl Iterator<Item = &'static str> {
    Metric::iter().map(Into::into)
}

/// The names of all facts.
pub(crate) fn facts() -> impl Iterator<Item = &'static str> {
    Fact::iter().map(Into::into)
}

/// Says that a name is not known, which one may have been meant, and which ones there are.
pub(crate) fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    format!("unknown {what} `{name}`{} (known: {})", hint(name, &known), known.join(", "))
}

/// Asks whether another name was meant; nothing where none is alike.
pub(crate) fn hint(name: &str, known: &[&str]) -> String {
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, close)| format!(", did you mean `{close}`?"))
        .unwrap_or_default()
}

/// How a unit is called in a message.
pub(crate) const fn unit_words(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "a count",
        Unit::Nanoseconds => "a time",
        Unit::Bytes => "a size",
    }
}
