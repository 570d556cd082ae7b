use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_deadlock::Slots;
use fanout_probe::{Mark, ObservedTree};
use fanout_record::{CellId, Outcome, WorkloadKind};
use fanout_scenario::{Variant, WalkPolicy};
use fanout_simulation::{CallError, Facts, Node, Service, Shape, SimulatedTree, TreeSpec};
use fanout_workload::Tree;

use super::account::{Account, Tally};
use super::clock::{CellClock, Wreck};
use super::measure::{Known, Measured};
use super::survey::{Surveyed, policy};
use crate::strategy::{Surveyor, Walk};

const MARK: Mark<Node> = Mark { get: |node| node.mark, set: |node, mark| node.mark = mark };

/// A walk that is to be measured.
pub(crate) struct TreeCell<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) variant: &'a Variant,
    pub(crate) tree: &'a TreeSpec,
    pub(crate) clock: CellClock,
}

/// One of the two ways in which a strategy walks.
trait Manner {
    type Account: Account;

    /// What it heeds of what walks are told.
    fn policy(&self) -> WalkPolicy;

    fn walk<T>(&self, tree: Arc<T>, task: Task) -> impl Future<Output = Self::Account>
    where
        T: Tree<Node = Node, Error = CallError>;
}

/// What a walk is given beside its tree.
struct Task {
    shape: Shape,
    roots: Vec<Node>,
    limit: NonZeroUsize,
    slots: Slots<Node>,
    seed: u64,
}

/// All there is, once.
struct Whole<'a, W>(&'a W);

impl<W: Walk> Manner for Whole<'_, W> {
    type Account = Tally;

    fn policy(&self) -> WalkPolicy {
        WalkPolicy::default()
    }

    async fn walk<T>(&self, tree: Arc<T>, task: Task) -> Tally
    where
        T: Tree<Node = Node, Error = CallError>,
    {
        let walked = self.0.walk(tree, task.roots, task.limit, task.slots).await;
        Tally { visited: walked.visited, failed: walked.failed.len() }
    }
}

/// As a policy says.
struct Told<'a, S>(&'a S, WalkPolicy);

impl<S: Surveyor> Manner for Told<'_, S> {
    type Account = Surveyed;

    fn policy(&self) -> WalkPolicy {
        self.1
    }

    async fn walk<T>(&self, tree: Arc<T>, task: Task) -> Surveyed
    where
        T: Tree<Node = Node, Error = CallError>,
    {
        let survey = self.0.survey(tree, task.roots, task.limit, policy(&self.1, task.seed)).await;
        Surveyed { survey, policy: self.1, shape: task.shape }
    }
}

impl TreeCell<'_> {
    /// Measures one strategy.
    pub(crate) fn run<W: Walk>(&self, strategy: &W) -> Measured {
        self.measure(&Whole(strategy))
    }

    /// Measures one strategy that heeds a policy.
    pub(crate) fn survey<S: Surveyor>(&self, strategy: &S, policy: &WalkPolicy) -> Measured {
        self.measure(&Told(strategy, *policy))
    }

    /// What a call's future weighs is a type's matter, so here is where numbers become types.
    fn measure<M: Manner>(&self, manner: &M) -> Measured {
        match self.variant.call_future_bytes {
            1024 => self.measure_weighing::<M, 1024>(manner),
            2048 => self.measure_weighing::<M, 2048>(manner),
            4096 => self.measure_weighing::<M, 4096>(manner),
            _ => self.measure_weighing::<M, 0>(manner),
        }
    }

    fn measure_weighing<M: Manner, const WEIGHT: usize>(&self, manner: &M) -> Measured {
        let Variant { latency, faults, downstream, .. } = self.variant;
        let (seed, policy) = (self.cell.seed, manner.policy());
        let shape = self.tree.build(seed);
        let facts = Facts::of_tree(&shape, latency, faults, seed);
        let longest_pause = facts.longest_latency.max(policy.longest_pause());
        let clock = CellClock { longest_pause, ..self.clock };
        let mut service = Service::new(clock.timer(), seed, latency.clone(), faults.clone(), *downstream);
        let retries = policy.retry.is_some();
        if retries || faults.heed_attempts() {
            service = service.counting_attempts(shape.nodes() as usize);
        }
        let service = Arc::new(service);
        let limit = self.cell.limit.unwrap_or(NonZeroUsize::MAX);
        let slots = Slots::new(slots_of(limit));

        let runtime = clock.runtime();
        let run = runtime.block_on(async {
            let probe = clock.probe();
            let simulated = SimulatedTree::<WEIGHT>::new(shape.clone(), Arc::clone(&service));
            let mut tree = ObservedTree::new(simulated, probe.clone(), MARK);
            if retries {
                let service = Arc::clone(&service);
                tree = tree.retried_if(move |node: &Node| service.calls_of(node.index.into()) > 0);
            }
            let roots = tree.reveal(shape.root().into_iter().collect());
            let task = Task { shape: shape.clone(), roots, limit, slots: slots.clone(), seed };
            let walk = manner.walk(Arc::new(tree), task);
            let wreck = || {
                let report = slots.report(|node| shape.path(*node));
                let holders = (!report.holders.is_empty()).then(|| report.to_string());
                Wreck { hanging: service.hanging(), holders }
            };
            clock.run(walk, &probe, 0, wreck).await
        });
        runtime.shutdown_background();

        let known = Known {
            cell: self.cell,
            workload: WorkloadKind::Tree,
            facts: &facts,
            services: &[&service],
            // Of a graph it depends on what the walk keeps account of.
            calls: (downstream.is_none() && !shape.is_graph()).then_some(facts.reachable),
            bounded: policy.keeps_calls() && !shape.is_graph(),
        };
        let mut measured = known.measure(run);
        if let Some(held) = slots.held_waiting(|node| shape.path(*node)) {
            let row = &mut measured.row;
            row.held_waiting_peak = Some(held.peak as u64);
            // It ended well this time: that is worth a warning.
            if row.outcome == Outcome::Complete && held.peak > 0 {
                row.reason = Some(held.to_string());
            }
        }
        measured
    }
}

/// A semaphore takes fewer slots than a `usize` can count.
fn slots_of(limit: NonZeroUsize) -> NonZeroUsize {
    limit.min(NonZeroUsize::new(tokio::sync::Semaphore::MAX_PERMITS).expect("tokio allows some permits"))
}
