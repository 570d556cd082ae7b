//! What `compare` says of strategies with a known fault, each measured as the strategy that it is a fault of. It has its
//! own `main` because a cell is where that `main` ends, and an allocator that counts.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fanout_compare::{Comparison, Gate, Options, compare};
use fanout_deadlock::Slots;
use fanout_harness::{Arguments, Choice, Origin, Plan, Registry, Strategy, Walk, measure_one, serve_if_cell};
use fanout_probe::heap;
use fanout_record::{Axis, Host, Manifest, Results, Row, SCHEMA, ScenarioRecord};
use fanout_scenario::{Files, parse};
use fanout_workload::{Tree, Walked};

#[global_allocator]
static ALLOCATOR: heap::Switch = heap::Switch;

const SOUND: &str = "sound";

struct Sound;

impl Walk for Sound {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        fanout_queue_workers::walk(tree, roots, limit).await
    }
}

/// One of its slots is never used.
struct LeakedSlot;

impl Walk for LeakedSlot {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        let left = NonZeroUsize::new(limit.get() - 1).expect("a limit above 1");
        Sound.walk(tree, roots, left, slots).await
    }
}

/// Each call is made in a task of its own, beside the worker that waits for it.
struct ExtraTask;

impl Walk for ExtraTask {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        Sound.walk(Arc::new(InTasks(tree)), roots, limit, slots).await
    }
}

struct InTasks<T>(Arc<T>);

impl<T: Tree> Tree for InTasks<T> {
    type Node = T::Node;
    type Error = T::Error;

    async fn children(&self, node: &T::Node) -> Result<Vec<T::Node>, T::Error> {
        let (tree, node) = (Arc::clone(&self.0), node.clone());
        tokio::spawn(async move { tree.children(&node).await }).await.expect("a call does not panic here")
    }
}

/// Each node carries 64 bytes that nobody reads.
struct HeavyNodes;

impl Walk for HeavyNodes {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        let roots = roots.into_iter().map(Heavy::new).collect();
        let walked = fanout_queue_workers::walk(Arc::new(WithHeavyNodes(tree)), roots, limit).await;
        let failed = walked.failed.into_iter().map(|(node, error)| (node.0, error)).collect();
        Walked { visited: walked.visited, failed }
    }
}

#[derive(Clone)]
struct Heavy<N>(N, [u64; 8]);

impl<N> Heavy<N> {
    fn new(node: N) -> Self {
        Self(node, [0; 8])
    }
}

struct WithHeavyNodes<T>(Arc<T>);

impl<T: Tree> Tree for WithHeavyNodes<T> {
    type Node = Heavy<T::Node>;
    type Error = T::Error;

    async fn children(&self, node: &Self::Node) -> Result<Vec<Self::Node>, T::Error> {
        std::hint::black_box(&node.1);
        Ok(self.0.children(&node.0).await?.into_iter().map(Heavy::new).collect())
    }
}

/// The root is asked once more at the end, and its answer thrown away.
struct OneMoreCall;

impl Walk for OneMoreCall {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        let again = roots.clone();
        let walked = Sound.walk(Arc::clone(&tree), roots, limit, slots).await;
        for root in &again {
            let _ = tree.children(root).await;
        }
        walked
    }
}

/// Each call takes 21 ms and not 20.
struct Slower;

impl Walk for Slower {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        limit: NonZeroUsize,
        slots: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        Sound.walk(Arc::new(Later(tree)), roots, limit, slots).await
    }
}

struct Later<T>(Arc<T>);

impl<T: Tree> Tree for Later<T> {
    type Node = T::Node;
    type Error = T::Error;

