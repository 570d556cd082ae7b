//! Calls that are cancelled at the deadline, each under a loop that takes its cancellation for one more failure and
//! tries again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fanout_resilience::{AttemptError, Patience, Served, Unserved};
use fanout_workload::{Answers, Batch};
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// The attempts that are under way, to be cancelled at the deadline.
type UnderWay = Arc<Mutex<Vec<AbortHandle>>>;

type Answer<B> = Result<Served<<B as Batch>::Value>, Unserved<<B as Batch>::Error>>;

/// Makes all calls at once, each with so many attempts, and leaves at the deadline, having cancelled what is under way.
/// It does not wait for what it cancelled, so it never learns that it goes on.
pub async fn fan_out<B: Batch>(
    batch: Arc<B>,
    items: Vec<B::Item>,
    patience: Patience,
) -> Answers<Served<B::Value>, Unserved<B::Error>> {
    let dependencies = batch.dependencies();
    let mut answers = Answers::none_yet(items.len(), dependencies);
    for index in 0..items.len() {
        answers.record_all(index, (0..dependencies.get()).map(|_| Err(Unserved::Expired)));
    }
    let under_way = UnderWay::default();
    let mut calls = JoinSet::new();
    for (index, item) in items.into_iter().enumerate() {
        for dependency in 0..dependencies.get() {
            let (batch, item, under_way) = (Arc::clone(&batch), item.clone(), Arc::clone(&under_way));
            calls.spawn(async move {
                (index, dependency, attempts(batch, item, dependency, patience, under_way).await)
            });
        }
    }
    let all = async {
        while let Some(ended) = calls.join_next().await {
            let (index, dependency, answer) = crate::output(ended);
            answers.record(index, dependency, answer);
        }
    };
    if timeout(patience.deadline.unwrap_or(Duration::MAX), all).await.is_err() {
        for attempt in under_way.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            attempt.abort();
        }
        calls.detach_all();
    }
    answers
}

async fn attempts<B: Batch>(
    batch: Arc<B>,
    item: B::Item,
    dependency: usize,
    patience: Patience,
    under_way: UnderWay,
) -> Answer<B> {
    let mut attempt = 0;
    loop {
        let (batch, item) = (Arc::clone(&batch), item.clone());
        let call: JoinHandle<_> = tokio::spawn(async move { batch.call(&item, dependency).await });
        under_way.lock().unwrap_or_else(PoisonError::into_inner).push(call.abort_handle());
        let last = match call.await {
            Ok(Ok(value)) => return Ok(Served::Fresh(value)),
            Ok(Err(error)) => AttemptError::Failed(error),
            // The bug: whoever cancelled it wanted it to end, and the loop goes on.
            Err(_) => AttemptError::TooLong,
        };
        if attempt + 1 == patience.attempts.get() {
            return Err(Unserved::Exhausted { attempts: patience.attempts, last });
        }
        sleep(patience.pause(attempt)).await;
        attempt += 1;
    }
}
