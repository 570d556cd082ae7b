use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use crate::support::{GOOD, Good, consume, stream, tasks, tasks_left};
use fanout_deadlock::{Report, run};
use fanout_simulation::{Answer, Arrivals, Faults, Latency, Rule, StreamSpec, Which};
use proptest::prelude::*;

fn latency() -> Latency {
    Latency::uniform(Duration::from_millis(1), Duration::from_millis(20)).expect("a range")
}

fn never_stuck() -> Report {
    Report::default()
}

fn any_arrivals() -> impl Strategy<Value = Arrivals> {
    let rate = || (100u32..20_000).prop_map(|rate| NonZeroU32::new(rate).expect("not 0"));
    prop_oneof![
        Just(Arrivals::AtOnce),
        rate().prop_map(|per_second| Arrivals::Even { per_second }),
        rate().prop_map(|per_second| Arrivals::Poisson { per_second }),
    ]
}

fn any_stream() -> impl Strategy<Value = StreamSpec> {
    (0u32..300, any_arrivals()).prop_map(|(messages, arrivals)| StreamSpec::new(messages, 8, arrivals))
}

fn any_limit() -> impl Strategy<Value = NonZeroUsize> {
    prop::sample::select(vec![1, 2, 7, 64]).prop_map(|limit| NonZeroUsize::new(limit).expect("not 0"))
}

fn any_good() -> impl Strategy<Value = Good> {
    prop::sample::select(GOOD.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_message_is_handled_within_the_limits(
        spec in any_stream(),
        seed in any::<u64>(),
        limit in any_limit(),
        good in any_good(),
    ) {
        let messages = u64::from(spec.messages());
        let (consumed, reading, tally, left) = run(
            async {
                let (probe, source, handler, tally) = stream(&spec, &latency(), &Faults::default(), seed);
                let consumed = consume(good, source, handler, limit).await;
                let left = tasks();
                (consumed, probe.read(), tally, left)
            },
            never_stuck,
        )
        .expect("a consumer is never stuck");
        prop_assert_eq!((consumed.handled as u64, consumed.failed, consumed.first_error), (messages, 0, None));
        prop_assert_eq!((tally.read(), tally.acknowledged()), (messages, messages));
        prop_assert_eq!((reading.counts.in_flight(), left), (0, 0));
        prop_assert!(reading.peaks.in_flight <= good.most_in_flight(limit), "{:?}", reading.peaks);
        prop_assert!(reading.peaks.taken <= good.most_taken(limit), "{:?}", reading.peaks);
        prop_assert!(reading.peaks.tasks <= good.most_tasks(limit), "{:?}", reading.peaks);
    }

    #[test]
    fn a_failure_is_rejected_and_surfaces(
        spec in any_stream(),
        seed in any::<u64>(),
        limit in any_limit(),
        good in any_good(),
    ) {
        let nth = NonZeroU32::new(10).expect("not 0");
        let rule = Rule::new(Which::Every { nth, depth: None }, Answer::Error).expect("a rule");
        let failing = u64::from(spec.messages().div_ceil(10));
        let (consumed, tally) = run(
            async {
                let (_, source, handler, tally) = stream(&spec, &latency(), &Faults::new(vec![rule]), seed);
                (consume(good, source, handler, limit).await, tally)
            },
            never_stuck,
        )
        .expect("a consumer is never stuck");
        prop_assert_eq!(consumed.failed as u64, failing);
        prop_assert_eq!(consumed.first_error.is_some(), failing > 0);
        prop_assert_eq!((tally.acknowledged(), tally.rejected()), (u64::from(spec.messages()) - failing, failing));
    }

    #[test]
    fn a_dropped_consumer_gives_back_what_it_had_taken(
        spec in any_stream(),
        seed in any::<u64>(),
        limit in any_limit(),
        good in any_good(),
        after in 0u64..200,
    ) {
        let (counts, tally, left) = run(
            async {
                let (probe, source, handler, tally) = stream(&spec, &latency(), &Faults::default(), seed);
                let consume = consume(good, source, handler, limit);
                let _ = tokio::time::timeout(Duration::from_millis(after), consume).await;
                let left = tasks_left().await;
                (probe.counts(), tally, left)
            },
            never_stuck,
        )
        .expect("time goes on");
        prop_assert_eq!((counts.in_flight(), left), (0, 0));
        prop_assert_eq!(tally.read(), tally.acknowledged() + tally.rejected() + tally.returned());
        prop_assert_eq!(tally.acknowledged(), counts.answered);
    }
}

#[test]
fn while_all_slots_are_busy_nothing_is_read() {
    let spec = StreamSpec::new(100, 8, Arrivals::AtOnce);
    let limit = NonZeroUsize::new(7).expect("not 0");
    for (good, taken) in [(Good::SlotFirst, 7), (Good::QueueWorkers, 15)] {
        let read = run(
            async {
                let latency = Latency::constant(Duration::from_millis(50));
                let (_, source, handler, tally) = stream(&spec, &latency, &Faults::default(), 1);
                let consume = consume(good, source, handler, limit);
                let _ = tokio::time::timeout(Duration::from_millis(49), consume).await;
                tally.read()
            },
            never_stuck,
        )
        .expect("time goes on");
        assert_eq!(read, taken, "{good:?}");
    }
}
