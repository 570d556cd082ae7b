use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_deadlock::Slots;
use fanout_probe::{
    Counts, LONG_POLL, LoopLag, ObservedBatch, Percentiles, Polls, Probe, Reading, Slice, Took,
};
use fanout_record::{Bin, CellId, Clock, DependencyRow, WorkloadKind};
use fanout_resilience::Patience;
use fanout_scenario::Variant;
use fanout_simulation::{BatchSpec, DependencySpec, Facts, Manner, Reply, Service, SimulatedBatch};

use super::blocked;
use super::clock::{CellClock, Wreck};
use super::measure::{Known, Measured, nanoseconds};
use super::servings::Servings;
use crate::strategy::{FanOut, Order};

/// A batch that is to be fanned out and measured.
pub(crate) struct BatchCell<'a> {
    pub(crate) cell: &'a CellId,
    pub(crate) variant: &'a Variant,
    pub(crate) batch: &'a BatchSpec,
    pub(crate) clock: CellClock,
}

/// What the instruments say beside the probe of all calls.
struct Instruments {
    dependencies: Vec<Reading>,
    /// Of each dependency, once nothing of the batch is left, or moves.
    timelines: Vec<Vec<Slice>>,
    /// Once nothing of the batch is left, or moves.
    later: Reading,
    loop_lag: Option<Percentiles>,
    /// Who holds the blocking pool of a batch that is stuck.
    pool: Option<String>,
}

