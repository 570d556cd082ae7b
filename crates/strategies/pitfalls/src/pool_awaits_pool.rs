//! Jobs of the blocking pool that wait for jobs of the same pool. Once the waiting ones have all its threads, those
//! that they wait for never begin.

use std::sync::Arc;

use fanout_deadlock::Slots;
use fanout_workload::{Answer, Answers, Batch};
use futures::executor::block_on;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

/// Makes the calls of each item in a job of the blocking pool, each call in a job of its own.
///
/// `threads` has a slot for each of the pool's threads, which is taken by who runs on one: it changes nothing, and knows
/// in the end who waits for whom.
pub async fn fan_out<B: Batch>(
    batch: Arc<B>,
    items: Vec<B::Item>,
    threads: Slots<String>,
) -> Answers<B::Value, B::Error> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    let (mut jobs, runtime) = (JoinSet::new(), Handle::current());
    for (index, item) in items.into_iter().enumerate() {
        let (batch, runtime, threads) = (Arc::clone(&batch), runtime.clone(), threads.clone());
        jobs.spawn_blocking(move || (index, all(&batch, &item, index, &runtime, &threads)));
    }
    while let Some(ended) = jobs.join_next().await {
        let (index, ended) = crate::output(ended);
        answers.record_all(index, ended);
    }
    answers
}

fn all<B: Batch>(
    batch: &Arc<B>,
    item: &B::Item,
    index: usize,
    runtime: &Handle,
    threads: &Slots<String>,
) -> Vec<Answer<B>> {
    let mut thread = block_on(threads.acquire(format!("the job of item {index}")));
    let calls = (0..batch.dependencies().get()).map(|dependency| {
        let (batch, item) = (Arc::clone(batch), item.clone());
        let (inner_runtime, inner_threads) = (runtime.clone(), threads.clone());
        let name = format!("the call {dependency} of item {index}");
        thread.waits_for(std::slice::from_ref(&name));
        let call = runtime.spawn_blocking(move || {
            let _thread = block_on(inner_threads.acquire(name));
            inner_runtime.block_on(async { batch.call(&item, dependency).await })
        });
        // The bug: this job keeps its thread while it waits for one that needs a thread too.
        let answer = crate::output(block_on(call));
        thread.waits_for(&[]);
        answer
    });
    calls.collect()
}
