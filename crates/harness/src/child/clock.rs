//! The two clocks: each runs a walk to its end, or to the verdict that it will never end.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::time::{Duration, Instant};

use fanout_deadlock::{Detector, Progress, Stuck, watch};
use fanout_probe::{Counts, Probe, Resolution, heap};
use fanout_record::Clock;
use fanout_simulation::Timer;
use nix::sys::resource::{UsageWho, getrusage};
use tokio::runtime::{Builder, Runtime};

/// The clock of a cell, with what it needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellClock {
    pub(crate) clock: Clock,
    pub(crate) threads: NonZeroUsize,
    /// Whether to count the heap; on the virtual clock only.
    pub(crate) heap: bool,
    /// What the workload may rightly wait for with nothing in flight.
    pub(crate) longest_pause: Duration,
}

/// A run that ended, or never will.
pub(crate) struct Run<T> {
    /// What the strategy gave back; [`Stuck`] where it never will.
    pub(crate) output: Result<T, Stuck>,
    /// What the harness could say of the stuck run while everything was as it stopped.
    pub(crate) wreck: Option<String>,
    pub(crate) reading: fanout_probe::Reading,
    pub(crate) heap: Option<heap::Heap>,
    pub(crate) elapsed: Duration,
    pub(crate) cpu: Duration,
}

impl CellClock {
    pub(crate) fn timer(self) -> Timer {
        match self.clock {
            Clock::Virtual => Timer::Virtual,
            Clock::Wall => Timer::Wall,
        }
    }

    pub(crate) fn probe(self) -> Probe {
        Probe::new(match self.clock {
            Clock::Virtual => Resolution::Milliseconds,
            Clock::Wall => Resolution::Microseconds,
        })
    }

    /// A runtime on this clock.
    pub(crate) fn runtime(self) -> Runtime {
        match self.clock {
            // Without I/O and without threads: nothing outside can make a difference.
            Clock::Virtual => Builder::new_current_thread().enable_time().start_paused(true).build(),
            Clock::Wall => {
                Builder::new_multi_thread().worker_threads(self.threads.get()).enable_time().build()
            }
        }
        .unwrap_or_else(|error| panic!("cannot start the runtime's threads: {error}"))
    }

    /// Runs `walk`, with nothing but the walk between the readings. `known` is how many items there are beyond those
    /// that the probe has seen given; `wreck` describes a walk that is stuck.
    pub(crate) async fn run<F: Future>(
        self,
        walk: F,
        probe: &Probe,
        known: u64,
        wreck: impl FnOnce() -> Option<String>,
    ) -> Run<F::Output> {
        let mut walk = pin!(walk);
        let counter = if self.heap { heap::Counter::start() } else { None };
        let cpu_before = cpu_time();
        let start = Instant::now();
        let output = match self.clock {
            Clock::Virtual => watch(walk.as_mut()).await,
            Clock::Wall => self.watch_wall(walk.as_mut(), probe, known).await,
        };
        let elapsed = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu_before);
        let heap = counter.as_ref().map(heap::Counter::read);
        Run {
            wreck: output.as_ref().err().and_then(|_| wreck()),
            reading: probe.read(),
            output,
            heap,
            elapsed,
            cpu,
        }
    }

    async fn watch_wall<F: Future>(
        self,
        mut walk: std::pin::Pin<&mut F>,
        probe: &Probe,
        known: u64,
    ) -> Result<F::Output, Stuck> {
        let mut detector = Detector::new(self.longest_pause);
        loop {
            tokio::select! {
                biased;
                output = walk.as_mut() => return Ok(output),
                () = Timer::Wall.sleep(Detector::TICK) => {
                    if detector.observe(Instant::now(), progress(probe.counts(), known)) {
                        return Err(Stuck);
                    }
                }
            }
        }
    }
}

fn progress(counts: Counts, known: u64) -> Progress {
    Progress {
        in_flight: counts.in_flight(),
        started: counts.started,
        finished: counts.finished(),
        outstanding: counts.given.max(known) - counts.finished(),
    }
}

/// User and system time of this process so far.
fn cpu_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("a process may ask for its own usage");
    let time = |time: nix::sys::time::TimeVal| {
        Duration::new(time.tv_sec().unsigned_abs(), u32::try_from(time.tv_usec()).unwrap_or(0) * 1_000)
    };
    time(usage.user_time()) + time(usage.system_time())
}
