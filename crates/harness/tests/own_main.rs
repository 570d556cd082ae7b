//! A binary of one's own, as a user of the harness would write it: it registers a strategy, and its cells are children
//! of itself. It has its own `main` because a cell is where that `main` ends.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use fanout_deadlock::Slots;
use fanout_harness::{Arguments, Choice, Origin, Plan, Registry, Strategy, Walk, measure_one, serve_if_cell};
use fanout_record::{Outcome, Row};
use fanout_scenario::{Files, parse};
use fanout_workload::{Tree, Walked};

/// Visits the roots and claims to be done.
struct RootsOnly;

impl Walk for RootsOnly {
    async fn walk<T: Tree>(
        &self,
        tree: Arc<T>,
        roots: Vec<T::Node>,
        _: NonZeroUsize,
        _: Slots<T::Node>,
    ) -> Walked<T::Node, T::Error> {
        let mut walked = Walked::default();
        for root in roots {
            let answer = tree.children(&root).await;
            walked.record(root, answer);
        }
        walked
    }
}

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}

const SCENARIO: &str = r#"
title = "A small tree"
analysis = "For a test."
limits = [2]
clocks = ["virtual", "wall"]
[workload.tree]
branching = 2
depth = 3
[latency]
constant = "5ms"
[strategy.queue-workers]
[strategy.roots-only]
"#;

fn main() {
    let mut registry = Registry::builtin();
    registry.add(Strategy::unlimited("roots-only", "a wrong one").walks(RootsOnly));
    serve_if_cell(&registry, &NoFiles);

    a_strategy_of_ones_own_is_judged_like_any_other(&registry);
    a_cell_does_not_inherit_its_parents_memory(&registry);
    println!("2 passed, 0 failed");
}

fn rows(registry: &Registry, clock: &str) -> Vec<Row> {
    let scenario = parse("small", Path::new("small.toml"), SCENARIO, &NoFiles, &registry.facts())
        .expect("it is well formed");
    let origin = Origin { scenario, folder: None, arguments: Arguments::default() };
    let choice = Choice { clock: clock.parse().ok(), ..Choice::default() };
    let plan = Plan::new(vec![origin], &choice, registry).expect("there is something to run");
    plan.cells.iter().map(|cell| measure_one(&plan, cell).expect("a process can be started").row).collect()
}

fn a_strategy_of_ones_own_is_judged_like_any_other(registry: &Registry) {
    let rows = rows(registry, "virtual");
    let [workers, roots_only] = rows.as_slice() else { panic!("two strategies: {rows:?}") };
    assert_eq!((workers.outcome, workers.visited), (Outcome::Complete, Some(15)));
    assert_eq!(roots_only.outcome, Outcome::Wrong);
    assert_eq!(roots_only.reason.as_deref(), Some("3 items were given and 1 called"));
    assert_eq!(roots_only.heap_peak_bytes, None, "this binary's allocator does not count");
}

fn a_cell_does_not_inherit_its_parents_memory(registry: &Registry) {
    const MIB: u64 = 1 << 20;
    // Touched, so that it is resident.
    let held = vec![1u8; 500 * MIB as usize];
    for row in rows(registry, "wall") {
        let rss = row.rss_peak_bytes.expect("measured on the wall clock");
        assert!((MIB / 2..100 * MIB).contains(&rss), "{} used {rss} bytes", row.strategy);
    }
    assert_eq!(std::hint::black_box(&held)[499], 1);
}
