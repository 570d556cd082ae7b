use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

const ITEM: () = ();

/// One dependency, whose calls take so long, and of which the first so many fail.
struct Work {
    takes: Duration,
    failing: u32,
    calls: Arc<AtomicU32>,
    in_flight: Arc<AtomicU32>,
}

impl Work {
    fn taking(milliseconds: u64) -> Self {
        Self { takes: ms(milliseconds), failing: 0, calls: Arc::default(), in_flight: Arc::default() }
    }

    fn failing(self, failing: u32) -> Self {
        Self { failing, ..self }
    }
}

struct InFlight(Arc<AtomicU32>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Batch for Work {
    type Item = ();
    type Value = u32;
    type Error = &'static str;

    fn dependencies(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    async fn call(&self, (): &(), _: usize) -> Result<u32, &'static str> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        let _in_flight = InFlight(Arc::clone(&self.in_flight));
        sleep(self.takes).await;
        if call < self.failing { Err("failed") } else { Ok(call) }
    }
}

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// The guide's: three attempts, and 50 ms x 2^attempt after each but the last.
fn three_attempts() -> Patience {
    Patience { attempts: NonZeroU32::new(3).expect("not 0"), backoff: ms(50), ..Patience::default() }
}

#[tokio::test(start_paused = true)]
async fn a_call_in_time_is_fresh() {
    let patience = Patience { deadline: Some(ms(10)), ..Patience::default() };
    let batch = Resilient::new(Work::taking(10), patience);
    assert_eq!(batch.call(&ITEM, 0).await, Ok(Served::Fresh(0)));
}

#[tokio::test(start_paused = true)]
async fn one_budget_covers_all_attempts_and_then_the_fallback_is_served() {
    let patience = Patience { budget: Some(ms(800)), ..three_attempts() };
    let start = Instant::now();
    let batch = Resilient::new(Work::taking(10_000), patience).fallback(|_, _| Some(7));
    assert_eq!(batch.call(&ITEM, 0).await, Ok(Served::Stale(7)));
    assert_eq!(start.elapsed(), ms(800));
}

#[tokio::test(start_paused = true)]
async fn a_limit_for_each_attempt_adds_up() {
    let patience = Patience { timeout: Some(ms(800)), ..three_attempts() };
    let (work, start) = (Work::taking(10_000), Instant::now());
    let (calls, in_flight) = (Arc::clone(&work.calls), Arc::clone(&work.in_flight));
    let batch = Resilient::new(work, patience).fallback(|_, _| Some(7));
    let exhausted = Unserved::Exhausted { attempts: patience.attempts, last: AttemptError::TooLong };
    assert_eq!(batch.call(&ITEM, 0).await, Err(exhausted));
    assert_eq!((start.elapsed(), calls.load(Ordering::Relaxed)), (ms(2_550), 3));
    assert_eq!(in_flight.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn failures_within_the_budget_are_not_covered_up() {
    let patience = Patience { budget: Some(ms(800)), ..three_attempts() };
    let start = Instant::now();
    let batch = Resilient::new(Work::taking(10).failing(3), patience).fallback(|_, _| Some(7));
    let failed = AttemptError::Failed("failed");
    let exhausted = Unserved::Exhausted { attempts: patience.attempts, last: failed };
    assert_eq!(batch.call(&ITEM, 0).await, Err(exhausted));
    assert_eq!(start.elapsed(), ms(10 + 50 + 10 + 100 + 10));
    assert_eq!(exhausted.to_string(), "all 3 attempts failed, the last one: failed");
}

#[tokio::test(start_paused = true)]
async fn what_fails_twice_is_fresh_the_third_time() {
    let batch = Resilient::new(Work::taking(10).failing(2), three_attempts());
    assert_eq!(batch.call(&ITEM, 0).await, Ok(Served::Fresh(2)));
}

#[tokio::test(start_paused = true)]
async fn after_the_deadline_no_call_is_made() {
    let work = Work::taking(10);
    let calls = Arc::clone(&work.calls);
    let batch = Resilient::new(work, Patience { deadline: Some(ms(5)), ..Patience::default() });
    assert_eq!(batch.call(&ITEM, 0).await, Err(Unserved::Expired));
    assert_eq!(batch.call(&ITEM, 0).await, Err(Unserved::Expired));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn pauses_double_and_never_overflow() {
    let patience = three_attempts();
    assert_eq!([0, 1, 2].map(|attempt| patience.pause(attempt)), [ms(50), ms(100), ms(200)]);
    assert_eq!(patience.pause(u32::MAX), ms(50) * u32::MAX);
}
