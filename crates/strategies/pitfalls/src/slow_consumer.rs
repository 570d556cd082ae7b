//! `buffer_unordered` with a consumer that is slower than its items (tree).
//!
//! - **The bug**: the loop that takes the answers awaits something long in its body, here the walk below each of them,
//!   and meanwhile nobody polls the other calls of the buffer.
//! - **What happens**: calls that were answered long ago do not learn it and keep their slots, so few of those in flight
//!   are at work; and where the body needs slots of the same pool, the whole stops for good: answered, never polled.
//! - **Instead**: only take answers in that loop and put what follows from them into a frontier, as
//!   `fanout-slot-before-spawn` does, or give each call a task of its own, which is polled whatever the loop does.

use std::num::NonZeroUsize;
use std::sync::Arc;

use fanout_deadlock::Slots;
use fanout_workload::{Tree, Walked};
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};

/// Walks the tree below `roots`, of each node's children `limit` at a time, and of the whole tree as many as there are
/// `slots`. Stops for good once answered calls that nobody polls hold them all.
pub async fn walk<T: Tree>(
    tree: Arc<T>,
    roots: Vec<T::Node>,
    limit: NonZeroUsize,
    slots: Slots<T::Node>,
) -> Walked<T::Node, T::Error> {
    forest(&*tree, roots, limit, &slots).await
}

// It calls itself, so its type has to have a name.
fn forest<'a, T: Tree>(
    tree: &'a T,
    nodes: Vec<T::Node>,
    limit: NonZeroUsize,
    slots: &'a Slots<T::Node>,
) -> BoxFuture<'a, Walked<T::Node, T::Error>> {
    async move {
        let calls = stream::iter(nodes).map(|node| async move {
            let _slot = slots.acquire(node.clone()).await;
            let answer = tree.children(&node).await;
            (node, answer)
        });
        let mut answers = calls.buffer_unordered(limit.get());
        let mut walked = Walked::default();
        while let Some((node, answer)) = answers.next().await {
            let children = walked.record(node, answer);
            // The bug: for as long as this takes, `answers` is not polled, and neither are the calls in it.
            walked.absorb(forest(tree, children, limit, slots).await);
        }
        walked
    }
    .boxed()
}

#[cfg(test)]
mod tests {
    use fanout_deadlock::{Report, run};

    use super::*;
    use crate::testing::{Full, Node, Seen, limit, ms};

    /// The guide's tree with so many slots: what was visited and seen, or who holds and who waits.
    fn guide(slots: usize) -> Result<(usize, Seen), Report> {
        let slots = Slots::new(limit(slots));
        let pool = slots.clone();
        let walk = async {
            let tree = Arc::new(Full::new(5, 5, |_, _, _| false));
            let walked = walk(Arc::clone(&tree), tree.roots(), limit(20), pool).await;
            (walked.visited, tree.seen())
        };
        run(walk, || slots.report(|(level, place): &Node| format!("{level}.{place}")))
    }

    fn names(names: &[String]) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }

    #[test]
    fn answered_siblings_that_nobody_polls_keep_the_slots() {
        let report = guide(4).expect_err("it never ends");
        let holders: Vec<_> = report.holders.iter().map(|holder| holder.name.as_str()).collect();
        assert_eq!(holders, ["1.1", "1.2", "1.3"]);
        // The slot of 1.0 went to 1.4, which has waited longest and is not polled either.
        assert_eq!(names(&report.waiters), ["1.4", "2.0", "2.1", "2.2", "2.3", "2.4"]);
    }

    #[test]
    fn four_slots_a_level_above_the_leaves_are_too_few_and_one_more_is_enough() {
        assert!((1..=16).all(|slots| guide(slots).is_err()));
        assert_eq!(guide(17).map(|(visited, _)| visited), Ok(3_906));
    }

    #[test]
    fn calls_are_in_flight_long_after_they_were_answered() {
        let (visited, seen) = guide(20).expect("enough slots");
        // Twenty slots, and four times the time of a walk that keeps them busy.
        assert_eq!((visited, seen.last_end), (3_906, ms(7_830)));
        // The last child of the root learns its answer when those before it have been walked.
        assert_eq!(seen.longest_call, ms(6_260));
    }
}
