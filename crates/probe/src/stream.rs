use std::future::Future;

use fanout_workload::{Handler, Source};
use tokio::time::Instant;

use crate::observed::{Ending, Observed};
use crate::probe::{Ended, Probe};

/// A source whose messages are counted as they are taken.
#[derive(Debug)]
pub struct ObservedSource<S> {
    source: S,
    probe: Probe,
}

impl<S> ObservedSource<S> {
    /// Puts a probe before a source.
    pub const fn new(source: S, probe: Probe) -> Self {
        Self { source, probe }
    }
}

impl<S: Source> Source for ObservedSource<S> {
    type Delivery = S::Delivery;

    async fn next(&mut self) -> Option<S::Delivery> {
        let delivery = self.source.next().await?;
        self.probe.give(1);
        Some(delivery)
    }
}

/// A handler whose calls are counted.
#[derive(Debug)]
pub struct ObservedHandler<D, H> {
    handler: H,
    probe: Probe,
    arrived: fn(&D) -> Instant,
}

impl<D, H> ObservedHandler<D, H> {
    /// Puts a probe before a handler. `arrived` says when a message was ready to be taken: the response time counts
    /// from there, so a consumer that reads late hides nothing.
    pub const fn new(handler: H, probe: Probe, arrived: fn(&D) -> Instant) -> Self {
        Self { handler, probe, arrived }
    }
}

impl<D: Send + Sync + 'static, H: Handler<D>> Handler<D> for ObservedHandler<D, H> {
    type Error = H::Error;

    fn handle(&self, delivery: &D) -> impl Future<Output = Result<(), H::Error>> + Send {
        let intended_ns = self.probe.since_start_ns((self.arrived)(delivery));
        Observed::new(&self.probe, intended_ns, self.handler.handle(delivery), Settles)
    }
}

struct Settles;

impl<E> Ending<Result<(), E>> for Settles {
    fn of(&self, handled: &Result<(), E>) -> Ended {
        match handled {
            Ok(()) => Ended::Answered { revealed: 0 },
            Err(_) => Ended::Failed,
        }
    }
}
