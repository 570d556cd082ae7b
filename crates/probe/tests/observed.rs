//! What the probe says of workloads whose every number is known.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanout_probe::{
    Counts, Mark, ObservedHandler, ObservedSource, ObservedTree, Peaks, Percentiles, Probe, Resolution,
};
use fanout_workload::{Delivery, Handler, Source, Tree, settle};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

const MS: u64 = 1_000_000;

#[derive(Clone, PartialEq, Debug)]
struct Node {
    name: u64,
    revealed_ns: u64,
}

/// A root with three children; a call takes 10 ms, and that of the last child fails.
struct Small;

impl Tree for Small {
    type Node = Node;
    type Error = &'static str;

    async fn children(&self, node: &Node) -> Result<Vec<Node>, &'static str> {
        sleep(Duration::from_millis(10)).await;
        match node.name {
            0 => Ok((1..=3).map(|name| Node { name, revealed_ns: 0 }).collect()),
            3 => Err("refused"),
            _ => Ok(Vec::new()),
        }
    }
}

fn observed(probe: &Probe) -> Arc<ObservedTree<Small>> {
    let mark = Mark { get: |node: &Node| node.revealed_ns, set: |node: &mut Node, ns| node.revealed_ns = ns };
    Arc::new(ObservedTree::new(Small, probe.clone(), mark))
}

#[tokio::test(start_paused = true)]
async fn a_walk_is_counted_to_the_last_node() {
    let probe = Probe::new(Resolution::Milliseconds);
    let tree = observed(&probe);
    let roots = tree.reveal(vec![Node { name: 0, revealed_ns: 7 }]);
    assert_eq!(roots[0].revealed_ns, 0);
    let children = tree.children(&roots[0]).await.expect("the root answers");
    assert!(children.iter().all(|child| child.revealed_ns == 10 * MS));
    let mut tasks = JoinSet::new();
    for child in children {
        // The last waits for the first: its response is 20 ms, its service 10.
        let (tree, late) = (Arc::clone(&tree), child.name == 3);
        tasks.spawn(async move {
            if late {
                sleep(Duration::from_millis(10)).await;
            }
            tree.children(&child).await
        });
    }
    tasks.join_all().await;

    let reading = probe.read();
    assert_eq!(
        reading.counts,
        Counts { given: 4, started: 4, retried: 0, answered: 3, failed: 1, dropped: 0 }
    );
    assert_eq!(reading.peaks, Peaks { in_flight: 2, tasks: 3, backlog: 3, taken: 3 });
    assert_eq!((reading.tasks, reading.last_ns, reading.polls), (0, 30 * MS, 8));
    let ten = Percentiles { p50_ns: 10 * MS, p99_ns: 10 * MS, max_ns: 10 * MS };
    assert_eq!(reading.service, Some(ten));
    assert_eq!(reading.response, Some(Percentiles { p99_ns: 20 * MS, max_ns: 20 * MS, ..ten }));
    let in_flight: Vec<u64> = reading.timeline.iter().map(|slice| slice.in_flight).collect();
    assert_eq!((in_flight[0], in_flight[10], in_flight[15], in_flight[20]), (1, 2, 2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_no_longer_in_flight() {
    let probe = Probe::new(Resolution::Milliseconds);
    let tree = observed(&probe);
    let roots = tree.reveal(vec![Node { name: 0, revealed_ns: 0 }]);
    let call = tree.children(&roots[0]);
    assert_eq!(probe.counts().started, 0, "a call starts when it is first polled");
    let ended = tokio::time::timeout(Duration::from_millis(5), call).await;
    assert!(ended.is_err());
    let counts = probe.counts();
    assert_eq!((counts.in_flight(), counts.dropped, counts.taken()), (0, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_is_called_again_is_no_longer_waiting() {
    let probe = Probe::new(Resolution::Milliseconds);
    let mark = Mark { get: |node: &Node| node.revealed_ns, set: |node: &mut Node, ns| node.revealed_ns = ns };
    let tree = ObservedTree::new(Small, probe.clone(), mark);
    let called = Arc::new(AtomicBool::new(false));
    let before = Arc::clone(&called);
    let tree = tree.retried_if(move |node| node.name == 3 && before.load(Ordering::Relaxed));
    let roots = tree.reveal(vec![Node { name: 3, revealed_ns: 0 }, Node { name: 1, revealed_ns: 0 }]);
    assert_eq!(tree.children(&roots[0]).await, Err("refused"));
    // It backs off now: called, and so no backlog; nor is anything in flight.
    called.store(true, Ordering::Relaxed);
    let counts = probe.counts();
    assert_eq!((counts.backlog(), counts.in_flight(), counts.taken()), (1, 0, 1));
    assert_eq!(tree.children(&roots[0]).await, Err("refused"));
    assert_eq!(tree.children(&roots[1]).await, Ok(vec![]));
    let counts = probe.counts();
    assert_eq!(counts, Counts { given: 2, started: 3, retried: 1, answered: 1, failed: 2, dropped: 0 });
    assert_eq!((counts.backlog(), counts.taken()), (0, 0));
}

struct Message {
    arrived: Instant,
}

impl Delivery for Message {
    fn acknowledge(self) {}
    fn reject(self) {}
}

/// Two messages: one at once, one at 5 ms.
struct Two {
    start: Instant,
    next: u64,
}

impl Source for Two {
    type Delivery = Message;

    async fn next(&mut self) -> Option<Message> {
        let arrived = self.start + Duration::from_millis(5 * self.next);
        self.next += 1;
        sleep_until(arrived).await;
        (self.next <= 2).then_some(Message { arrived })
    }
}

struct Slow;

impl Handler<Message> for Slow {
    type Error = ();

    async fn handle(&self, _: &Message) -> Result<(), ()> {
        sleep(Duration::from_millis(20)).await;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn response_counts_from_the_arrival() {
    let probe = Probe::new(Resolution::Milliseconds);
    let mut source = ObservedSource::new(Two { start: Instant::now(), next: 0 }, probe.clone());
    let handler = ObservedHandler::new(Slow, probe.clone(), |message: &Message| message.arrived);
    while let Some(message) = source.next().await {
        settle(&handler, message).await.expect("it is slow, not faulty");
    }
    let reading = probe.read();
    assert_eq!(
        reading.counts,
        Counts { given: 2, started: 2, retried: 0, answered: 2, failed: 0, dropped: 0 }
    );
    assert_eq!(reading.service.map(|service| service.max_ns), Some(20 * MS));
    // The second arrived at 5 ms, was read at 20 and done at 40.
    assert_eq!(reading.response.map(|response| response.max_ns), Some(35 * MS));
}

#[tokio::test(start_paused = true)]
async fn a_timeline_goes_on_where_nothing_happens() {
    let probe = Probe::new(Resolution::Milliseconds);
    let handler = Arc::new(ObservedHandler::new(Slow, probe.clone(), |message: &Message| message.arrived));
    let mut source = ObservedSource::new(Two { start: Instant::now(), next: 0 }, probe.clone());
    let message = source.next().await.expect("it is there at once");
    let call = tokio::spawn(async move { settle(&*handler, message).await });
    sleep(Duration::from_millis(12)).await;
    assert_eq!(probe.read().timeline.len(), 1);
    probe.follow();
    let reading = probe.read();
    assert_eq!(reading.timeline.iter().map(|slice| slice.in_flight).collect::<Vec<_>>(), [1; 13]);
    assert_eq!(reading.last_ns, 0);
    call.abort();
}
