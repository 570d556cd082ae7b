use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use fanout_deadlock::{Report, run};
use fanout_probe::{ObservedBatch, Probe, Reading, Resolution};
use fanout_simulation::{
    Answer, BatchSpec, DependencySpec, Faults, Latency, Manner, Reply, Rule, SimulatedBatch, Timer, Which,
};
use fanout_workload::Batch;
use proptest::prelude::*;

#[derive(Debug, Clone, Copy)]
enum Way {
    OneByOne,
    AllAtOnce,
    ALimitEach,
    Workers,
    SlotFirst,
}

const WAYS: [Way; 5] = [Way::OneByOne, Way::AllAtOnce, Way::ALimitEach, Way::Workers, Way::SlotFirst];

/// As many dependencies as there are limits, of which a third of the calls fail.
fn batch(items: u32, limits: &[NonZeroUsize]) -> BatchSpec {
    let millisecond = Duration::from_millis(1);
    let dependency = |(number, limit): (usize, &NonZeroUsize)| DependencySpec {
        name: number.to_string(),
        latency: Latency::uniform(millisecond, 20 * millisecond).expect("a range"),
        faults: Faults::new(vec![Rule::new(Which::Share(0.3), Answer::Error).expect("a share")]),
        downstream: None,
        limit: Some(*limit),
        fallback: false,
        manner: Manner::Waiting,
    };
    let dependencies = limits.iter().enumerate().map(dependency).collect();
    BatchSpec::new(items, dependencies, None).expect("at least one")
}

/// Runs it; gives back what all and each dependency saw, and the answers that were wrong.
fn fan_out(way: Way, spec: &BatchSpec, seed: u64, limit: NonZeroUsize) -> (Reading, Vec<Reading>, usize) {
    let fanned = async {
        let probe = || Probe::new(Resolution::Milliseconds);
        let (all, each): (_, Vec<Probe>) = (probe(), spec.dependencies().iter().map(|_| probe()).collect());
        let simulated = SimulatedBatch::new(spec, Timer::Virtual, seed);
        let count = u64::from(spec.items());
        let batch = Arc::new(ObservedBatch::new(simulated, count, |item| *item, all.clone(), each.clone()));
        let items: Vec<u64> = (0..count).collect();
        let answers = match way {
            Way::OneByOne => fanout_sequential_stack::fan_out(&*batch, items).await,
            Way::AllAtOnce => fanout_unbounded_join_all::fan_out(&*batch, items).await,
            Way::ALimitEach => {
                let limits: Vec<_> = spec.dependencies().iter().filter_map(|own| own.limit).collect();
                fanout_semaphore_around_fetch::fan_out(batch, items, &limits).await
            }
            Way::Workers => fanout_queue_workers::fan_out(batch, items, limit).await,
            Way::SlotFirst => fanout_slot_before_spawn::fan_out(batch, items, limit).await,
        };
        let again = SimulatedBatch::new(spec, Timer::Virtual, seed);
        let mut wrong = 0;
        for (item, calls) in (0..).zip(answers.items()) {
            for (dependency, call) in calls.iter().enumerate() {
                let right = again.call(&item, dependency).await;
                let same = match call {
                    Some(Ok(took)) => right == Ok(Reply { item, dependency }) && Ok(took.value) == right,
                    Some(Err(error)) => right == Err(*error),
                    None => false,
                };
                wrong += usize::from(!same);
            }
        }
        (all.read(), each.iter().map(Probe::read).collect(), wrong)
    };
    run(fanned, Report::default).expect("a batch is never stuck")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn each_call_is_made_once_and_answered_in_its_place_within_the_limits(
        items in 0u32..60,
        limits in prop::collection::vec((1usize..20).prop_map(|limit| NonZeroUsize::new(limit).unwrap()), 1..4),
        limit in (1usize..20).prop_map(|limit| NonZeroUsize::new(limit).unwrap()),
        seed in any::<u64>(),
        way in prop::sample::select(WAYS.to_vec()),
    ) {
        let spec = batch(items, &limits);
        let (all, each, wrong) = fan_out(way, &spec, seed, limit);
        let calls = u64::from(items) * limits.len() as u64;
        prop_assert_eq!(wrong, 0);
        prop_assert_eq!((all.counts.started, all.counts.finished(), all.counts.retried), (calls, calls, 0));
        prop_assert_eq!((all.counts.dropped, all.tasks), (0, 0));
        for (reading, own) in each.iter().zip(&limits) {
            prop_assert_eq!(reading.counts.started, u64::from(items));
            let most = match way {
                Way::OneByOne => 1,
                Way::AllAtOnce => usize::MAX,
                Way::ALimitEach => own.get(),
                Way::Workers | Way::SlotFirst => limit.get(),
            };
            prop_assert!(reading.peaks.in_flight <= most as u64, "{} of {most}", reading.peaks.in_flight);
        }
        let tasks = match way {
            Way::OneByOne | Way::AllAtOnce => 0,
            Way::ALimitEach => u64::from(items),
            Way::Workers | Way::SlotFirst => limit.get() as u64,
        };
        prop_assert!(all.peaks.tasks <= tasks, "{} tasks of {tasks}", all.peaks.tasks);
    }
}

#[test]
fn the_worked_examples_slots_are_all_used() {
    let limits = [100, 50].map(|limit| NonZeroUsize::new(limit).expect("not 0"));
    let (_, each, _) = fan_out(Way::ALimitEach, &batch(400, &limits), 1, NonZeroUsize::MIN);
    assert_eq!(each.iter().map(|reading| reading.peaks.in_flight).collect::<Vec<_>>(), [100, 50]);
}