impl BatchCell<'_> {
    /// Measures one strategy.
    pub(crate) fn run<F: FanOut>(&self, strategy: &F) -> Measured {
        let (seed, patience) = (self.cell.seed, self.variant.patience);
        let facts = Facts::of_batch(self.batch, seed);
        let longest_pause = longest_pause(facts.longest_latency, &patience);
        let clock = CellClock { longest_pause, ..self.clock };
        let simulated = Arc::new(SimulatedBatch::new(self.batch, clock.timer(), seed));
        let polls = (self.cell.clock == Clock::Wall).then(Polls::default);

        let runtime = clock.runtime_with(self.batch.blocking_threads());
        let metrics = runtime.metrics();
        let (run, instruments) = runtime.block_on(async {
            let loop_lag = (self.cell.clock == Clock::Wall).then(LoopLag::start);
            let probe = || clock.probe_beside(u64::from(loop_lag.is_some()));
            let each: Vec<Probe> = self.batch.dependencies().iter().map(|_| probe()).collect();
            let all = probe();
            let order = self.order(&simulated, &all, &each, polls.as_ref());
            let threads = order.threads.clone();
            let fan_out = async {
                let answers = strategy.fan_out(order).await;
                for probe in each.iter().chain([&all]) {
                    probe.follow();
                }
                (answers, all.now_ns())
            };
            let hanging = || simulated.services().iter().map(Service::hanging).sum();
            let wreck = || Wreck { hanging: hanging(), holders: holders(&threads) };
            let run = clock.run(fan_out, &all, 0, wreck).await;
            let pool = run.output.as_ref().err().and_then(|_| holders_in_a_line(&threads));
            let loop_lag = loop_lag.as_ref().and_then(LoopLag::read);
            let dependencies = each.iter().map(Probe::read).collect();
            if run.output.is_ok() {
                aftermath(clock, &all, longest_pause).await;
            }
            let timelines = each.iter().map(|probe| probe.read().timeline).collect();
            (run, Instruments { dependencies, timelines, later: all.read(), loop_lag, pool })
        });
        let blocked = match (&run.output, self.cell.clock) {
            (Err(_), Clock::Wall) => blocked::workers(&metrics),
            _ => None,
        };
        runtime.shutdown_background();

        let mut run = run.map(|(answers, ended_ns)| Servings::of(&answers, ended_ns, patience.deadline));
        let account = run.output.as_ref().ok().copied();
        let services: Vec<&Service> = simulated.services().iter().collect();
        let reading = run.reading.clone();
        // What the strategy has left behind is part of what it did: the timeline goes on to the end of that.
        run.reading.timeline.clone_from(&instruments.later.timeline);
        let known = Known {
            cell: self.cell,
            workload: WorkloadKind::Batch,
            facts: &facts,
            services: &services,
            calls: None,
            bounded: false,
        };
        let mut measured = known.measure(run);
        let row = &mut measured.row;
        row.retried = Some(reading.counts.retried);
        row.ideal_ns = self.ideal_ns(&reading, row.refused);
        if let Some(account) = account {
            row.wasted_ns = Some(instruments.later.call_time_ns.saturating_sub(account.used_ns));
            row.late_calls = Some(instruments.later.counts.started - reading.counts.started);
            // A batch may end with a wait that is no call: a pause before an attempt that there is no time for.
            row.virtual_ns = row.virtual_ns.map(|_| account.ended_ns);
        }
        row.loop_lag_p50_ns = instruments.loop_lag.map(|lag| lag.p50_ns);
        row.loop_lag_p99_ns = instruments.loop_lag.map(|lag| lag.p99_ns);
        row.loop_lag_max_ns = instruments.loop_lag.map(|lag| lag.max_ns);
        if let Some(polls) = polls.map(|polls| polls.read()) {
            row.longest_poll_ns = Some(nanoseconds(polls.longest));
            row.long_polls = Some(polls.long);
            if polls.long > 0 {
                let longest = polls.longest.as_secs_f64() * 1e3;
                let long = LONG_POLL.as_millis();
                add(
                    &mut row.reason,
                    format!(
                        "{} polls of {long} ms or longer, the longest of item {}'s call: {longest:.0} ms",
                        polls.long, polls.item
                    ),
                );
            }
        }
        if let Some(held) = instruments.pool.clone() {
            add(&mut row.reason, held);
        }
        if let Some(blocked) = blocked {
            add(&mut row.reason, blocked.clone());
            measured.deadlock.get_or_insert_default().push_str(&format!("{blocked}\n"));
        }
        let own = instruments.dependencies.iter().zip(instruments.timelines);
        for ((spec, service), (reading, timeline)) in self.batch.dependencies().iter().zip(&services).zip(own)
        {
            measured.dependencies.push(dependency_row(self.cell, spec, service, reading));
            let named = |bin| Bin { dependency: Some(spec.name.clone()), ..bin };
            measured.timeline.extend(known.bins(&timeline).map(named));
        }
        measured
    }

    fn order(
        &self,
        simulated: &Arc<SimulatedBatch>,
        all: &Probe,
        each: &[Probe],
        polls: Option<&Polls>,
    ) -> Order<ObservedBatch<Arc<SimulatedBatch>>> {
        let items: Vec<u64> = (0..u64::from(self.batch.items())).collect();
        let count = u64::from(self.batch.items());
        let observed =
            ObservedBatch::new(Arc::clone(simulated), count, |item| *item, all.clone(), each.to_vec());
        let observed = match polls {
            None => observed,
            Some(polls) => observed.timing_polls(polls.clone()),
        };
        let limit = self.cell.limit.unwrap_or(NonZeroUsize::MAX);
        let dependencies = self.batch.dependencies();
        let fallbacks: Vec<bool> = dependencies.iter().map(|dependency| dependency.fallback).collect();
        Order {
            batch: Arc::new(observed),
            items,
            limit,
            limits: dependencies.iter().map(|own| own.limit.map_or(limit, |own| own.min(limit))).collect(),
            patience: self.variant.patience,
            fallback: Arc::new(move |&item, dependency| {
                let value = Reply { item, dependency };
                fallbacks[dependency].then_some(Took { value, took_ns: 0 })
            }),
            threads: Slots::new(self.batch.blocking_threads().unwrap_or(TOKIOS_BLOCKING_THREADS)),
        }
    }

    /// The bound that no schedule can beat, where each call was made once and came to its end: whoever gives calls up,
    /// or has them refused, has less to do.
    fn ideal_ns(&self, reading: &Reading, refused: Option<u64>) -> Option<u64> {
        let Counts { given, started, answered, failed, .. } = reading.counts;
        // How many threads there are for calls that keep one hangs on the strategy.
        if self.batch.dependencies().iter().any(|spec| spec.manner != Manner::Waiting) {
            return None;
        }
        if (started, answered + failed) != (given, given) || refused.unwrap_or(0) > 0 {
            return None;
        }
        let bounds = self.batch.dependencies().iter().enumerate().map(|(number, spec)| {
            let capacity = spec.downstream.map(|downstream| downstream.capacity);
            let limit = [self.cell.limit, capacity].into_iter().flatten().min();
            Facts::of_dependency(self.batch, number, self.cell.seed).ideal(limit)
        });
        bounds.max().map(nanoseconds)
    }
}

