//! A cell that does not live to tell is a row with its reason, and the others run on.

use fanout_record::{Outcome, Results};

use crate::place::{Place, Said};

fn ended(results: &Results, strategy: &str) -> (Outcome, String) {
    let row = results.rows.iter().find(|row| row.strategy == strategy).expect("every cell has a row");
    (row.outcome, row.reason.clone().unwrap_or_default())
}

#[test]
fn a_cell_that_overflows_its_stack_is_a_row() {
    let text = r#"
title = "A chain too long for recursion"
analysis = "."
limits = [2]
[workload.chain]
nodes = 200000
[latency]
constant = "10ms"
[strategy.unbounded-join-all]
expect = { outcome = "crashed" }
[strategy.queue-workers]
expect = { visited = 200000 }
"#;
    let place = Place::new().with("chain.toml", text);
    place.fanout("run chain.toml --no-heap --out r").ends(0);
    let results = place.results("r");
    assert_eq!(ended(&results, "unbounded-join-all"), (Outcome::Crashed, "stack overflow".to_owned()));
    assert_eq!(ended(&results, "queue-workers").0, Outcome::Complete);
    assert!(place.names("").iter().all(|name| !name.starts_with("core")), "a crash leaves no core file");
}

#[test]
fn a_cell_over_its_time_is_a_row() {
    let text = r#"
title = "A minute a call"
analysis = "."
limits = [2]
[workload.chain]
nodes = 2
[latency]
constant = "1m"
[strategy.queue-workers]
clocks = ["virtual"]
[strategy.sequential-stack]
clocks = ["wall"]
runs = 1
"#;
    let place = Place::new()
        .with("long.toml", text.replace("limits = [2]", "limits = [2]\nclocks = [\"virtual\", \"wall\"]"));
    let said = place.fanout("run long.toml --timeout 300ms --no-heap --out r").ends(3);
    assert!(said.out.contains("outcome was timed-out, expected complete"), "{}", said.out);
    let results = place.results("r");
    let reason = "still running at the cell's time limit of 300ms";
    assert_eq!(ended(&results, "sequential-stack"), (Outcome::TimedOut, reason.to_owned()));
    assert_eq!(ended(&results, "queue-workers").0, Outcome::Complete);
}

#[test]
fn a_cell_over_its_memory_is_a_row() {
    let text = r#"
title = "Payloads that all wait at once"
analysis = "."
limits = [2]
[workload.stream]
messages = 2000
payload = "100KB"
arrivals = "at-once"
[latency]
constant = "10ms"
[strategy.semaphore-around-fetch]
expect = { outcome = "crashed" }
[strategy.slot-before-spawn]
expect = { visited = 2000 }
"#;
    let place = Place::new().with("heavy.toml", text);
    place.fanout("run heavy.toml --memory 128MiB --no-heap --out r").ends(0);
    let results = place.results("r");
    let (outcome, reason) = ended(&results, "semaphore-around-fetch");
    assert_eq!(outcome, Outcome::Crashed);
    assert!(reason.ends_with("under a limit of 128.0 MiB"), "{reason}");
    assert_eq!(ended(&results, "slot-before-spawn").0, Outcome::Complete);
}

#[test]
fn calls_that_never_answer_stall_and_do_not_deadlock() {
    let text = r#"
title = "Four calls that never answer"
analysis = "."
limits = [4]
[workload.star]
leaves = 20
[latency]
constant = "10ms"
[[fault]]
every = { nth = 5, depth = 1 }
answer = "never"
[strategy.queue-workers]
expect = { outcome = "stalled", visited = 13, in-flight-end = 4, tasks-end = 4, backlog-end = 4 }
"#;
    let place = Place::new().with("hanging.toml", text);
    place.fanout("run hanging.toml --out r").ends(0);
    let reason = "4 calls in flight never answer, 4 items wait";
    assert_eq!(ended(&place.results("r"), "queue-workers"), (Outcome::Stalled, reason.to_owned()));
}

#[test]
fn a_walk_of_decades_is_only_slow() {
    let text = r#"
title = "A year a call"
analysis = "."
[workload.chain]
nodes = 30
[latency]
constant = "365days"
[strategy.sequential-stack]
expect = { visited = 30, virtual = "30 * latency" }
"#;
    let place = Place::new().with("slow.toml", text);
    place.fanout("run slow.toml --out r").ends(0);
}

/// A limit on the size of files stands in for a disk that is full in the middle of a line.
#[cfg(unix)]
#[test]
fn what_was_finished_survives_a_full_disk() {
    let place = Place::with_scenarios();
    let fanout = assert_cmd::cargo::cargo_bin!("fanout").display().to_string();
    let run = format!(
        r#"trap "" XFSZ; ulimit -f 60; exec {fanout} run scenarios --seed 1,2,3,4,5,6,7,8,9 --out r"#
    );
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &run]).current_dir(place.path(""));
    let said = Said::of(&command.output().unwrap()).ends(1);
    assert!(said.err.starts_with("fanout: cannot write r/"), "{}", said.err);
    assert!(said.err.ends_with("File too large (os error 27)\n"), "{}", said.err);
    let kept = place.results("r").rows;
    assert!((1..27).contains(&kept.len()), "{} of 27 cells", kept.len());
    assert!(kept.iter().all(|row| row.outcome == Outcome::Complete));
    place.fanout("check r").ends(0);
}
