use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::probe::{Ended, Probe};

pin_project! {
    /// A call that is watched from its first poll to its end, or to its being dropped.
    pub(crate) struct Observed<'a, F, E> {
        #[pin]
        future: F,
        ending: E,
        guard: Guard<'a>,
    }
}

/// Counts the call as dropped, should it be.
struct Guard<'a> {
    probe: &'a Probe,
    intended_ns: u64,
    again: bool,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    New,
    Started { at_ns: u64 },
    Ended,
}

impl<'a, F, E> Observed<'a, F, E> {
    /// Watches `future`, which was due to start at `intended_ns`. `ending` says how it ended, and is then told when.
    pub(crate) fn new(probe: &'a Probe, intended_ns: u64, future: F, ending: E) -> Self {
        Self { future, ending, guard: Guard { probe, intended_ns, again: false, state: State::New } }
    }

    /// Says whether its item has been called before.
    pub(crate) fn again(mut self, again: bool) -> Self {
        self.guard.again = again;
        self
    }
}

/// What a call's output means.
pub(crate) trait Ending<T> {
    /// How the call ended.
    fn of(&self, output: &T) -> Ended;
    /// Takes in when it started and ended.
    fn at(&self, _output: &mut T, _started_ns: u64, _ended_ns: u64) {}
}

impl<F: Future, E: Ending<F::Output>> Future for Observed<'_, F, E> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let guard = this.guard;
        guard.probe.poll();
        let started_ns = match guard.state {
            State::New => guard.probe.start_call(guard.again),
            State::Started { at_ns } => at_ns,
            State::Ended => unreachable!("polled after its end"),
        };
        guard.state = State::Started { at_ns: started_ns };
        let mut output = ready!(this.future.poll(context));
        guard.state = State::Ended;
        let ended_ns = guard.probe.end_call(started_ns, guard.intended_ns, this.ending.of(&output));
        this.ending.at(&mut output, started_ns, ended_ns);
        Poll::Ready(output)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let State::Started { at_ns } = self.state {
            self.probe.drop_call(at_ns);
        }
    }
}
