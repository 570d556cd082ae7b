use std::fs;
use std::process::{Child, Command, Stdio};

use fanout_record::Outcome;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::os::unix::process::CommandExt;

use crate::place::{Place, Said};

/// A cell that ends at once, and one of a minute.
const SCENARIO: &str = r#"
title = "One that ends and one that does not"
analysis = "."
limits = [2]
clocks = ["virtual", "wall"]
[workload.chain]
nodes = 2
[latency]
constant = "1m"
[strategy.queue-workers]
clocks = ["virtual"]
[strategy.sequential-stack]
clocks = ["wall"]
"#;

fn start(place: &Place) -> Child {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("fanout"))
        .args(["run", "slow.toml", "--no-heap", "--out", "r"])
        .current_dir(place.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("it starts");
    // No sleeping for so and so long: the first row is there when the first cell has ended.
    while fs::read_to_string(place.path("r/rows.csv")).map_or(0, |rows| rows.lines().count()) < 2 {
        assert_eq!(child.try_wait().expect("it can be asked"), None, "it ended before its first row");
        std::thread::yield_now();
    }
    child
}

fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.id().try_into().expect("a process id fits"))
}

fn assert_kept(place: &Place, child: Child) {
    let said = Said::of(&child.wait_with_output().expect("it ends")).ends(1);
    assert_eq!(said.err, "fanout: stopped after 1 of 2 cells; those that ended are kept\n");
    assert!(said.out.ends_with("r\n"), "{}", said.out);
    let results = place.results("r");
    assert!(results.manifest.interrupted);
    assert_eq!(results.rows.len(), 1, "an interrupted cell is no row");
    assert_eq!(results.rows[0].outcome, Outcome::Complete);
    assert_eq!(results.claims[0].held, Some(true), "what ended is judged");
}

#[test]
fn an_interrupt_keeps_the_rows_that_are_finished() {
    let place = Place::new().with("slow.toml", SCENARIO);
    let child = start(&place);
    kill(pid(&child), Signal::SIGINT).unwrap();
    assert_kept(&place, child);
}

#[test]
fn an_interrupt_from_a_terminal_is_no_crash_of_the_cells() {
    let place = Place::new().with("slow.toml", SCENARIO);
    let child = start(&place);
    // As a terminal does it: to the whole group.
    killpg(pid(&child), Signal::SIGINT).unwrap();
    assert_kept(&place, child);
}

#[cfg(target_os = "linux")]
#[test]
fn killing_a_run_ends_its_cells() {
    let place = Place::new().with("slow.toml", SCENARIO);
    let mut child = start(&place);
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let cell = loop {
        let children = fs::read_to_string(&children).expect("the system tells a process's children");
        if let Some(cell) = children.split_whitespace().next() {
            break cell.to_owned();
        }
        std::thread::yield_now();
    };
    child.kill().unwrap();
    child.wait().unwrap();
    // A cell of a minute: that it ends at all before the test's own patience is the point.
    while alive(&cell) {
        std::thread::yield_now();
    }
}

/// Whether a process runs; one that waits to be reaped does not.
#[cfg(target_os = "linux")]
fn alive(id: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{id}/stat")) else { return false };
    let state = stat.rsplit(") ").next().and_then(|rest| rest.chars().next());
    state != Some('Z') && state != Some('X')
}
