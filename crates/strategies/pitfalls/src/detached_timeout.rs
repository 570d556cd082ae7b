//! A timeout around the handle of a spawned call. It ends the waiting and not the call, so that each further attempt
//! comes on top of those before it: a retry storm.

use std::sync::Arc;

use fanout_resilience::{AttemptError, Patience, Served, Unserved};
use fanout_workload::{Answers, Batch};
use futures::future::join_all;
use tokio::time::{sleep, timeout};

/// Makes all calls at once, each with as many attempts of so long a time as `patience` says. Its deadline and its budget
/// are not heeded.
pub async fn fan_out<B: Batch>(
    batch: Arc<B>,
    items: Vec<B::Item>,
    patience: Patience,
) -> Answers<Served<B::Value>, Unserved<B::Error>> {
    let mut answers = Answers::none_yet(items.len(), batch.dependencies());
    let calls = items.iter().map(|item| {
        let dependencies = 0..batch.dependencies().get();
        join_all(dependencies.map(|dependency| attempts(&batch, item, dependency, patience)))
    });
    for (index, ended) in join_all(calls).await.into_iter().enumerate() {
        answers.record_all(index, ended);
    }
    answers
}

async fn attempts<B: Batch>(
    batch: &Arc<B>,
    item: &B::Item,
    dependency: usize,
    patience: Patience,
) -> Result<Served<B::Value>, Unserved<B::Error>> {
    let mut attempt = 0;
    loop {
        let (batch, item) = (Arc::clone(batch), item.clone());
        let call = tokio::spawn(async move { batch.call(&item, dependency).await });
        // The bug: what is dropped when time is up is the handle.
        let ended = match patience.timeout {
            None => Ok(call.await),
            Some(limit) => timeout(limit, call).await,
        };
        let last = match ended.map(crate::output) {
            Ok(Ok(value)) => return Ok(Served::Fresh(value)),
            Ok(Err(error)) => AttemptError::Failed(error),
            Err(_) => AttemptError::TooLong,
        };
        if attempt + 1 == patience.attempts.get() {
            return Err(Unserved::Exhausted { attempts: patience.attempts, last });
        }
        sleep(patience.pause(attempt)).await;
        attempt += 1;
    }
}
