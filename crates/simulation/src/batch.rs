use std::num::NonZeroUsize;

use fanout_workload::Batch;

use crate::downstream::DownstreamSpec;
use crate::draw;
use crate::faults::{Faults, Item};
use crate::latency::Latency;
use crate::manner::Manner;
use crate::service::{CallError, Service};
use crate::timer::Timer;

/// One dependency of a batch.
#[derive(Debug, Clone)]
pub struct DependencySpec {
    /// Its name.
    pub name: String,
    /// How long a call takes.
    pub latency: Latency,
    /// Which calls fail.
    pub faults: Faults,
    /// How much it can do at once, where that is limited.
    pub downstream: Option<DownstreamSpec>,
    /// How many calls a strategy with a limit for each dependency makes at once, at most.
    pub limit: Option<NonZeroUsize>,
    /// Whether there is something to be served for a call that is not answered in time.
    pub fallback: bool,
    /// How a call spends its time.
    pub manner: Manner,
}

/// Items, each with a call to each of several dependencies.
#[derive(Debug, Clone)]
pub struct BatchSpec {
    items: u32,
    dependencies: Vec<DependencySpec>,
    blocking_threads: Option<NonZeroUsize>,
}

/// A batch needs a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a batch calls at least one dependency")]
pub struct NoDependency;

impl BatchSpec {
    /// A batch of so many items, in a runtime whose blocking pool has so many threads, where that is said.
    ///
    /// # Errors
    ///
    /// There is no dependency.
    pub fn new(
        items: u32,
        dependencies: Vec<DependencySpec>,
        blocking_threads: Option<NonZeroUsize>,
    ) -> Result<Self, NoDependency> {
        if dependencies.is_empty() {
            return Err(NoDependency);
        }
        Ok(Self { items, dependencies, blocking_threads })
    }

    /// How many items there are.
    #[must_use]
    pub const fn items(&self) -> u32 {
        self.items
    }

    /// The dependencies, in order: at least one.
    #[must_use]
    pub fn dependencies(&self) -> &[DependencySpec] {
        &self.dependencies
    }

    /// How many threads the runtime's blocking pool has; none: tokio's default.
    #[must_use]
    pub const fn blocking_threads(&self) -> Option<NonZeroUsize> {
        self.blocking_threads
    }

    /// The seed of one dependency's draws: no two dependencies draw alike.
    #[must_use]
    pub fn seed(seed: u64, dependency: usize) -> u64 {
        draw::derived_seed(seed, dependency as u64)
    }

    /// An item's coordinates, for fault rules and draws.
    #[must_use]
    pub const fn item(index: u64) -> Item {
        Item { index, depth: None, position: index }
    }
}

/// A batch whose dependencies are simulated. What a call answers says which it was, so that an answer in the wrong
/// place is noticed.
#[derive(Debug)]
pub struct SimulatedBatch {
    services: Vec<Service>,
}

/// Which call an answer is to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reply {
    /// The item's index.
    pub item: u64,
    /// The dependency's number.
    pub dependency: usize,
}

impl SimulatedBatch {
    /// Starts the dependencies of `spec`. All draws are functions of `seed`.
    #[must_use]
    pub fn new(spec: &BatchSpec, timer: Timer, seed: u64) -> Self {
        let services = spec.dependencies.iter().enumerate().map(|(number, dependency)| {
            let DependencySpec { latency, faults, downstream, manner, .. } = dependency.clone();
            Service::new(timer, BatchSpec::seed(seed, number), latency, faults, downstream)
                .spending(manner)
                .counting_attempts(spec.items as usize)
        });
        Self { services: services.collect() }
    }

    /// The dependencies, in order.
    #[must_use]
    pub fn services(&self) -> &[Service] {
        &self.services
    }
}

impl Batch for SimulatedBatch {
    /// Its index.
    type Item = u64;
    type Value = Reply;
    type Error = CallError;

    fn dependencies(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.services.len()).expect("a batch has a dependency")
    }

    async fn call(&self, item: &u64, dependency: usize) -> Result<Reply, CallError> {
        self.services[dependency].call::<0>(BatchSpec::item(*item)).await?;
        Ok(Reply { item: *item, dependency })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    fn dependency(name: &str, latency: Latency) -> DependencySpec {
        DependencySpec {
            name: name.to_owned(),
            latency,
            faults: Faults::default(),
            downstream: None,
            limit: None,
            fallback: false,
            manner: Manner::default(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_dependency_has_its_own_latency_and_says_who_asked() {
        let dependencies =
            vec![dependency("a", Latency::constant(ms(40))), dependency("b", Latency::constant(ms(30)))];
        let spec = BatchSpec::new(3, dependencies, None).expect("two dependencies");
        let batch = SimulatedBatch::new(&spec, Timer::Virtual, 1);
        let start = Instant::now();
        assert_eq!(batch.call(&2, 1).await, Ok(Reply { item: 2, dependency: 1 }));
        assert_eq!(start.elapsed(), ms(30));
        assert_eq!(batch.call(&0, 0).await, Ok(Reply { item: 0, dependency: 0 }));
        assert_eq!(start.elapsed(), ms(70));
    }

    #[tokio::test(start_paused = true)]
    async fn dependencies_that_are_alike_do_not_draw_alike() {
        let drawn = || Latency::log_normal(ms(1_000), 0.5).expect("a distribution");
        let spec = BatchSpec::new(1, vec![dependency("a", drawn()), dependency("b", drawn())], None);
        let batch = SimulatedBatch::new(&spec.expect("two"), Timer::Virtual, 1);
        let mut took = Vec::new();
        for number in 0..2 {
            let start = Instant::now();
            batch.call(&0, number).await.expect("no faults");
            took.push(start.elapsed());
        }
        assert_ne!(took[0], took[1]);
    }

    #[test]
    fn a_batch_without_dependencies_is_none() {
        assert_eq!(BatchSpec::new(1, Vec::new(), None).expect_err("nothing to call"), NoDependency);
    }
}
