use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_deadlock::Slots;
use fanout_probe::{Mark, ObservedTree};
use fanout_record::{CellId, WorkloadKind};
use fanout_scenario::Variant;
use fanout_simulation::{Facts, Node, Service, SimulatedTree, TreeSpec};

use super::clock::{CellClock, Wreck};
use super::measure::{Known, Measured, Tally};
use crate::strategy::Walk;

const MARK: Mark<Node> = Mark { get: |node| node.mark, set: |node, mark| node.mark = mark };

/// A walk that is to be measured.
pub(crate) struct TreeCell<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) variant: &'a Variant,
    pub(crate) tree: &'a TreeSpec,
    pub(crate) clock: CellClock,
}

impl TreeCell<'_> {
    /// Measures one strategy. What a call's future weighs is a type's matter, so here is where numbers become types.
    pub(crate) fn run<W: Walk>(&self, strategy: &W) -> Measured {
        match self.variant.call_future_bytes {
            1024 => self.run_weighing::<W, 1024>(strategy),
            2048 => self.run_weighing::<W, 2048>(strategy),
            4096 => self.run_weighing::<W, 4096>(strategy),
            _ => self.run_weighing::<W, 0>(strategy),
        }
    }

    fn run_weighing<W: Walk, const WEIGHT: usize>(&self, strategy: &W) -> Measured {
        let Variant { latency, faults, downstream, .. } = self.variant;
        let seed = self.cell.seed;
        let shape = self.tree.build(seed);
        let facts = Facts::of_tree(&shape, latency, faults, seed);
        let clock = CellClock { longest_pause: facts.longest_latency, ..self.clock };
        let service =
            Arc::new(Service::new(clock.timer(), seed, latency.clone(), faults.clone(), *downstream));
        let limit = self.cell.limit.unwrap_or(NonZeroUsize::MAX);
        let slots = Slots::new(slots_of(limit));

        let runtime = clock.runtime();
        let run = runtime.block_on(async {
            let probe = clock.probe();
            let simulated = SimulatedTree::<WEIGHT>::new(shape.clone(), Arc::clone(&service));
            let tree = Arc::new(ObservedTree::new(simulated, probe.clone(), MARK));
            let roots = tree.reveal(shape.root().into_iter().collect());
            let walk = async {
                let walked = strategy.walk(tree, roots, limit, slots.clone()).await;
                Tally { visited: walked.visited, failed: walked.failed.len() }
            };
            let wreck = || {
                let report = slots.report(|node| shape.path(*node));
                let holders = (!report.holders.is_empty()).then(|| report.to_string());
                Wreck { hanging: service.hanging(), holders }
            };
            clock.run(walk, &probe, 0, wreck).await
        });
        runtime.shutdown_background();

        let calls = downstream.is_none().then_some(facts.reachable);
        let known =
            Known { cell: self.cell, workload: WorkloadKind::Tree, facts: &facts, service: &service, calls };
        known.measure(run)
    }
}

/// A semaphore takes fewer slots than a `usize` can count.
fn slots_of(limit: NonZeroUsize) -> NonZeroUsize {
    limit.min(NonZeroUsize::new(tokio::sync::Semaphore::MAX_PERMITS).expect("tokio allows some permits"))
}
