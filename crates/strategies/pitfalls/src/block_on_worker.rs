//! A worker thread that waits for a task which only a worker thread can run. With one of them nothing is left to run
//! it, and with several it may be in the one place from which no other takes it: the slot for what runs next.

use std::sync::Arc;

use fanout_workload::{Answer, Answers, Batch};
use futures::executor::block_on;
use tokio::task::JoinSet;

/// Makes the calls of each item in a task of the item's own, which looks like a function that is not async.
pub async fn fan_out<B: Batch>(batch: Arc<B>, items: Vec<B::Item>) -> Answers<B::Value, B::Error> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    let mut tasks = JoinSet::new();
    for (index, item) in items.into_iter().enumerate() {
        let batch = Arc::clone(&batch);
        tasks.spawn(async move { (index, all(&batch, &item)) });
    }
    while let Some(ended) = tasks.join_next().await {
        let (index, ended) = crate::output(ended);
        answers.record_all(index, ended);
    }
    answers
}

fn all<B: Batch>(batch: &Arc<B>, item: &B::Item) -> Vec<Answer<B>> {
    let calls = (0..batch.dependencies().get()).map(|dependency| {
        let (batch, item) = (Arc::clone(batch), item.clone());
        let call = tokio::spawn(async move { batch.call(&item, dependency).await });
        // The bug: this thread is one of those that the call needs.
        crate::output(block_on(call))
    });
    calls.collect()
}