    async fn children(&self, node: &T::Node) -> Result<Vec<T::Node>, T::Error> {
        let answer = self.0.children(node).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        answer
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

const SCENARIO: &str = r#"
title = "A tree of 781 nodes"
analysis = "For a test."
limits = [20]
[workload.tree]
branching = 5
depth = 4
[latency]
constant = "20ms"
[strategy.sound]
[strategy.leaked-slot]
[strategy.extra-task]
[strategy.heavy-nodes]
[strategy.one-more-call]
[strategy.slower]
"#;

fn main() {
    let mut registry = Registry::builtin();
    let walks = |name, what| Strategy::limited(name, what);
    registry.add(walks(SOUND, "as it should be").walks(Sound));
    registry.add(walks("leaked-slot", "a slot is lost").walks(LeakedSlot));
    registry.add(walks("extra-task", "a task more for each item").walks(ExtraTask));
    registry.add(walks("heavy-nodes", "64 bytes more for each node").walks(HeavyNodes));
    registry.add(walks("one-more-call", "one call more").walks(OneMoreCall));
    registry.add(walks("slower", "5 % more latency").walks(Slower));
    serve_if_cell(&registry, &NoFiles);

    let rows = measured(&registry);
    let against_itself = judged(&rows, SOUND);
    assert!(!against_itself.stops() && against_itself.changes.is_empty(), "{against_itself}");
    assert_eq!(against_itself.to_string(), "unchanged: 1 virtual cells, to the last figure");

    for (fault, first, worse) in FAULTS {
        let comparison = judged(&rows, fault);
        assert!(comparison.stops(), "{fault}");
        let said = comparison.to_string();
        assert!(said.starts_with(&format!("worse: sound: {first}")), "{fault}: {said}");
        let found: BTreeSet<String> = comparison
            .changes
            .iter()
            .filter(|change| change.worse)
            .map(fanout_compare::Change::name)
            .collect();
        let expected: BTreeSet<String> = worse.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(found, expected, "{fault}: {said}");
    }
    println!("{} passed, 0 failed", FAULTS.len() + 1);
}

/// Each fault, what is said of it first, and all that it makes worse.
const FAULTS: [(&str, &str, &[&str]); 5] = [
    (
        "leaked-slot",
        "virtual was 820 ms, is 860 ms in small, limit 20",
        &["virtual", "backlog-peak", "response-p50", "response-p99", "response-max"],
    ),
    (
        "extra-task",
        "tasks-peak was 20, is 40 in small, limit 20",
        &["tasks-peak", "backlog-peak", "heap-peak", "heap-blocks"],
    ),
    ("heavy-nodes", "heap-peak was", &["heap-peak", "heap-blocks"]),
    (
        "one-more-call",
        "outcome was complete, is wrong in small, limit 20",
        &["outcome", "discovered", "calls", "virtual", "backlog-end", "polls", "response-max"],
    ),
    (
        "slower",
        "virtual was 820 ms, is 860 ms in small, limit 20",
        &["virtual", "backlog-peak", "response-p50", "response-p99", "response-max"],
    ),
];

fn measured(registry: &Registry) -> Vec<Row> {
    let scenario = parse("small", Path::new("small.toml"), SCENARIO, &NoFiles, &registry.facts())
        .expect("it is well formed");
    let origin = Origin { scenario, folder: None, arguments: Arguments::default() };
    let plan = Plan::new(vec![origin], &Choice::default(), registry).expect("there is something to run");
    plan.cells.iter().map(|cell| measure_one(&plan, cell).expect("a process can be started").row).collect()
}

/// The sound strategy against another that goes by its name.
fn judged(rows: &[Row], head: &str) -> Comparison {
    let of = |strategy: &str| {
        let mut row = rows.iter().find(|row| row.strategy == strategy).expect("it was measured").clone();
        row.strategy = SOUND.to_owned();
        results(row)
    };
    let gate = Gate::parse(include_str!("../../../scenarios/gate.toml")).expect("the project's own gate");
    compare(&of(SOUND), &of(head), &gate, Options::default()).expect("they can be compared")
}

fn results(row: Row) -> Results {
    let manifest = Manifest {
        schema: SCHEMA,
        started: String::new(),
        commit: None,
        dirty: false,
        lock_hash: String::new(),
        rustc: String::new(),
        target: String::new(),
        profile: String::new(),
        command: Vec::new(),
        host: Host { cpu: String::new(), cores: NonZeroUsize::MIN, governor: None, kernel: String::new() },
        interrupted: false,
        scenarios: vec![ScenarioRecord {
            name: row.scenario.clone(),
            title: String::new(),
            analysis: String::new(),
            axis: Axis::None,
            variants: Vec::new(),
            strategies: vec![SOUND.to_owned()],
            hash: String::new(),
        }],
    };
    Results {
        path: PathBuf::new(),
        manifest,
        rows: vec![row],
        timeline: Vec::new(),
        dependencies: Vec::new(),
        claims: Vec::new(),
    }
}
