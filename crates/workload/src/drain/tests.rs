use std::future::{Future, pending, ready};
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::*;
use crate::stream::Delivery;

/// What became of a message, as its source sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Acknowledged,
    Rejected,
    Returned,
}

/// A delivery that tells, and that may panic over it.
struct Note {
    text: &'static str,
    fates: Arc<Mutex<Vec<Fate>>>,
    told: bool,
}

impl Note {
    fn told(&mut self, fate: Fate) {
        self.told = true;
        if self.text == "source is gone" {
            panic("no source");
        }
        self.fates.lock().expect("nobody panics with it").push(fate);
    }
}

impl Delivery for Note {
    fn acknowledge(mut self) {
        self.told(Fate::Acknowledged);
    }

    fn reject(mut self) {
        self.told(Fate::Rejected);
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        if !self.told {
            self.told(Fate::Returned);
        }
    }
}

/// Without the message on standard error.
fn panic(message: &'static str) -> ! {
    resume_unwind(Box::new(message))
}

/// What a future comes to that has nothing to wait for.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits for something"),
    }
}

#[derive(Default)]
struct Desk {
    gauges: Gauges,
    fates: Arc<Mutex<Vec<Fate>>>,
}

impl Desk {
    fn take(&self, text: &'static str) -> Taken<Note> {
        Taken::new(Note { text, fates: Arc::clone(&self.fates), told: false }, &self.gauges)
    }

    fn fates(&self) -> Vec<Fate> {
        self.fates.lock().expect("nobody panics with it").clone()
    }

    fn settle(&self, text: &'static str, attempt: Attempt<&'static str>, letters: &Letters) {
        now(self.take(text).begin().settle(attempt, letters, pin!(pending())));
    }
}

type Letters = DeadLetters<Note, &'static str>;
type Pile = Arc<Mutex<Vec<(String, Fault<&'static str>)>>>;

fn failed() -> Attempt<&'static str> {
    Attempt::Failed(Fault::Handler("refused"))
}

/// Letters that are kept.
fn piled() -> (Pile, Letters) {
    let pile = Pile::default();
    let letters = {
        let pile = Arc::clone(&pile);
        Letters::default().sink(move |letter: DeadLetter<'_, Note, &'static str>| {
            pile.lock().expect("nobody panics with it").push((letter.name, letter.fault));
        })
    };
    (pile, letters)
}

fn call(
    outcome: impl FnOnce() -> Result<(), &'static str>,
    interrupted: impl Future<Output = Attempt<&'static str>>,
) -> Attempt<&'static str> {
    now(attempt(pin!(Some(async { outcome() })), pin!(interrupted)))
}

#[test]
fn a_call_is_handled_failed_or_panicked() {
    assert_eq!(call(|| Ok(()), pending()), Attempt::Handled);
    assert_eq!(call(|| Err("refused"), pending()), failed());
    let panicked = Attempt::Failed(Fault::Panicked("half-way".to_owned()));
    assert_eq!(call(|| panic("half-way"), pending()), panicked);
}

#[test]
fn a_call_that_ends_in_the_moment_of_its_interruption_has_ended() {
    assert_eq!(call(|| Ok(()), ready(Attempt::Interrupted)), Attempt::Handled);
    let endless = pin!(Some(pending::<Result<(), &str>>()));
    assert_eq!(now(attempt(endless, pin!(ready(Attempt::Interrupted)))), Attempt::Interrupted);
}

#[test]
fn a_call_that_panics_when_it_is_dropped_is_dropped() {
    struct Sore;
    impl Drop for Sore {
        fn drop(&mut self) {
            panic("let me finish");
        }
    }
    let endless = pin!(Some(async {
        let _sore = Sore;
        pending::<Result<(), &str>>().await
    }));
    assert_eq!(now(attempt(endless, pin!(ready(Attempt::Interrupted)))), Attempt::Interrupted);
}

