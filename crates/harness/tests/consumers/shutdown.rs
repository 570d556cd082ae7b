use std::time::Duration;

use fanout_simulation::{Answer, Arrivals, Faults, Rule, StreamSpec, Which};
use fanout_workload::drain::{Drained, Ended};

use crate::support::{Case, Kind, Outcome, at_rate, count, ms};

/// Both consumers with five slots, and a queue of five where there is one.
fn both() -> [Kind; 2] {
    [Kind::SlotFirst, Kind::Workers(count(5))]
}

/// Field case 14: 1,000 messages, stopped at 50 ms, a drain deadline of 100 ms.
fn case_14(kind: Kind, latency: Duration) -> Case {
    let stream = StreamSpec::new(1_000, 8, Arrivals::AtOnce);
    Case::new(kind, 5, stream, latency).stopped(ms(50), ms(100))
}

/// What has to hold of all of its variants.
fn nothing_is_lost(kind: Kind, outcome: &Outcome) {
    let drained = outcome.drained;
    assert_eq!((drained.received, drained.lost()), (drained.accounted(), 0), "{kind:?}");
    let source = &outcome.source;
    let settled = (source.acknowledged(), source.rejected(), source.returned());
    let by_consumer = (drained.handled as u64, drained.failed as u64, drained.returned as u64);
    assert_eq!((source.read(), settled), (drained.received as u64, by_consumer), "{kind:?}");
    assert_eq!((outcome.tasks, outcome.probe.counts().in_flight()), (0, 0), "{kind:?}");
}

fn waiting(kind: Kind) -> usize {
    match kind {
        Kind::SlotFirst => 0,
        Kind::Workers(queue) => queue.get(),
    }
}

#[test]
fn handlers_of_20_ms_come_to_their_end_and_the_consumer_with_them() {
    for kind in both() {
        let outcome = case_14(kind, ms(20)).run();
        nothing_is_lost(kind, &outcome);
        let expected = Drained {
            ended: Ended::Drained,
            received: 15 + waiting(kind),
            handled: 15,
            failed: 0,
            panicked: 0,
            returned: waiting(kind),
            cancelled: 0,
            drained: 5,
        };
        assert_eq!((outcome.drained, outcome.elapsed), (expected, ms(60)), "{kind:?}");
    }
}

#[test]
fn handlers_of_500_ms_are_dropped_at_the_deadline() {
    for kind in both() {
        let outcome = case_14(kind, ms(500)).run();
        nothing_is_lost(kind, &outcome);
        let expected = Drained {
            ended: Ended::Deadline,
            received: 5 + waiting(kind),
            handled: 0,
            failed: 0,
            panicked: 0,
            returned: 5 + waiting(kind),
            cancelled: 5,
            drained: 0,
        };
        assert_eq!((outcome.drained, outcome.elapsed), (expected, ms(150)), "{kind:?}");
    }
}

#[test]
fn a_handler_that_ends_only_when_it_is_dropped_is_dropped() {
    // One that never answers, and never looks at a token: the first of the messages. The others take 20 ms.
    for kind in both() {
        let first = Which::Every { nth: 1_000.try_into().expect("not 0"), depth: None };
        let faults = Faults::new(vec![Rule::new(first, Answer::Never).expect("a rule")]);
        let outcome = Case { faults, ..case_14(kind, ms(20)) }.run();
        nothing_is_lost(kind, &outcome);
        let expected = Drained {
            ended: Ended::Deadline,
            received: 13 + waiting(kind),
            handled: 12,
            failed: 0,
            panicked: 0,
            returned: 1 + waiting(kind),
            cancelled: 1,
            drained: 4,
        };
        assert_eq!((outcome.drained, outcome.elapsed), (expected, ms(150)), "{kind:?}");
    }
}

#[test]
fn draining_nothing_returns_at_once() {
    // The next message would come at 100 ms.
    for kind in both() {
        let outcome = Case::new(kind, 5, at_rate(10, 10), ms(20)).stopped(ms(50), ms(100)).run();
        nothing_is_lost(kind, &outcome);
        assert_eq!((outcome.drained.received, outcome.elapsed), (0, ms(50)), "{kind:?}");
    }
}

#[test]
fn the_stream_of_the_guide_is_shut_down_within_one_message() {
    // 20,000 messages at 72,000 a second and 50 ms each, stopped when the last has arrived.
    for (kind, taken) in [(Kind::SlotFirst, 100), (Kind::Workers(count(100)), 200)] {
        let outcome = Case::new(kind, 100, at_rate(20_000, 72_000), ms(50)).stopped(ms(278), ms(5_000)).run();
        nothing_is_lost(kind, &outcome);
        let drained = outcome.drained;
        assert_eq!(outcome.probe.read().peaks.taken, taken, "{kind:?}");
        assert_eq!((drained.ended, drained.handled, drained.drained), (Ended::Drained, 600, 100), "{kind:?}");
        assert_eq!(drained.returned as u64, taken - 100, "{kind:?}");
        assert!((ms(278)..=ms(278 + 50)).contains(&outcome.elapsed), "{kind:?}: {:?}", outcome.elapsed);
    }
}

#[test]
fn the_stream_of_the_guide_goes_through_whole() {
    for kind in [Kind::SlotFirst, Kind::Workers(count(100))] {
        let outcome = Case::new(kind, 100, at_rate(20_000, 72_000), ms(50)).run();
        nothing_is_lost(kind, &outcome);
        let drained = outcome.drained;
        assert_eq!((drained.ended, drained.handled), (Ended::Complete, 20_000), "{kind:?}");
        let peaks = outcome.probe.read().peaks;
        assert_eq!((peaks.in_flight, peaks.tasks), (100, 100), "{kind:?}");
        if let Kind::Workers(_) = kind {
            assert_eq!(outcome.made, 100);
        }
    }
}
