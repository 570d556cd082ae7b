//! The two clocks: each runs a walk to its end, or to the verdict that it will never end.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
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
    /// What is to be said of a stuck run, while everything is as it stopped.
    pub(crate) wreck: Option<Wreck>,
    pub(crate) reading: fanout_probe::Reading,
    pub(crate) heap: Option<heap::Heap>,
    pub(crate) elapsed: Duration,
    pub(crate) cpu: Duration,
}

impl<T> Run<T> {
    /// The same run, with something else made of its output.
    pub(crate) fn map<U>(self, make: impl FnOnce(T) -> U) -> Run<U> {
        let Self { output, wreck, reading, heap, elapsed, cpu } = self;
        Run { output: output.map(make), wreck, reading, heap, elapsed, cpu }
    }
}

/// What is left of a walk that will never end, looked at before it is dropped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wreck {
    /// Calls in flight that will never be answered.
    pub(crate) hanging: u64,
    /// Who holds and who waits, where the strategy's slots know.
    pub(crate) holders: Option<String>,
}

impl CellClock {
    pub(crate) fn timer(self) -> Timer {
        match self.clock {
            Clock::Virtual => Timer::Virtual,
            Clock::Wall => Timer::Wall,
        }
    }

    pub(crate) fn probe(self) -> Probe {
        self.probe_beside(0)
    }

    /// A probe that leaves so many tasks of the runtime out of account.
    pub(crate) fn probe_beside(self, other_tasks: u64) -> Probe {
        let resolution = match self.clock {
            Clock::Virtual => Resolution::Milliseconds,
            Clock::Wall => Resolution::Microseconds,
        };
        Probe::beside(resolution, other_tasks)
    }

    /// A runtime on this clock.
    pub(crate) fn runtime(self) -> Runtime {
        self.runtime_with(None)
    }

    /// A runtime on this clock whose blocking pool has so many threads, where that is said.
    pub(crate) fn runtime_with(self, blocking_threads: Option<NonZeroUsize>) -> Runtime {
        let mut builder = match self.clock {
            // Without I/O and without threads: nothing outside can make a difference.
            Clock::Virtual => Builder::new_current_thread(),
            Clock::Wall => Builder::new_multi_thread(),
        };
        match self.clock {
            Clock::Virtual => builder.start_paused(true),
            Clock::Wall => builder.worker_threads(self.threads.get()),
        };
        if let Some(threads) = blocking_threads {
            builder.max_blocking_threads(threads.get());
        }
        builder
            .enable_time()
            .build()
            .unwrap_or_else(|error| panic!("cannot start the runtime's threads: {error}"))
    }

    /// Runs `walk`, with nothing but the walk between the readings. `known` is how many items there are beyond those
    /// that the probe has seen given; `wreck` describes a walk that is stuck.
    pub(crate) async fn run<F: Future>(
        self,
        walk: F,
        probe: &Probe,
        known: u64,
        wreck: impl FnOnce() -> Wreck,
    ) -> Run<F::Output> {
        let mut walk = pin!(walk);
        let counter = if self.heap { heap::Counter::start() } else { None };
        let cpu_before = cpu_time();
        let start = Instant::now();
        let output = match self.clock {
            Clock::Virtual => watch_virtual(walk.as_mut(), probe).await,
            Clock::Wall => self.watch_wall(walk.as_mut(), probe, known).await,
        };
        let elapsed = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu_before);
        let heap = counter.as_ref().map(heap::Counter::read);
        Run {
            wreck: output.as_ref().err().map(|_| wreck()),
            reading: probe.read(),
            output,
            heap,
            elapsed,
            cpu,
        }
    }

    async fn watch_wall<F: Future>(
        self,
        mut walk: Pin<&mut F>,
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

/// A watchdog sleeps for ten years, and a call for at most one. If anything happened since it was set, it is set again:
/// a walk may take as long as it likes.
async fn watch_virtual<F: Future>(mut walk: Pin<&mut F>, probe: &Probe) -> Result<F::Output, Stuck> {
    let mut seen = probe.counts();
    loop {
        let output = watch(walk.as_mut()).await;
        let counts = probe.counts();
        if output.is_ok() || counts == seen {
            return output;
        }
        seen = counts;
    }
}

fn progress(counts: Counts, known: u64) -> Progress {
    Progress {
        in_flight: counts.in_flight(),
        started: counts.started,
        finished: counts.finished(),
        outstanding: counts.given.max(known) + counts.retried - counts.finished(),
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