#[test]
fn each_message_ends_in_one_way() {
    let desk = Desk::default();
    let letters = Letters::default();
    let (waiting, working) = (desk.take("waiting"), desk.take("working").begin());
    let moment = desk.gauges.read();
    assert_eq!((moment.received, moment.waiting, moment.working), (2, 1, 1));
    drop((waiting, working));
    desk.settle("good", Attempt::Handled, &letters);
    desk.settle("bad", failed(), &letters);
    desk.settle("ugly", Attempt::Failed(Fault::Panicked(String::new())), &letters);
    desk.settle("cut short", Attempt::Interrupted, &letters);
    use Fate::{Acknowledged, Rejected, Returned};
    assert_eq!(desk.fates(), [Returned, Returned, Acknowledged, Rejected, Rejected, Returned]);
    let expected = Reading {
        received: 6,
        handled: 1,
        failed: 2,
        panicked: 1,
        returned: 3,
        cancelled: 2,
        ..Reading::default()
    };
    assert_eq!(desk.gauges.read(), expected);
    assert_eq!(desk.gauges.report(Ended::Complete).lost(), 0);
}

#[test]
fn a_source_that_panics_over_its_message_takes_nothing_else_along() {
    let desk = Desk::default();
    let letters = Letters::default();
    desk.settle("source is gone", Attempt::Handled, &letters);
    desk.settle("source is gone", failed(), &letters);
    drop(desk.take("source is gone"));
    let moment = desk.gauges.read();
    assert_eq!((moment.received, moment.returned, moment.waiting, moment.working), (3, 3, 0, 0));
}

#[test]
fn a_dead_letter_has_its_name_and_its_fault() {
    let desk = Desk::default();
    let (pile, letters) = piled();
    desk.settle("first", failed(), &letters);
    let letters = letters.name(|note: &Note| match note.text {
        "nameless" => panic("no name"),
        text => format!("note of the {text}"),
    });
    desk.settle("second", Attempt::Failed(Fault::SetAside), &letters);
    desk.settle("nameless", failed(), &letters);
    desk.settle("good", Attempt::Handled, &letters);
    let refused = Fault::Handler("refused");
    let expected = [
        ("message 1".to_owned(), refused.clone()),
        ("note of the second".to_owned(), Fault::SetAside),
        ("message 3".to_owned(), refused),
    ];
    assert_eq!(*pile.lock().expect("nobody panics with it"), expected);
}

#[test]
fn a_message_is_rejected_only_once_its_letter_was_taken() {
    /// Waits for ever, or panics.
    struct Hopeless;
    impl DeadLetterSink<Note, &'static str> for Hopeless {
        async fn take(&self, letter: DeadLetter<'_, Note, &'static str>) {
            if letter.delivery.text == "too much" {
                panic("too much");
            }
            pending::<()>().await;
        }
    }
    let desk = Desk::default();
    let letters = Letters::default().sink(Hopeless);
    desk.settle("too much", failed(), &letters);
    now(desk.take("too slow").begin().settle(failed(), &letters, pin!(ready(()))));
    assert_eq!(desk.fates(), [Fate::Returned; 2]);
    let moment = desk.gauges.read();
    assert_eq!((moment.failed, moment.returned, moment.cancelled), (0, 2, 2));
}

#[test]
fn a_fault_says_what_happened() {
    assert_eq!(Fault::Handler("gone").to_string(), "gone");
    let panicked = Fault::<&str>::Panicked("message 7".to_owned());
    assert_eq!(panicked.to_string(), "the handler panicked: message 7");
    assert_eq!(Fault::<&str>::SetAside.to_string(), "set aside while it was worked on");
}

#[test]
fn a_large_call_is_kept_once() {
    async fn large() -> Result<(), &'static str> {
        let weight = [0u8; 2_048];
        std::hint::black_box(&weight);
        ready(()).await;
        std::hint::black_box(&weight);
        Ok(())
    }
    let attempted =
        async { attempt(pin!(Some(async { large().await })), pin!(ready(Attempt::Interrupted))).await };
    let (whole, call) = (size_of_val(&attempted), size_of_val(&large()));
    assert!((call..call + 200).contains(&whole), "{whole} for {call}");
}
