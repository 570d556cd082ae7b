//! Trees on which anything can go wrong, and both walkers by name.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::pending;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fanout_deadlock::{Report, run};
use fanout_simulation::{Node, Shape, Timer};
use fanout_workload::survey::{Gauges, Reading, Survey};
use fanout_workload::{Tree, Walked};
use tokio::runtime::Handle;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

pub type Policy<N> = fanout_workload::survey::Policy<N, Refused>;

pub const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The walkers for production.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    QueueWorkers,
    SlotFirst,
}

pub const BOTH: [Kind; 2] = [Kind::QueueWorkers, Kind::SlotFirst];

/// Why a scripted call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    Busy,
    Gone,
    Unauthorised,
}

/// What a scripted call does after its latency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Answer,
    Fail(Refused),
    Panic,
    Never,
}

/// What a call asks of its tree's script: about a node, and the number of its call from 1.
type Script<N, R> = Box<dyn Fn(&N, u32) -> R + Send + Sync>;

/// A tree, or a graph, by script, which keeps a log of its calls.
pub struct Scripted<N> {
    children: Script<N, Vec<N>>,
    latency: Script<N, Duration>,
    turn: Script<N, Turn>,
    start: Instant,
    log: Mutex<Log<N>>,
}

/// What calls there were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log<N> {
    /// When each node's calls started.
    pub calls: BTreeMap<N, Vec<Duration>>,
    pub in_flight: usize,
    pub in_flight_peak: usize,
    /// Most tasks alive at a call's start or end.
    pub tasks_peak: usize,
    pub answered: usize,
    /// Nodes that answers revealed.
    pub revealed: usize,
    /// Whether a call has ended with a fatal error, and whether one started after that.
    pub fatal: bool,
    pub after_fatal: bool,
}

impl<N: Clone + Ord + Send + Sync + 'static> Scripted<N> {
    /// A tree of which nothing goes wrong: ten milliseconds a call.
    pub fn new(children: impl Fn(&N) -> Vec<N> + Send + Sync + 'static) -> Self {
        let log = Log {
            calls: BTreeMap::new(),
            in_flight: 0,
            in_flight_peak: 0,
            tasks_peak: 0,
            answered: 0,
            revealed: 0,
            fatal: false,
            after_fatal: false,
        };
        Self {
            children: Box::new(move |node, _| children(node)),
            latency: Box::new(|_, _| ms(10)),
            turn: Box::new(|_, _| Turn::Answer),
            start: Instant::now(),
            log: Mutex::new(log),
        }
    }

    pub fn latency(mut self, latency: impl Fn(&N, u32) -> Duration + Send + Sync + 'static) -> Self {
        self.latency = Box::new(latency);
        self
    }

    pub fn turn(mut self, turn: impl Fn(&N, u32) -> Turn + Send + Sync + 'static) -> Self {
        self.turn = Box::new(turn);
        self
    }

    pub fn log(&self) -> Log<N> {
        self.change(|log| log.clone())
    }

    fn change<R>(&self, change: impl FnOnce(&mut Log<N>) -> R) -> R {
        let tasks = tasks();
        let mut log = self.log.lock().expect("nothing panics meanwhile");
        log.tasks_peak = log.tasks_peak.max(tasks);
        change(&mut log)
    }
}

impl Scripted<Node> {
    pub fn of(shape: &Shape) -> Self {
        let shape = shape.clone();
        Self::new(move |node| shape.children(*node).collect())
    }
}

impl<N: Clone + Ord + Send + Sync + 'static> Tree for Scripted<N> {
    type Node = N;
    type Error = Refused;

    async fn children(&self, node: &N) -> Result<Vec<N>, Refused> {
        let attempt = self.change(|log| {
            log.after_fatal |= log.fatal;
            log.in_flight += 1;
            log.in_flight_peak = log.in_flight_peak.max(log.in_flight);
            let calls = log.calls.entry(node.clone()).or_default();
            calls.push(self.start.elapsed());
            calls.len() as u32
        });
        let _in_flight = InFlight(self);
        Timer::Virtual.sleep((self.latency)(node, attempt)).await;
        match (self.turn)(node, attempt) {
            Turn::Answer => {
                let children = (self.children)(node, attempt);
                self.change(|log| {
                    log.answered += 1;
                    log.revealed += children.len();
                });
                Ok(children)
            }
            Turn::Fail(error) => {
                self.change(|log| log.fatal |= error == Refused::Unauthorised);
                Err(error)
            }
            // As `panic!` does, but without a word on stderr.
            Turn::Panic => resume_unwind(Box::new("scripted")),
            Turn::Never => pending().await,
        }
    }
}

struct InFlight<'a, N: Clone + Ord + Send + Sync + 'static>(&'a Scripted<N>);

impl<N: Clone + Ord + Send + Sync + 'static> Drop for InFlight<'_, N> {
    fn drop(&mut self) {
        self.0.change(|log| log.in_flight -= 1);
    }
}

fn tasks() -> usize {
    Handle::current().metrics().num_alive_tasks()
}

enum Walker<N> {
    QueueWorkers(fanout_queue_workers::Walker<N, Refused>),
    SlotFirst(fanout_slot_before_spawn::Walker<N, Refused>),
}

impl<N: Clone + Send + Sync + 'static> Walker<N> {
    fn new(kind: Kind, limit: NonZeroUsize, policy: Policy<N>, cancel: CancellationToken) -> Self {
        match kind {
            Kind::QueueWorkers => {
                let walker = fanout_queue_workers::Walker::new(limit);
                Self::QueueWorkers(walker.policy(policy).cancel(cancel))
            }
            Kind::SlotFirst => {
                let walker = fanout_slot_before_spawn::Walker::new(limit);
                Self::SlotFirst(walker.policy(policy).cancel(cancel))
            }
        }
    }

    fn gauges(&self) -> Gauges {
        match self {
            Self::QueueWorkers(walker) => walker.gauges(),
            Self::SlotFirst(walker) => walker.gauges(),
        }
    }

    async fn walk<T>(self, tree: Arc<T>, roots: Vec<N>) -> Survey<N, Refused>
    where
        T: Tree<Node = N, Error = Refused>,
    {
        match self {
            Self::QueueWorkers(walker) => walker.walk(tree, roots).await,
            Self::SlotFirst(walker) => walker.walk(tree, roots).await,
        }
    }
}

