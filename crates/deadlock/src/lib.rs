//! Says who holds, who waits, and that nothing can move.
//!
//! Two ways to know that a program is stuck:
//!
//! - On tokio's **paused clock** it is a proof. Time jumps to the next timer only when nothing is runnable, so a
//!   watchdog set ten years ahead fires only when there is neither anything to run nor any earlier timer: [`run`],
//!   [`watch`]. It takes microseconds.
//! - On the **wall clock** it is a judgement: nothing in flight, nothing finished, work outstanding, for longer than
//!   anything in the program may rightly pause: [`Detector`].
//!
//! And one way to know why: [`Slots`], a semaphore that remembers its holders, what they wait for, and who waits. In
//! anyone's test:
//!
//! ```
//! use fanout_deadlock::{Slots, run};
//!
//! let slots = Slots::new(1.try_into().unwrap());
//! let pool = slots.clone();
//! let nested = async move {
//!     let mut outer = pool.acquire("outer").await;
//!     outer.waits_for(&["inner"]);
//!     let _inner = pool.acquire("inner").await;
//! };
//! let report = run(nested, || slots.report(ToString::to_string)).unwrap_err();
//! assert_eq!(report.waiters, ["inner"]);
//! assert!(report.to_string().contains("outer holds a slot and waits for inner"));
//!
//! // With a slot more it ends, and the pool still knows how near it came.
//! let slots = Slots::new(2.try_into().unwrap());
//! let pool = slots.clone();
//! let nested = async move {
//!     let mut outer = pool.acquire("outer").await;
//!     outer.waits_for(&["inner"]);
//!     let _inner = pool.acquire("inner").await;
//! };
//! assert!(run(nested, || slots.report(ToString::to_string)).is_ok());
//! assert_eq!(slots.held_waiting(ToString::to_string).unwrap().peak, 1);
//! ```

mod detector;
mod report;
mod slots;
mod watchdog;

pub use detector::{Detector, Progress};
pub use report::{HeldWaiting, Holder, Report};
pub use slots::{Slot, Slots};
pub use watchdog::{Stuck, run, watch};
