use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_probe::{ObservedHandler, ObservedSource};
use fanout_record::{CellId, WorkloadKind};
use fanout_scenario::Variant;
use fanout_simulation::{
    Facts, Message, Service, SimulatedHandler, SimulatedSource, StreamSpec, Tally as Settled,
};

use super::account::Tally;
use super::clock::{CellClock, Wreck};
use super::measure::{Known, Measured};
use crate::strategy::Consume;

/// A stream that is to be consumed and measured.
pub(crate) struct StreamCell<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) variant: &'a Variant,
    pub(crate) stream: &'a StreamSpec,
    pub(crate) clock: CellClock,
}

impl StreamCell<'_> {
    /// Measures one strategy. What a call's future weighs is a type's matter, so here is where numbers become types.
    pub(crate) fn run<C: Consume>(&self, strategy: &C) -> Measured {
        match self.variant.call_future_bytes {
            1024 => self.run_weighing::<C, 1024>(strategy),
            2048 => self.run_weighing::<C, 2048>(strategy),
            4096 => self.run_weighing::<C, 4096>(strategy),
            _ => self.run_weighing::<C, 0>(strategy),
        }
    }

    fn run_weighing<C: Consume, const WEIGHT: usize>(&self, strategy: &C) -> Measured {
        let Variant { latency, faults, downstream, .. } = self.variant;
        let seed = self.cell.seed;
        let facts = Facts::of_stream(self.stream, latency, faults, seed);
        let longest_pause = facts.longest_latency.max(facts.longest_gap);
        let clock = CellClock { longest_pause, ..self.clock };
        let service =
            Arc::new(Service::new(clock.timer(), seed, latency.clone(), faults.clone(), *downstream));
        let settled = Arc::new(Settled::default());
        let limit = self.cell.limit.unwrap_or(NonZeroUsize::MAX);

        let runtime = clock.runtime();
        let run = runtime.block_on(async {
            let probe = clock.probe();
            let simulated = SimulatedHandler::<WEIGHT>::new(Arc::clone(&service));
            let handler = Arc::new(ObservedHandler::new(simulated, probe.clone(), Message::arrived));
            let simulated = SimulatedSource::new(self.stream, seed, clock.timer(), Arc::clone(&settled));
            let source = ObservedSource::new(simulated, probe.clone());
            let consume = async {
                let consumed = strategy.consume(source, handler, limit).await;
                Tally { visited: consumed.handled, failed: consumed.failed }
            };
            let wreck = || Wreck { hanging: service.hanging(), holders: None };
            clock.run(consume, &probe, facts.items, wreck).await
        });
        runtime.shutdown_background();

        let taken_peak = run.reading.peaks.taken;
        let known = Known {
            cell: self.cell,
            workload: WorkloadKind::Stream,
            facts: &facts,
            service: &service,
            calls: Some(facts.items),
            bounded: true,
        };
        let mut measured = known.measure(run);
        measured.row.discovered = Some(facts.items);
        measured.row.taken_peak = Some(taken_peak);
        measured.row.returned = Some(settled.returned());
        measured
    }
}
