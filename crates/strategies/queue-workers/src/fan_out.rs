use std::num::NonZeroUsize;
use std::sync::Arc;

use async_channel::Receiver;
use fanout_workload::{Answer, Answers, Batch};
use futures::future::join_all;
use tokio::task::JoinSet;

/// Makes every call of every item with `limit` workers, each of which makes all calls of one item at the same time.
///
/// No dependency has more than `limit` calls in flight. They share that one limit, so it has to suit the smallest, and
/// a worker is busy for as long as the slowest of an item's calls. Dropping the future ends the workers.
pub async fn fan_out<B: Batch>(
    batch: Arc<B>,
    items: Vec<B::Item>,
    limit: NonZeroUsize,
) -> Answers<B::Value, B::Error> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    // Unbounded, and filled before anyone reads: the batch is in memory anyway, and no more will come.
    let (queue, waiting) = async_channel::unbounded();
    for entry in items.into_iter().enumerate() {
        queue.try_send(entry).unwrap_or_else(|_| unreachable!("its receiver is right here"));
    }
    queue.close();
    let mut workers = JoinSet::new();
    for _ in 0..limit.get().min(waiting.len()) {
        workers.spawn(work(Arc::clone(&batch), waiting.clone()));
    }
    while let Some(ended) = workers.join_next().await {
        for (index, ended) in crate::output(ended) {
            answers.record_all(index, ended);
        }
    }
    answers
}

async fn work<B: Batch>(batch: Arc<B>, waiting: Receiver<(usize, B::Item)>) -> Vec<(usize, Vec<Answer<B>>)> {
    let mut done = Vec::new();
    while let Ok((index, item)) = waiting.recv().await {
        let calls = (0..batch.dependencies().get()).map(|dependency| batch.call(&item, dependency));
        done.push((index, join_all(calls).await));
    }
    done
}