/// How many threads a runtime's blocking pool has at most where nothing else is said: tokio's own default.
const TOKIOS_BLOCKING_THREADS: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// The longest time that a run may rightly go without progress.
fn longest_pause(latency: Duration, patience: &Patience) -> Duration {
    let Patience { deadline, budget, timeout, attempts, .. } = *patience;
    // None follows the last attempt.
    let backoff = attempts.get().checked_sub(2).map_or(Duration::ZERO, |last| patience.pause(last));
    let longest = [deadline, budget, timeout].into_iter().flatten().max().unwrap_or_default();
    longest.max(latency).max(backoff)
}

/// Waits for what the strategy has left behind: until nothing has happened for as long as anything may take.
async fn aftermath(clock: CellClock, probe: &Probe, longest_pause: Duration) {
    loop {
        let before = probe.read();
        if before.counts.in_flight() == 0 && before.tasks == 0 {
            return;
        }
        clock.timer().sleep(longest_pause.max(Duration::from_millis(1))).await;
        let now = probe.read();
        if (now.counts, now.tasks) == (before.counts, before.tasks) {
            return;
        }
    }
}

/// The blocking pool's holders in a line, where it has any.
fn holders_in_a_line(threads: &Slots<String>) -> Option<String> {
    let report = threads.report(Clone::clone);
    let held = report.holders.len();
    (held > 0).then(|| format!("{held} of {} threads of the blocking pool hold a job", report.slots))
}

fn holders(threads: &Slots<String>) -> Option<String> {
    let report = threads.report(Clone::clone);
    (!report.holders.is_empty()).then(|| report.to_string())
}

fn add(reason: &mut Option<String>, more: String) {
    *reason = Some(match reason.take() {
        None => more,
        Some(reason) => format!("{reason}, {more}"),
    });
}

fn dependency_row(
    cell: &CellId,
    spec: &DependencySpec,
    service: &Service,
    reading: &Reading,
) -> DependencyRow {
    let limited = service.downstream();
    DependencyRow {
        dependency_limit: spec.limit,
        capacity: limited.map(|downstream| downstream.capacity),
        calls: Some(reading.counts.started),
        visited: Some(reading.counts.answered),
        failed: Some(reading.counts.failed),
        retried: Some(reading.counts.retried),
        cancelled: Some(reading.counts.dropped),
        refused: limited.map(|_| service.refused()),
        in_flight_peak: Some(reading.peaks.in_flight),
        in_flight_end: Some(reading.counts.in_flight()),
        downstream_queue_peak: limited.map(|_| service.waiting_peak()),
        service_p50_ns: reading.service.map(|service| service.p50_ns),
        service_p99_ns: reading.service.map(|service| service.p99_ns),
        service_max_ns: reading.service.map(|service| service.max_ns),
        response_p50_ns: reading.response.map(|response| response.p50_ns),
        response_p99_ns: reading.response.map(|response| response.p99_ns),
        response_max_ns: reading.response.map(|response| response.max_ns),
        ..DependencyRow::new(cell.clone(), spec.name.clone())
    }
}
