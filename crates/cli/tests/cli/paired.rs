//! `fanout compare --paired`: two binaries, which here are one.

use crate::place::Place;

fn place() -> Place {
    let tree = crate::place::TREE.replace("limits = [2]", "limits = [2]\nclocks = [\"virtual\", \"wall\"]");
    Place::new().with("tree.toml", tree)
}

#[test]
fn a_build_against_itself_is_quiet() {
    let place = place();
    let binary = env!("CARGO_BIN_EXE_fanout");
    let said = place
        .fanout(&format!("compare --paired {binary} {binary} --scenario tree.toml --runs 3 --out both"))
        .ends(0);
    assert!(said.out.starts_with("unchanged: 2 virtual cells, to the last figure"), "{}", said.out);
    assert!(said.out.contains("3 runs a side, of 8 that it takes"), "{}", said.out);
    let base = place.results("both/base");
    let runs: Vec<u32> = base
        .rows
        .iter()
        .filter(|row| row.wall_ns.is_some() && row.limit.is_some())
        .map(|row| row.run)
        .collect();
    assert_eq!(runs, [1, 2, 3]);
    // What it has written can be compared again, and is not written over.
    place.fanout("compare both/base both/head").ends(0);
    place
        .fanout(&format!(
            "compare --paired {binary} {binary} --scenario tree.toml --out both --clock virtual"
        ))
        .refuses(1, &["both/base exists already"]);
}

#[test]
fn what_is_no_build_of_fanout_is_said_to_be_none() {
    let place = place();
    let binary = env!("CARGO_BIN_EXE_fanout");
    let paired = |what: &str, more: &str| format!("compare --paired {what} {binary} {more} --out both");
    place
        .fanout(&paired("no-such-binary", "--scenario tree.toml"))
        .refuses(1, &["cannot run no-such-binary"]);
    place.fanout(&paired(binary, "--scenario nowhere")).refuses(1, &["run: exit status: 1", "nowhere"]);
    place.fanout(&format!("compare --paired {binary} {binary}")).refuses(2, &["--out"]);
    assert!(!place.path("both").exists());
}
