use std::sync::Arc;

use fanout_workload::Handler;

use super::arrivals::StreamSpec;
use super::source::Message;
use crate::service::{CallError, Service};

/// A handler that calls a [`Service`] for each message.
#[derive(Debug)]
pub struct SimulatedHandler<const WEIGHT: usize> {
    service: Arc<Service>,
}

impl<const WEIGHT: usize> SimulatedHandler<WEIGHT> {
    /// A handler whose calls' futures weigh at least `WEIGHT` bytes.
    #[must_use]
    pub const fn new(service: Arc<Service>) -> Self {
        Self { service }
    }
}

impl<const WEIGHT: usize> Handler<Message> for SimulatedHandler<WEIGHT> {
    type Error = CallError;

    async fn handle(&self, message: &Message) -> Result<(), CallError> {
        self.service.call::<WEIGHT>(StreamSpec::item(message.index())).await
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use fanout_workload::{Consumed, Source, settle};

    use super::*;
    use crate::faults::{Answer, Faults, Rule, Which};
    use crate::latency::Latency;
    use crate::stream::{Arrivals, SimulatedSource, Tally};
    use crate::timer::Timer;

    #[tokio::test(start_paused = true)]
    async fn each_message_is_settled_as_its_call_ended() {
        let which = Which::Every { nth: NonZeroU32::new(4).expect("not 0"), depth: None };
        let faults = Faults::new(vec![Rule::new(which, Answer::Error).expect("a rule")]);
        let latency = Latency::constant(Duration::from_millis(10));
        let service = Service::new(Timer::Virtual, 1, latency, faults, None);
        let handler = SimulatedHandler::<0>::new(Arc::new(service));
        let tally = Arc::new(Tally::default());
        let stream = StreamSpec::new(10, 200, Arrivals::AtOnce);
        let mut source = SimulatedSource::new(&stream, 1, Timer::Virtual, Arc::clone(&tally));
        let start = tokio::time::Instant::now();
        let mut consumed = Consumed::default();
        while let Some(message) = source.next().await {
            consumed.record(settle(&handler, message).await);
        }
        assert_eq!(start.elapsed(), Duration::from_millis(100));
        assert_eq!(consumed, Consumed { handled: 7, failed: 3, first_error: Some(CallError::Injected) });
        assert_eq!((tally.read(), tally.acknowledged(), tally.rejected(), tally.returned()), (10, 7, 3, 0));
    }
}
