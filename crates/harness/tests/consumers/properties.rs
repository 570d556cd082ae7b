use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

use fanout_simulation::{Answer, Arrivals, Faults, Latency, Rule, StreamSpec, Which};
use fanout_workload::drain::Ended;
use proptest::prelude::*;

use crate::support::{Case, Kind, count, ms};

fn any_arrivals() -> impl Strategy<Value = Arrivals> {
    let rate = || (100u32..20_000).prop_map(|rate| NonZeroU32::new(rate).expect("not 0"));
    prop_oneof![
        Just(Arrivals::AtOnce),
        rate().prop_map(|per_second| Arrivals::Even { per_second }),
        rate().prop_map(|per_second| Arrivals::Poisson { per_second }),
    ]
}

fn any_limit() -> impl Strategy<Value = NonZeroUsize> {
    prop::sample::select(vec![1, 2, 7, 64]).prop_map(count)
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::SlotFirst), any_limit().prop_map(Kind::Workers)]
}

/// Some fail, and some never answer, but only where the consumer is stopped: a slot that is taken for ever is no leak.
fn any_faults(may_hang: bool) -> impl Strategy<Value = Faults> {
    let share = |share, answer| Rule::new(Which::Share(share), answer).expect("a share");
    (0.0..0.3, 0.0..0.1).prop_map(move |(failing, hanging)| {
        let hanging = if may_hang { hanging } else { 0.0 };
        Faults::new(vec![share(hanging, Answer::Never), share(failing, Answer::Error)])
    })
}

fn any_case() -> impl Strategy<Value = Case> {
    let when = (prop::option::weighted(0.8, 0u64..300), 0u64..200);
    when.prop_flat_map(|(stop, drain)| {
        let stream = (0u32..300, any_arrivals());
        let panics = prop::option::of(3u64..20);
        let faults = (any_faults(stop.is_some()), panics, 0u64..20, prop::option::of(1u64..30));
        (any_kind(), any_limit(), stream, any::<u64>(), faults).prop_map(
            move |(kind, limit, (messages, arrivals), seed, (faults, panics, sink, interrupt))| Case {
                kind,
                limit,
                stream: StreamSpec::new(messages, 8, arrivals),
                seed,
                latency: Latency::uniform(ms(1), ms(20)).expect("a range"),
                faults,
                panics,
                stop: stop.map(ms),
                drain: ms(drain),
                sink: ms(sink),
                interrupt: interrupt.map(ms),
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_message_is_accounted_for_however_it_ends(case in any_case()) {
        let outcome = case.run();
        let (drained, source) = (outcome.drained, &outcome.source);

        // Received = handled + failed + returned, by the consumer's account and by the source's.
        prop_assert_eq!(drained.lost(), 0);
        prop_assert_eq!(drained.accounted(), drained.received);
        prop_assert_eq!(drained.received as u64, source.read());
        prop_assert_eq!(drained.handled as u64, source.acknowledged());
        prop_assert_eq!(drained.failed as u64, source.rejected());
        prop_assert_eq!(drained.returned as u64, source.returned());
        prop_assert!(drained.cancelled <= drained.returned && drained.panicked <= drained.failed);
        prop_assert!(drained.drained <= drained.handled + drained.failed);

        // Each failure is a dead letter, once.
        let mut letters: Vec<_> = outcome.letters.iter().map(|(index, _)| index).collect();
        letters.sort_unstable();
        letters.dedup();
        prop_assert_eq!(letters.len(), drained.failed);
        prop_assert_eq!(outcome.letters.iter().filter(|(_, panicked)| *panicked).count(), drained.panicked);

        // Nothing is left, and the gauges say so.
        let left = (outcome.gauges.tasks, outcome.gauges.working, outcome.gauges.waiting);
        prop_assert_eq!((outcome.tasks, left), (0, (0, 0, 0)));
        let reading = outcome.probe.read();
        prop_assert_eq!(reading.counts.in_flight(), 0);

        // Nothing ever exceeded its bound, by the probe's account and by the gauges.
        let limit = case.limit.get();
        prop_assert!(reading.peaks.in_flight <= limit as u64, "{:?}", reading.peaks);
        prop_assert!(reading.peaks.tasks <= limit as u64, "{:?}", reading.peaks);
        prop_assert!(reading.peaks.taken <= case.kind.most_taken(case.limit), "{:?}", reading.peaks);
        prop_assert!(outcome.most.tasks <= limit && outcome.most.working <= limit, "{:?}", outcome.most);
        prop_assert!(outcome.most.waiting <= case.kind.most_waiting(case.limit), "{:?}", outcome.most);

        // A state a worker, and another after each panic; but none once it was stopped.
        if let Kind::Workers(_) = case.kind && case.stop != Some(Duration::ZERO) {
            prop_assert!(outcome.made <= limit + drained.panicked);
            prop_assert!(outcome.made >= limit);
        }

        // The end comes when it has to.
        match (drained.ended, case.stop) {
            (Ended::Complete, _) => {
                prop_assert_eq!((drained.received, drained.drained), (case.stream.messages() as usize, 0));
                // Only what was cancelled alone.
                prop_assert_eq!(drained.returned, drained.cancelled);
                prop_assert!(drained.returned == 0 || case.interrupt.is_some() && case.kind == Kind::SlotFirst);
            }
            (Ended::Drained, Some(stop)) => {
                prop_assert!((stop..=stop + case.drain).contains(&outcome.elapsed), "{:?}", outcome.elapsed);
                prop_assert!(drained.cancelled == 0 || case.interrupt.is_some() && case.kind == Kind::SlotFirst);
            }
            (Ended::Deadline, Some(stop)) => prop_assert_eq!(outcome.elapsed, stop + case.drain),
            (ended, None) => prop_assert!(false, "{ended:?} without a stop"),
        }
    }

    #[test]
    fn a_dropped_consumer_gives_back_what_it_had_taken(case in any_case(), after in 0u64..200) {
        let (source, in_flight, tasks) = case.run_dropped(ms(after));
        prop_assert_eq!(source.read(), source.acknowledged() + source.rejected() + source.returned());
        prop_assert_eq!((in_flight, tasks), (0, 0));
    }
}
