use std::time::Duration;

/// How a call spends its time. All but the first need real time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Manner {
    /// It waits, as a call over a network does.
    #[default]
    Waiting,
    /// It blocks the thread that polls it, as a call of a synchronous client does.
    Blocking,
    /// It blocks a thread of the runtime's blocking pool.
    BlockingPool,
    /// It keeps the thread that polls it busy for so much of its processor time.
    Computing,
}

/// Blocks a thread of the runtime's blocking pool for so long.
pub(crate) async fn block_the_pool(duration: Duration) {
    let job = tokio::task::spawn_blocking(move || std::thread::sleep(duration));
    job.await.expect("sleeping does not panic, and nobody cancels it");
}

/// Computes until this thread has spent so much processor time: however many others want the processor.
pub(crate) fn compute(duration: Duration) {
    let end = thread_time() + duration;
    let mut sum = 0u64;
    while thread_time() < end {
        // A stretch of work between two looks at the time, each of which is a system call.
        for number in 0..1_000u64 {
            sum = std::hint::black_box(sum.wrapping_add(number));
        }
    }
}

fn thread_time() -> Duration {
    let clock = nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID;
    clock.now().expect("a thread may ask for its own time").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn computing_takes_processor_time_of_this_thread() {
        let before = thread_time();
        compute(Duration::from_millis(5));
        assert!(thread_time() - before >= Duration::from_millis(5));
    }
}
