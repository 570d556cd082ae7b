use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};

use super::attempt::{Attempt, Fault, First, catching};
use super::gauges::Gauges;
use super::letters::DeadLetters;
use crate::stream::Delivery;

/// A message taken from its source that nobody works on yet. Dropped, it goes back.
#[derive(Debug)]
pub struct Taken<D: Delivery>(Loan<D>);

impl<D: Delivery> Taken<D> {
    /// Counts a message as received. From here on it ends in one of three ways, and is counted for it.
    #[must_use]
    pub fn new(delivery: D, gauges: &Gauges) -> Self {
        let number = gauges.update(|reading| {
            reading.waiting += 1;
            reading.received += 1;
            reading.received
        });
        Self(Loan { delivery: Some(delivery), number, begun: false, settled: false, gauges: gauges.clone() })
    }

    /// What it is called.
    #[must_use]
    pub fn name<E>(&self, letters: &DeadLetters<D, E>) -> String {
        letters.name_of(self.0.delivery(), self.0.number)
    }

    /// Somebody works on it.
    #[must_use]
    pub fn begin(mut self) -> Begun<D> {
        self.0.begin();
        Begun(self.0)
    }
}

/// A message that is being worked on. Dropped, it goes back to its source.
#[derive(Debug)]
pub struct Begun<D: Delivery>(Loan<D>);

impl<D: Delivery> Begun<D> {
    /// The message.
    #[must_use]
    pub fn delivery(&self) -> &D {
        self.0.delivery()
    }

    /// Ends it as its attempt did: acknowledged, or rejected once it has been taken as a dead letter, or back to its
    /// source; that also when `cut` comes before a sink has taken it, or when whoever is told of it panics.
    pub async fn settle<E>(
        mut self,
        attempt: Attempt<E>,
        letters: &DeadLetters<D, E>,
        cut: Pin<&mut impl Future<Output = ()>>,
    ) {
        match attempt {
            Attempt::Handled => self.0.acknowledge(),
            Attempt::Failed(fault) => {
                let panicked = matches!(fault, Fault::Panicked(_));
                let handed = {
                    let handing = pin!(Some(letters.take(self.0.delivery(), self.0.number, fault)));
                    catching(handing, cut).await
                };
                if let Ok(First::Call(())) = handed {
                    self.0.reject(panicked);
                }
            }
            Attempt::Interrupted => {}
        }
    }
}

/// One message on loan, and its place in the account.
#[derive(Debug)]
struct Loan<D: Delivery> {
    // None only once its source has been told of it.
    delivery: Option<D>,
    number: usize,
    begun: bool,
    settled: bool,
    gauges: Gauges,
}

impl<D: Delivery> Loan<D> {
    fn delivery(&self) -> &D {
        self.delivery.as_ref().expect("it is told of its end last")
    }

    fn begin(&mut self) {
        self.begun = true;
        self.gauges.update(|reading| {
            reading.waiting -= 1;
            reading.working += 1;
        });
    }

    fn acknowledge(&mut self) {
        if self.tell(D::acknowledge) {
            self.gauges.update(|reading| {
                reading.working -= 1;
                reading.handled += 1;
            });
        }
    }

    fn reject(&mut self, panicked: bool) {
        if self.tell(D::reject) {
            self.gauges.update(|reading| {
                reading.working -= 1;
                reading.failed += 1;
                reading.panicked += usize::from(panicked);
            });
        }
    }

    /// Tells the source. Whether it has heard is another matter when that panics: the message counts as returned then.
    fn tell(&mut self, tell: impl FnOnce(D)) -> bool {
        let delivery = self.delivery.take().expect("it is told once");
        self.settled = catch_unwind(AssertUnwindSafe(|| tell(delivery))).is_ok();
        self.settled
    }
}

impl<D: Delivery> Drop for Loan<D> {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        // A source that panics over it is no reason for the account, or for the other messages of a worker, to suffer.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(self.delivery.take())));
        let begun = self.begun;
        self.gauges.update(|reading| {
            *(if begun { &mut reading.working } else { &mut reading.waiting }) -= 1;
            reading.returned += 1;
            reading.cancelled += usize::from(begun);
        });
    }
}
