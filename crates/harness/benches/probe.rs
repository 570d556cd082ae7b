//! What it costs to be observed: walks of a tree whose calls take no time, bare and under the probe, with
//! `cargo bench -p fanout-harness`.

use std::num::NonZeroUsize;
use std::sync::Arc;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fanout_probe::{Mark, ObservedTree, Probe, Resolution};
use fanout_simulation::{Faults, Latency, Node, Service, Shape, SimulatedTree, Timer, TreeSpec};
use fanout_workload::Tree;
use tokio::runtime::{Builder, Runtime};

const LIMIT: NonZeroUsize = NonZeroUsize::new(20).expect("not 0");

fn bare(shape: &Shape) -> SimulatedTree<0> {
    let latency = Latency::constant(std::time::Duration::ZERO);
    SimulatedTree::new(
        shape.clone(),
        Arc::new(Service::new(Timer::Virtual, 1, latency, Faults::default(), None)),
    )
}

fn observed(shape: &Shape) -> (Arc<ObservedTree<SimulatedTree<0>>>, Vec<Node>) {
    let mark = Mark { get: |node: &Node| node.mark, set: |node: &mut Node, mark| node.mark = mark };
    let tree = ObservedTree::new(bare(shape), Probe::new(Resolution::Milliseconds), mark);
    let roots = tree.reveal(roots(shape));
    (Arc::new(tree), roots)
}

fn roots(shape: &Shape) -> Vec<Node> {
    shape.root().into_iter().collect()
}

/// A walk by workers. How many nodes it visited, and the tree: taking a probe apart is not measured.
fn walk<T: Tree>(runtime: &Runtime, tree: Arc<T>, roots: Vec<T::Node>) -> (usize, Arc<T>) {
    let walked = runtime.block_on(fanout_queue_workers::walk(Arc::clone(&tree), roots, LIMIT));
    (walked.visited, tree)
}

fn observation(criterion: &mut Criterion) {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    // A probe counts the tasks of the runtime that it is made in.
    let _inside = runtime.enter();
    let mut group = criterion.benchmark_group("queue-workers");
    for depth in [4, 6] {
        let shape = TreeSpec::full(5, depth).expect("it fits").build(1);
        group.throughput(Throughput::Elements(shape.nodes()));
        group.bench_with_input(BenchmarkId::new("bare", shape.nodes()), &shape, |bencher, shape| {
            let setup = || (Arc::new(bare(shape)), roots(shape));
            bencher.iter_batched(setup, |(tree, roots)| walk(&runtime, tree, roots), BatchSize::PerIteration);
        });
        group.bench_with_input(BenchmarkId::new("observed", shape.nodes()), &shape, |bencher, shape| {
            let setup = || observed(shape);
            bencher.iter_batched(setup, |(tree, roots)| walk(&runtime, tree, roots), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, observation);
criterion_main!(benches);
