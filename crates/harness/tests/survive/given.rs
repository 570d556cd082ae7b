//! What the cases have in common: trees, and policies.

use std::num::NonZeroU32;
use std::time::Duration;

use fanout_simulation::{Node, TreeSpec};
use fanout_workload::survey::{Class, Fault, Retry};

use crate::support::{Kind, Policy, Refused, Scripted, Seen, Turn, Walk};

/// Permanent, but for what scripts say is not.
pub fn strict<N: 'static>() -> Policy<N> {
    Policy::new().classify(|fault| match fault {
        Fault::Call(Refused::Busy) | Fault::NoAnswer(_) => Class::Retryable,
        Fault::Call(Refused::Gone) | Fault::Panicked(_) => Class::Permanent,
        Fault::Call(Refused::Unauthorised) => Class::Fatal,
    })
}

pub fn retry(attempts: u32, backoff: Duration) -> Retry {
    Retry::new(NonZeroU32::new(attempts).expect("not 0"), backoff)
}

/// A full tree, walked by its script from its root.
pub fn full(
    (kind, limit, policy): (Kind, usize, Policy<Node>),
    (branching, depth): (u32, u32),
    turn: impl Fn(&Node, u32) -> Turn + Send + Sync + 'static,
) -> Seen<Node> {
    let shape = TreeSpec::full(branching, depth).expect("it fits").build(1);
    let roots = shape.root().into_iter().collect();
    Walk::new(kind, limit, policy).run(|| Scripted::of(&shape).turn(turn), roots)
}

pub fn answers(_: &Node, _: u32) -> Turn {
    Turn::Answer
}

/// No node, or node 0 with so many children.
pub fn star(leaves: u64) -> Scripted<u64> {
    Scripted::new(move |&node| if node == 0 { (1..=leaves).collect() } else { Vec::new() })
}
