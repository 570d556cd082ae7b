//! Every strategy by name, on a simulated workload under a probe.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_probe::{Mark, ObservedHandler, ObservedSource, ObservedTree, Probe, Resolution};
use fanout_simulation::{
    CallError, Faults, Latency, Message, Node, Service, Shape, SimulatedHandler, SimulatedSource,
    SimulatedTree, StreamSpec, Tally, Timer,
};
use fanout_workload::{Consumed, Walked};

/// The strategies that finish whatever the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Good {
    Sequential,
    Unbounded,
    AroundFetch,
    QueueWorkers,
    SlotFirst,
}

pub const GOOD: [Good; 5] =
    [Good::Sequential, Good::Unbounded, Good::AroundFetch, Good::QueueWorkers, Good::SlotFirst];

impl Good {
    /// Most calls that it may have in flight.
    pub fn most_in_flight(self, limit: NonZeroUsize) -> u64 {
        match self {
            Self::Sequential => 1,
            Self::Unbounded => u64::MAX,
            Self::AroundFetch | Self::QueueWorkers | Self::SlotFirst => limit.get() as u64,
        }
    }

    /// Most tasks that it may have alive.
    pub fn most_tasks(self, limit: NonZeroUsize) -> u64 {
        match self {
            Self::Sequential => 0,
            Self::Unbounded | Self::AroundFetch => u64::MAX,
            Self::QueueWorkers | Self::SlotFirst => limit.get() as u64,
        }
    }

    /// Most messages that it may have taken and not finished.
    pub fn most_taken(self, limit: NonZeroUsize) -> u64 {
        match self {
            Self::Sequential => 1,
            Self::Unbounded | Self::AroundFetch => u64::MAX,
            Self::QueueWorkers => 2 * limit.get() as u64 + 1,
            Self::SlotFirst => limit.get() as u64,
        }
    }
}

pub type Observed = ObservedTree<SimulatedTree<0>>;

/// A simulated tree under a probe, with its roots.
pub fn tree(
    shape: &Shape,
    latency: &Latency,
    faults: &Faults,
    seed: u64,
) -> (Probe, Arc<Observed>, Vec<Node>) {
    let service = Arc::new(Service::new(Timer::Virtual, seed, latency.clone(), faults.clone(), None));
    let probe = Probe::new(Resolution::Milliseconds);
    let mark = Mark { get: |node: &Node| node.mark, set: |node: &mut Node, mark| node.mark = mark };
    let tree = Arc::new(ObservedTree::new(SimulatedTree::new(shape.clone(), service), probe.clone(), mark));
    let roots = tree.reveal(shape.root().into_iter().collect());
    (probe, tree, roots)
}

pub async fn walk(
    good: Good,
    tree: Arc<Observed>,
    roots: Vec<Node>,
    limit: NonZeroUsize,
) -> Walked<Node, CallError> {
    match good {
        Good::Sequential => fanout_sequential_stack::walk(&*tree, roots).await,
        Good::Unbounded => fanout_unbounded_join_all::walk(&*tree, roots).await,
        Good::AroundFetch => fanout_semaphore_around_fetch::walk(tree, roots, limit).await,
        Good::QueueWorkers => fanout_queue_workers::walk(tree, roots, limit).await,
        Good::SlotFirst => fanout_slot_before_spawn::walk(tree, roots, limit).await,
    }
}

pub type Source = ObservedSource<SimulatedSource>;
pub type Handler = ObservedHandler<Message, SimulatedHandler<0>>;

/// A simulated stream under a probe, with what becomes of its messages.
pub fn stream(
    spec: &StreamSpec,
    latency: &Latency,
    faults: &Faults,
    seed: u64,
) -> (Probe, Source, Arc<Handler>, Arc<Tally>) {
    let service = Arc::new(Service::new(Timer::Virtual, seed, latency.clone(), faults.clone(), None));
    let probe = Probe::new(Resolution::Milliseconds);
    let tally = Arc::new(Tally::default());
    let source = SimulatedSource::new(spec, seed, Timer::Virtual, Arc::clone(&tally));
    let handler =
        ObservedHandler::new(SimulatedHandler::new(service), probe.clone(), Message::arrived as fn(&_) -> _);
    (probe.clone(), ObservedSource::new(source, probe), Arc::new(handler), tally)
}

pub async fn consume(
    good: Good,
    source: Source,
    handler: Arc<Handler>,
    limit: NonZeroUsize,
) -> Consumed<CallError> {
    match good {
        Good::Sequential => fanout_sequential_stack::consume(source, &*handler).await,
        Good::Unbounded => fanout_unbounded_join_all::consume(source, handler).await,
        Good::AroundFetch => fanout_semaphore_around_fetch::consume(source, handler, limit).await,
        Good::QueueWorkers => fanout_queue_workers::consume(source, handler, limit, limit).await,
        Good::SlotFirst => fanout_slot_before_spawn::consume(source, handler, limit).await,
    }
}

/// Live tasks of the runtime.
pub fn tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Live tasks of the runtime, once those that were cancelled have had their turn to end: a paused clock moves on only
/// when nothing can run.
pub async fn tasks_left() -> usize {
    tokio::time::sleep(Duration::from_millis(1)).await;
    tasks()
}
