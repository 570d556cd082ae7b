//! Calls that are joined until the first one fails. The others go on: a task whose handle is dropped is detached, and
//! what it answers is thrown away.

use std::sync::Arc;

use fanout_workload::{Answers, Batch};
use futures::future::{join_all, try_join_all};

/// Makes all calls of each item in tasks of their own, and leaves an item at its first failure.
///
/// Only the failure is recorded; what its siblings answered, or would have, is lost.
pub async fn fan_out<B: Batch>(batch: Arc<B>, items: Vec<B::Item>) -> Answers<B::Value, B::Error> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    let joined = join_all(items.into_iter().map(|item| join(&batch, item))).await;
    for (index, joined) in joined.into_iter().enumerate() {
        match joined {
            Ok(values) => answers.record_all(index, values.into_iter().map(Ok)),
            Err((dependency, error)) => answers.record(index, dependency, Err(error)),
        }
    }
    answers
}

async fn join<B: Batch>(batch: &Arc<B>, item: B::Item) -> Result<Vec<B::Value>, (usize, B::Error)> {
    let calls = (0..batch.dependencies().get()).map(|dependency| {
        let (batch, item) = (Arc::clone(batch), item.clone());
        tokio::spawn(async move { batch.call(&item, dependency).await })
    });
    let calls: Vec<_> = calls.collect();
    let calls = calls.into_iter().enumerate().map(|(dependency, call)| async move {
        crate::output(call.await).map_err(|error| (dependency, error))
    });
    // The bug: at the first failure the other handles are dropped, and with a handle no task ends.
    try_join_all(calls).await
}
