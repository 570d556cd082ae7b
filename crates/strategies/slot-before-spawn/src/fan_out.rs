use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_workload::{Answers, Batch};
use futures::future::join_all;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Makes every call of every item: a slot first, then a task that makes all calls of one item at the same time, at most
/// `limit` items at a time.
///
/// No dependency has more than `limit` calls in flight. They share that one limit, so it has to suit the smallest, and
/// a slot is taken for as long as the slowest of an item's calls. Dropping the future ends the tasks.
pub async fn fan_out<B: Batch>(
    batch: Arc<B>,
    items: Vec<B::Item>,
    limit: NonZeroUsize,
) -> Answers<B::Value, B::Error> {
    let slots = Arc::new(Semaphore::new(limit.get()));
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    let mut tasks = JoinSet::new();
    for (index, item) in items.into_iter().enumerate() {
        let slot = Arc::clone(&slots).acquire_owned().await.expect("the semaphore is never closed");
        // A finished task keeps its result, and so its memory, until it is joined.
        while let Some(ended) = tasks.try_join_next() {
            let (index, ended) = crate::output(ended);
            answers.record_all(index, ended);
        }
        let batch = Arc::clone(&batch);
        tasks.spawn(async move {
            let calls = (0..batch.dependencies().get()).map(|dependency| batch.call(&item, dependency));
            let ended = join_all(calls).await;
            drop(slot);
            (index, ended)
        });
    }
    while let Some(ended) = tasks.join_next().await {
        let (index, ended) = crate::output(ended);
        answers.record_all(index, ended);
    }
    answers
}
