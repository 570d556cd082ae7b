//! A downstream with a capacity, on the paused clock.

mod common;

use std::num::NonZeroUsize;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use common::on_the_paused_clock;
use fanout_simulation::{CallError, DownstreamSpec, Faults, Item, Latency, Service, Timer, WhenFull};
use futures::future::join_all;
use proptest::prelude::*;
use tokio::time::{Instant, timeout};

const LATENCY: Duration = Duration::from_millis(10);

fn service(downstream: Option<(usize, WhenFull)>) -> Service {
    let downstream = downstream.map(|(capacity, when_full)| DownstreamSpec {
        capacity: NonZeroUsize::new(capacity).expect("not 0"),
        when_full,
        per_second: None,
    });
    Service::new(Timer::Virtual, 1, Latency::constant(LATENCY), Faults::default(), downstream)
}

fn item(index: u64) -> Item {
    Item { index, depth: None, position: index }
}

proptest! {
    #[test]
    fn what_queues_is_served_in_order_and_in_rounds(calls in 0usize..60, capacity in 1usize..20) {
        let service = service(Some((capacity, WhenFull::Queue)));
        let (ended, _) = on_the_paused_clock(async {
            let start = Instant::now();
            join_all((0..calls as u64).map(async |index| {
                service.call::<0>(item(index)).await.map(|()| start.elapsed())
            }))
            .await
        });
        // Each is served in the round that its place in the queue gives it.
        let rounds = (0..calls).map(|index| Ok(LATENCY * (index / capacity + 1) as u32)).collect::<Vec<_>>();
        prop_assert_eq!(ended, rounds);
        prop_assert_eq!(service.waiting_peak(), calls.saturating_sub(capacity) as u64);
        prop_assert_eq!(service.refused(), 0);
    }

    #[test]
    fn what_is_above_is_refused_at_once(calls in 0usize..60, capacity in 1usize..20) {
        let service = service(Some((capacity, WhenFull::Reject)));
        let (ended, _) = on_the_paused_clock(async {
            let start = Instant::now();
            join_all((0..calls as u64).map(async |index| {
                let ended = service.call::<0>(item(index)).await;
                (ended, start.elapsed())
            }))
            .await
        });
        for (index, ended) in ended.into_iter().enumerate() {
            let expected = if index < capacity {
                (Ok(()), LATENCY)
            } else {
                (Err(CallError::Refused), Duration::ZERO)
            };
            prop_assert_eq!(ended, expected);
        }
        prop_assert_eq!(service.refused(), calls.saturating_sub(capacity) as u64);
        prop_assert_eq!(service.waiting_peak(), 0);
    }

    #[test]
    fn who_gives_up_leaves_nothing_behind(
        patience in prop::collection::vec(0u64..60, 0..40), capacity in 1usize..6, queue: bool,
    ) {
        let when_full = if queue { WhenFull::Queue } else { WhenFull::Reject };
        let service = service(Some((capacity, when_full)));
        on_the_paused_clock(async {
            join_all((0..).zip(&patience).map(async |(index, &ms)| {
                timeout(Duration::from_millis(ms), service.call::<0>(item(index))).await.is_ok()
            }))
            .await;
            // All places are free again: as many calls as there are places take one round.
            let start = Instant::now();
            let refused = service.refused();
            let ended = join_all((0..capacity as u64).map(|index| service.call::<0>(item(index)))).await;
            assert_eq!(ended, vec![Ok(()); capacity]);
            assert_eq!((start.elapsed(), service.refused()), (LATENCY, refused));
        });
    }
}

/// Counts how often a future is polled.
struct Polled<F>(Pin<Box<F>>, usize);

impl<F: Future> Future for Polled<F> {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        self.1 += 1;
        self.0.as_mut().poll(context).map(|_| self.1)
    }
}

/// How often the calls of one join are polled in all.
fn polls(service: &Service, calls: u64) -> usize {
    let (polls, _) = on_the_paused_clock(async {
        let calls = (0..calls).map(|index| Polled(Box::pin(service.call::<0>(item(index))), 0));
        join_all(calls).await.into_iter().sum()
    });
    polls
}

#[test]
fn calls_that_end_together_are_polled_no_oftener_than_others() {
    // Once to start and once to end.
    assert_eq!(polls(&service(None), 2_000), 4_000);
    // And once more to be let in, but for the first round.
    assert_eq!(polls(&service(Some((500, WhenFull::Queue))), 2_000), 5_500);
}
