use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use fanout_probe::{ObservedHandler, ObservedSource};
use fanout_record::{CellId, WorkloadKind};
use fanout_scenario::{Shutdown, Variant};
use fanout_simulation::{
    Facts, Message, Service, SimulatedHandler, SimulatedSource, StreamSpec, Tally as Settled, Timer,
};
use fanout_workload::{Handler, Source};
use tokio_util::sync::CancellationToken;

use super::account::{Account, Tally};
use super::clock::{CellClock, Wreck};
use super::measure::{Known, Measured};
use super::shutdown::{Dropped, Stopped};
use crate::strategy::{Consume, Drainer};

/// A stream that is to be consumed and measured.
pub(crate) struct StreamCell<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) variant: &'a Variant,
    pub(crate) stream: &'a StreamSpec,
    pub(crate) clock: CellClock,
}

/// One of the two ways in which a strategy consumes.
trait Manner {
    type Account: Account;

    /// When it is dropped, if it is.
    fn dropped_at(&self) -> Option<Duration>;

    fn consume<S, H>(
        &self,
        source: S,
        handler: Arc<H>,
        limit: NonZeroUsize,
        timer: Timer,
    ) -> impl Future<Output = Self::Account>
    where
        S: Source,
        H: Handler<S::Delivery>;
}

/// To the stream's end, unless it is dropped.
struct Whole<'a, C>(&'a C, Option<Duration>);

impl<C: Consume> Manner for Whole<'_, C> {
    type Account = Tally;

    fn dropped_at(&self) -> Option<Duration> {
        self.1
    }

    async fn consume<S, H>(&self, source: S, handler: Arc<H>, limit: NonZeroUsize, _: Timer) -> Tally
    where
        S: Source,
        H: Handler<S::Delivery>,
    {
        let consumed = self.0.consume(source, handler, limit).await;
        Tally { visited: consumed.handled, failed: consumed.failed }
    }
}

/// Until it is told to stop.
struct Until<'a, D>(&'a D, Shutdown);

impl<D: Drainer> Manner for Until<'_, D> {
    type Account = Stopped;

    fn dropped_at(&self) -> Option<Duration> {
        None
    }

    async fn consume<S, H>(&self, source: S, handler: Arc<H>, limit: NonZeroUsize, timer: Timer) -> Stopped
    where
        S: Source,
        H: Handler<S::Delivery>,
    {
        let Shutdown { at, drain } = self.1;
        let stop = CancellationToken::new();
        let mut consume = pin!(self.0.consume_until(source, handler, limit, stop.clone(), drain));
        let early = tokio::select! {
            biased;
            drained = consume.as_mut() => Some(drained),
            () = timer.sleep(at) => None,
        };
        let drained = match early {
            Some(drained) => drained,
            None => {
                stop.cancel();
                consume.await
            }
        };
        Stopped { drained, at }
    }
}

impl StreamCell<'_> {
    /// Measures one strategy. One that is to be shut down is dropped: nobody can tell it to stop.
    pub(crate) fn run<C: Consume>(&self, strategy: &C) -> Measured {
        self.measure(&Whole(strategy, self.variant.shutdown.map(|shutdown| shutdown.at)))
    }

    /// Measures one strategy that can be told to stop.
    pub(crate) fn drain<D: Drainer>(&self, strategy: &D, shutdown: Shutdown) -> Measured {
        self.measure(&Until(strategy, shutdown))
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
            let at = manner.dropped_at();
            // Pinned out here, so that what it holds is there to be read when it is given up.
            let mut consume = pin!(manner.consume(source, handler, limit, clock.timer()));
            let consume = async {
                let account = match at {
                    None => Some(consume.as_mut().await),
                    Some(at) => tokio::select! {
                        biased;
                        account = consume.as_mut() => Some(account),
                        () = clock.timer().sleep(at) => None,
                    },
                };
                Dropped { account, at }
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
            services: &[&service],
            calls: Some(facts.items),
            bounded: self.variant.shutdown.is_none(),
        };
        let mut measured = known.measure(run);
        measured.row.discovered = Some(facts.items);
        measured.row.taken_peak = Some(taken_peak);
        measured.row.returned = Some(settled.returned());
        measured
    }
}
