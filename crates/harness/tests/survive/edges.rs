//! Panics of every kind, and threads.

use std::num::{NonZeroU32, NonZeroUsize};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use fanout_workload::Tree;
use fanout_workload::survey::{Class, Ended, Fault, Policy, Retry, Survey};
use futures::FutureExt;
use tokio::runtime::{Builder, Handle};
use tokio::task::yield_now;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::{BOTH, Kind, ms};

/// Walks a tree that is no script.
async fn walk<T: Tree>(
    kind: Kind,
    limit: usize,
    policy: Policy<T::Node, T::Error>,
    cancel: CancellationToken,
    (tree, roots): (T, Vec<T::Node>),
) -> Survey<T::Node, T::Error> {
    let (limit, tree) = (NonZeroUsize::new(limit).expect("not 0"), Arc::new(tree));
    match kind {
        Kind::QueueWorkers => {
            fanout_queue_workers::Walker::new(limit).policy(policy).cancel(cancel).walk(tree, roots).await
        }
        Kind::SlotFirst => {
            fanout_slot_before_spawn::Walker::new(limit).policy(policy).cancel(cancel).walk(tree, roots).await
        }
    }
}

/// Panics in the middle of a call, before there is a call, or when a call is dropped.
struct Panics;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Called,
    BeforeTheCall,
    Dropped,
    Never,
}

struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

impl Tree for Panics {
    type Node = When;
    type Error = ();

    fn children(&self, when: &When) -> impl Future<Output = Result<Vec<When>, ()>> + Send {
        assert!(*when != When::BeforeTheCall, "before the call");
        async move {
            match when {
                When::Called => panic!("{when:?} at depth {}", 0),
                When::Dropped => {
                    let _guard = PanicsWhenDropped;
                    sleep(Duration::from_secs(60)).await;
                }
                When::BeforeTheCall | When::Never => {}
            }
            Ok(vec![])
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_its_nodes_wherever_it_comes_from() {
    for kind in BOTH {
        let policy = Policy::new().call_deadline(ms(20));
        let roots = vec![When::Called, When::BeforeTheCall, When::Dropped, When::Never, When::Never];
        let survey = walk(kind, 1, policy, CancellationToken::new(), (Panics, roots)).await;
        let failed: Vec<_> = survey.failed.into_iter().map(|failure| (failure.node, failure.error)).collect();
        let panicked = |message: &str| Fault::Panicked(message.to_owned());
        assert_eq!(
            failed,
            [
                (When::Called, panicked("Called at depth 0")),
                (When::BeforeTheCall, panicked("before the call")),
                (When::Dropped, panicked("dropped")),
            ]
        );
        assert_eq!((survey.ended, survey.visited), (Ended::Complete, 2));
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_panics_when_the_walk_drops_it_does_not_keep_the_walk() {
    for kind in BOTH {
        let policy = Policy::new().deadline(ms(20));
        let survey = walk(kind, 4, policy, CancellationToken::new(), (Panics, vec![When::Dropped; 3])).await;
        assert_eq!((survey.failed.len(), survey.discovered, survey.accounted()), (3, 3, 3));
        assert_eq!(Handle::current().metrics().num_alive_tasks(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_policys_own_goes_on_in_the_caller() {
    for kind in BOTH {
        for policy in [
            Policy::new().classify(|_| panic!("the policy's")),
            Policy::new().seen(|when: &When| assert!(*when != When::Never, "the policy's")),
        ] {
            let roots = vec![When::Called; 3];
            let cancel = CancellationToken::new();
            let walk = walk(kind, 2, policy, cancel, (Grows, roots));
            let panic = AssertUnwindSafe(walk).catch_unwind().await.expect_err("it panics");
            assert_eq!(Fault::<()>::panicked(&*panic), Fault::Panicked("the policy's".to_owned()));
            for _ in 0..4 {
                yield_now().await;
            }
            assert_eq!(Handle::current().metrics().num_alive_tasks(), 0);
        }
    }
}

/// Fails and answers, so that both of the policy's functions are asked.
struct Grows;

impl Tree for Grows {
    type Node = When;
    type Error = ();

    async fn children(&self, when: &When) -> Result<Vec<When>, ()> {
        sleep(ms(10)).await;
        if *when == When::Called { Ok(vec![When::Never, When::Dropped]) } else { Err(()) }
    }
}

/// A full tree of branching 8 and depth 4, whose calls are ready at once or after a turn, and fail now and then.
#[derive(Clone, Default)]
struct Busy {
    calls: Arc<AtomicU64>,
    in_flight: Arc<AtomicU64>,
}

struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Refused {
    fatal: bool,
}

impl Tree for Busy {
    type Node = (u32, u64);
    type Error = Refused;

    async fn children(&self, &(depth, number): &(u32, u64)) -> Result<Vec<(u32, u64)>, Refused> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::SeqCst);
        let _in_flight = InFlight(&self.in_flight);
        if call.is_multiple_of(3) {
            yield_now().await;
        }
        match call % 1_000 {
            _ if number == 4_095 && call % 2 == 1 => Err(Refused { fatal: true }),
            call if call % 10 == 7 => Err(Refused { fatal: false }),
            _ if depth == 4 => Ok(vec![]),
            _ => Ok((0..8).map(|child| (depth + 1, 8 * number + child)).collect()),
        }
    }
}

#[test]
fn on_several_threads_every_node_is_accounted_for() {
    // No clock here: whatever the threads make of it, the sums have to be right.
    let runtime = Builder::new_multi_thread().worker_threads(4).enable_time().build().expect("threads");
    for round in 0..60 {
        let kind = BOTH[round % 2];
        let cancel = CancellationToken::new();
        let cancelled = cancel.clone();
        let policy = Policy::new()
            .retry(Retry::new(NonZeroU32::new(3).expect("not 0"), Duration::ZERO))
            .classify(|fault| match fault {
                Fault::Call(Refused { fatal: true }) => Class::Fatal,
                _ => Class::Retryable,
            });
        let policy = match round % 3 {
            0 => policy.nodes(2_000),
            1 => policy.frontier(500),
            _ => policy,
        };
        let tree = Busy::default();
        let in_flight = Arc::clone(&tree.in_flight);
        let walking = runtime.spawn(async move {
            let survey = walk(kind, 1 + round, policy, cancelled, (tree, vec![(0, 0)])).await;
            (survey, in_flight.load(Ordering::SeqCst))
        });
        if round % 5 == 4 {
            std::thread::yield_now();
            cancel.cancel();
        }
        let (survey, in_flight) = runtime.block_on(walking).expect("it does not panic");
        assert_eq!(survey.accounted(), survey.discovered, "round {round}: {:?}", survey.ended);
        assert_eq!(in_flight, 0, "round {round}: a call outlived its walk");
        if survey.ended == Ended::Complete {
            assert!(survey.cancelled.is_empty() && survey.truncated.is_empty());
        }
    }
}