/// A walk, and what was seen of it from outside.
pub struct Seen<N> {
    /// None where the walk was dropped.
    survey: Option<Survey<N, Refused>>,
    /// When it ended, from its start.
    pub elapsed: Duration,
    pub log: Log<N>,
    /// Tasks alive in the moment in which the walk gave back its survey; after it was dropped, once they had a turn.
    pub tasks: usize,
    /// The gauges then.
    pub reading: Reading,
}

impl<N> Seen<N> {
    pub fn survey(&self) -> &Survey<N, Refused> {
        self.survey.as_ref().expect("it was not dropped")
    }

    pub fn was_dropped(&self) -> bool {
        self.survey.is_none()
    }
}

/// A walk to be made.
pub struct Walk<N> {
    kind: Kind,
    limit: NonZeroUsize,
    policy: Policy<N>,
    cancelled: Option<Duration>,
    dropped: Option<Duration>,
}

impl<N: Clone + Ord + Debug + Send + Sync + 'static> Walk<N> {
    pub fn new(kind: Kind, limit: usize, policy: Policy<N>) -> Self {
        let limit = NonZeroUsize::new(limit).expect("not 0");
        Self { kind, limit, policy, cancelled: None, dropped: None }
    }

    /// Its token is cancelled then; at zero before its start.
    pub fn cancelled(mut self, at: Option<Duration>) -> Self {
        self.cancelled = at;
        self
    }

    /// Its future is dropped then.
    pub fn dropped(mut self, at: Option<Duration>) -> Self {
        self.dropped = at;
        self
    }

    /// Walks, and looks that nothing goes on behind our back. `tree` makes the tree once there is a clock.
    pub fn run(self, tree: impl FnOnce() -> Scripted<N>, roots: Vec<N>) -> Seen<N> {
        self.watched(tree, roots, |_| async {})
    }

    /// Likewise, with somebody who watches the gauges meanwhile.
    pub fn watched<W, F>(self, tree: impl FnOnce() -> Scripted<N>, roots: Vec<N>, watch: W) -> Seen<N>
    where
        W: FnOnce(Gauges) -> F,
        F: Future<Output = ()>,
    {
        run(self.observed(tree, roots, watch), Report::default).expect("a walker is never stuck")
    }

    async fn observed<W, F>(self, tree: impl FnOnce() -> Scripted<N>, roots: Vec<N>, watch: W) -> Seen<N>
    where
        W: FnOnce(Gauges) -> F,
        F: Future<Output = ()>,
    {
        let (tree, cancel) = (Arc::new(tree()), CancellationToken::new());
        let walker = Walker::new(self.kind, self.limit, self.policy, cancel.clone());
        let gauges = walker.gauges();
        if self.cancelled == Some(Duration::ZERO) {
            cancel.cancel();
        }
        let walk = timed(walker.walk(Arc::clone(&tree), roots), self.dropped);
        let cancelling = async {
            if let Some(at) = self.cancelled {
                sleep(at).await;
                cancel.cancel();
            }
        };
        let ((survey, elapsed, tasks), (), ()) =
            tokio::join!(biased; walk, cancelling, watch(gauges.clone()));
        let (log, reading) = (tree.log(), gauges.read());
        sleep(Duration::from_secs(60)).await;
        assert_eq!(tree.log(), log, "something went on");
        Seen { survey, elapsed, log, tasks, reading }
    }
}

/// What a walk gave back, if it was not dropped before, when it was over, and how many tasks were alive then.
async fn timed<T>(walk: impl Future<Output = T>, dropped: Option<Duration>) -> (Option<T>, Duration, usize) {
    let start = Instant::now();
    let Some(at) = dropped else {
        let survey = walk.await;
        return (Some(survey), start.elapsed(), tasks());
    };
    match timeout(at, walk).await {
        Ok(survey) => (Some(survey), start.elapsed(), tasks()),
        Err(_) => {
            for _ in 0..4 {
                yield_now().await;
            }
            (None, start.elapsed(), tasks())
        }
    }
}

/// The walk of one page, of the same kind: what it did, how long it took, and its calls.
pub fn textbook<N: Clone + Ord + Debug + Send + Sync + 'static>(
    kind: Kind,
    limit: usize,
    tree: impl FnOnce() -> Scripted<N>,
    roots: Vec<N>,
) -> (Walked<N, Refused>, Duration, Log<N>) {
    let limit = NonZeroUsize::new(limit).expect("not 0");
    let walk = async {
        let tree = Arc::new(tree());
        let start = Instant::now();
        let walked = match kind {
            Kind::QueueWorkers => fanout_queue_workers::walk(Arc::clone(&tree), roots, limit).await,
            Kind::SlotFirst => fanout_slot_before_spawn::walk(Arc::clone(&tree), roots, limit).await,
        };
        (walked, start.elapsed(), tree.log())
    };
    run(walk, Report::default).expect("a walk is never stuck")
}
