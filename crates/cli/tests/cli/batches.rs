//! Batches from end to end: what a strategy leaves behind, and what becomes of it. The figures are exact, and each is a
//! claim of its scenario, so that a command that ends well says that they hold.

use fanout_record::Results;

use crate::place::Place;

fn held(text: &str) -> Results {
    let place = Place::new().with("batch.toml", text);
    place.fanout("run batch.toml --out r").ends(0);
    place.results("r")
}

#[test]
fn one_of_three_calls_fails() {
    let text = r#"
title = "One of three calls fails at 50 ms"
analysis = "."
[workload.batch]
items = 1
[dependency.a]
latency.constant = "50ms"
fault = [{ every = { nth = 1 } }]
[dependency.b]
latency.constant = "200ms"
[dependency.c]
latency.constant = "200ms"
[strategy.structured-group]
expect = { virtual = "50ms", wasted = "150ms", cancelled = 2, in-flight-end = 0, tasks-end = 0 }
[strategy.token-group]
expect = { virtual = "50ms", wasted = "150ms", in-flight-end = 2, tasks-end = 2 }
[strategy.pitfall-careless-join]
expect = { virtual = "50ms", wasted = "450ms", in-flight-end = 2, tasks-end = 2 }
[strategy.unbounded-join-all]
expect = { virtual = "200ms", wasted = "50ms", visited = 2, unserved = 1, "a.failed" = 1, "b.visited" = 1 }
"#;
    let results = held(text);
    let of_b: Vec<_> = results.dependencies.iter().filter(|row| row.dependency == "b").collect();
    assert_eq!(of_b.iter().filter_map(|row| row.cancelled).collect::<Vec<_>>(), [1, 0, 0, 0]);
    assert!(results.timeline.iter().any(|bin| bin.dependency.as_deref() == Some("c") && bin.in_flight == 1));
}

#[test]
fn time_is_up() {
    let text = r#"
title = "Calls of 200 ms against a timeout, and a deadline, of 100 ms"
analysis = "."
[workload.batch]
items = 100
[dependency.slow]
latency.constant = "200ms"
downstream = { capacity = 50, when-full = "queue" }
[[variant]]
name = "timeout"
calls = { timeout = "100ms", attempts = 3, backoff = "50ms" }
[[variant]]
name = "deadline"
calls = { deadline = "100ms", attempts = 3, backoff = "50ms" }
[strategy.unbounded-join-all]
[[strategy.unbounded-join-all.expect]]
variant = "timeout"
virtual = "450ms"
calls = 300
retried = 200
in-flight-peak = 100
in-flight-end = 0
[[strategy.unbounded-join-all.expect]]
variant = "deadline"
outcome = "deadline"
virtual = "100ms"
over-deadline = "0ms"
in-flight-end = 0
late-calls = 0
[strategy.pitfall-detached-timeout]
variants = ["timeout"]
expect = { virtual = "450ms", calls = 300, in-flight-peak = 250, in-flight-end = 200 }
[strategy.pitfall-swallowed-cancellation]
variants = ["deadline"]
expect = { outcome = "deadline", virtual = "100ms", late-calls = 100 }
"#;
    held(text);
}

#[test]
fn one_budget_or_a_limit_for_each_attempt() {
    let text = r#"
title = "A call with three attempts"
analysis = "."
[workload.batch]
items = 1
[dependency.a]
latency.constant = "10ms"
fault = [{ every = { nth = 1 }, answer = "never" }]
[[variant]]
name = "budget"
calls = { budget = "800ms", attempts = 3, backoff = "50ms" }
[variant.dependency.a]
latency.constant = "10ms"
fault = [{ every = { nth = 1 }, answer = "never" }]
fallback = true
[[variant]]
name = "timeout"
calls = { timeout = "800ms", attempts = 3, backoff = "50ms" }
[[variant]]
name = "failures"
calls = { budget = "800ms", attempts = 3, backoff = "50ms" }
[variant.dependency.a]
latency.constant = "10ms"
fault = [{ every = { nth = 1 } }]
fallback = true
[strategy.sequential-stack]
expect = [
    { variant = "budget", virtual = "800ms", calls = 1, stale = 1 },
    { variant = "timeout", virtual = "2.55s", calls = 3, unserved = 1 },
    { variant = "failures", virtual = "180ms", calls = 3, unserved = 1, stale = 0 },
]
"#;
    held(text);
}

#[test]
fn a_batch_that_hangs_says_who_is_blocked() {
    // Many more items than threads: with as many, the call of the first may be queued before the job of the last.
    let text = r#"
title = "Threads that wait for their like"
analysis = "."
clocks = ["wall"]
threads = [1]
[workload.batch]
items = 200
blocking-threads = 4
[dependency.a]
latency.constant = "10ms"
[strategy.pitfall-block-on-worker]
expect = { clock = "wall", outcome = "deadlocked" }
[strategy.pitfall-pool-awaits-pool]
expect = { clock = "wall", outcome = "deadlocked" }
"#;
    let place = Place::new().with("batch.toml", text);
    place.fanout("run batch.toml --out r").ends(0);
    let reason = place.results("r").rows[0].reason.clone().unwrap_or_default();
    assert!(reason.ends_with("1 of 1 worker threads is blocked inside a poll"), "{reason}");
    let deadlocks = place.read("r/deadlocks.txt");
    assert!(deadlocks.contains("4 of 4 slots are held"), "{deadlocks}");
    let holders =
        deadlocks.lines().filter(|line| line.contains("holds a slot and waits for the call 0 of item"));
    assert_eq!(holders.count(), 4, "{deadlocks}");
}

#[test]
fn explain_says_what_a_batch_got_and_what_it_cost() {
    let text = r#"
title = "Two dependencies, of which one refuses"
analysis = "."
[workload.batch]
items = 20
[dependency.a]
latency.constant = "20ms"
[dependency.b]
latency.constant = "10ms"
downstream = { capacity = 5, when-full = "reject" }
[strategy.unbounded-join-all]
expect = { refused = 15, fresh = 5, unserved = 15, in-flight-peak = 26 }
"#;
    held(text);
    let place = Place::new().with("batch.toml", text);
    let said = place.fanout("explain batch.toml unbounded-join-all").ends(0);
    assert!(said.out.contains("5 items served fresh, 0 with a fallback, 15 lack something"), "{}", said.out);
    assert!(said.out.contains("15 calls were refused"), "{}", said.out);
    // Twenty calls of `a` to the end: those of one dependency alone would have none in flight in the second half.
    let in_flight = said.out.lines().find(|line| line.contains("in flight |")).unwrap().to_owned();
    assert!(!in_flight.split('|').nth(1).unwrap().contains(' '), "{}", said.out);

    let wall = text
        .replacen("[workload", "clocks = [\"wall\"]\n[workload", 1)
        .replace("expect = {", "expect = { clock = \"wall\",");
    place
        .with("batch.toml", &wall)
        .fanout("explain batch.toml unbounded-join-all")
        .refuses(1, &["runs on the wall clock alone"]);
}
