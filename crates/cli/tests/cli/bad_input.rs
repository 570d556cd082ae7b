use crate::place::{Place, TREE};

#[test]
fn scenarios_that_are_not_there_or_no_scenarios() {
    let place = Place::new().with("empty/notes.txt", "").with("no.toml", "title = \n");
    place.fanout("run nowhere").refuses(1, &["no scenario and no file \"nowhere\"", "01-tree-guide"]);
    place.fanout("run empty").refuses(1, &["empty holds no scenario", ".toml"]);
    place.fanout("run no.toml").refuses(1, &["no.toml:1:"]);
    place.fanout("explain nowhere queue-workers").refuses(1, &["no scenario and no file \"nowhere\""]);
    place
        .fanout("explain 01 nothing")
        .refuses(1, &["01-tree-guide has no strategy \"nothing\"", "queue-workers"]);
    place
        .fanout("explain 01 queue-workers --variant wide")
        .refuses(1, &["01-tree-guide has no variant \"wide\""]);
    assert_eq!(place.names(""), ["empty", "no.toml"], "nothing was made");
}

#[test]
fn what_is_wrong_in_a_scenario_is_said_with_its_place() {
    for (from, to, words) in [
        ("depth = 2", "depth = -2", "bad.toml:7:9: workload.tree.depth: found -2"),
        ("limits = [2]", "limits = [0]", "bad.toml:4:11: limits"),
        ("\"10ms\"", "\"10 parsecs\"", "bad.toml:9:12: latency.constant"),
        ("strategy.queue-workers", "strategy.queue-worker", "queue-worker"),
        ("[latency]", "[latencies]", "bad.toml:8:2"),
    ] {
        let place = Place::new().with("bad.toml", TREE.replacen(from, to, 1));
        place.fanout("run bad.toml --out r").refuses(1, &[words]);
        assert_eq!(place.names(""), ["bad.toml"]);
    }
}

#[test]
fn two_scenarios_of_one_name_are_refused() {
    let place = Place::new().with("a/tree.toml", TREE).with("b/tree.toml", TREE);
    place.fanout("run a b").refuses(1, &["a/tree.toml", "b/tree.toml"]);
}

#[test]
fn arguments_that_do_not_fit_are_wrong_usage() {
    let place = Place::new();
    for (line, words) in [
        ("run 01 --limit 0", "invalid value '0' for '--limit <N>'"),
        ("run 01 --limit -1", "unexpected argument '-1'"),
        ("run 01 --clock sundial", "expected virtual or wall"),
        ("run 01 --runs 0", "--runs"),
        ("run 01 --threads 0", "--threads"),
        ("run 01 --seed x", "--seed"),
        ("run 01 --memory 12x", "expected a size above zero such as 512MiB or 4GiB"),
        ("run 01 --memory 0B", "expected a size above zero"),
        ("run 01 --memory 512", "expected a size above zero"),
        ("run 01 --timeout soon", "expected a duration such as 500ms or 2m"),
        ("run 01 --timeout 0s", "expected a duration above zero"),
        ("run 01 --format xml", "[possible values: table, json, csv]"),
        ("report", "<RESULTS>"),
        ("dance", "unrecognized subcommand"),
    ] {
        place.fanout(line).refuses(2, &[words]);
    }
    place
        .fanout("run 01 --strategy queue-worker")
        .refuses(1, &["no strategy \"queue-worker\"", "queue-workers"]);
}

#[test]
fn a_folder_that_cannot_be_written() {
    let place = Place::with_scenarios().with("file", "mine");
    let reason = "cannot write file/below: Not a directory (os error 20)\n";
    place.fanout("run scenarios --out file/below").refuses(1, &[reason]);
    place.fanout("run scenarios --out file").refuses(1, &["cannot write file: File exists (os error 17)\n"]);
    assert_eq!(place.read("file"), "mine");
    place.fanout("run scenarios/tree.toml --out r").ends(0);
    place.fanout("report r --out file/below").refuses(1, &["cannot write file/below"]);
}

#[test]
fn results_that_cannot_be_read() {
    let place = Place::with_scenarios().with("other/notes.txt", "");
    for command in ["report", "check"] {
        place
            .fanout(&format!("{command} nowhere"))
            .refuses(1, &["cannot read nowhere: No such file or directory"]);
        place
            .fanout(&format!("{command} other"))
            .refuses(1, &["other is not a results folder: it has no manifest.json"]);
    }
    place.fanout("run scenarios/tree.toml --out r").ends(0);
    place.fanout("report r --table nothing").refuses(1, &["nothing"]);

    let rows = place.read("r/rows.csv");
    let edited = |text: String| std::fs::write(place.path("r/rows.csv"), text).unwrap();
    edited(rows.replace("queue-workers,2,", "queue-workers,two,"));
    place.fanout("check r").refuses(1, &["r/rows.csv:3, column limit", "two"]);
    edited(rows.replace("complete", "splendid"));
    place.fanout("check r").refuses(1, &["r/rows.csv:2, column outcome", "splendid"]);
    edited(rows.trim_end().to_owned());
    place.fanout("report r").refuses(1, &["r/rows.csv:3: the last line has no end"]);
    let last = rows.lines().last().unwrap();
    edited(format!("{rows}{last}\n"));
    place.fanout("check r").refuses(1, &["r/rows.csv:4: the cell of line 3 stands here again"]);
    edited(rows.replace("outcome", "verdict"));
    place.fanout("report r").refuses(1, &["r/rows.csv:1: column \"outcome\" is missing"]);
    assert!(!place.path("reports").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_is_full_is_an_error_and_the_results_are_kept() {
    let place = Place::with_scenarios();
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for line in [
        "list",
        "run scenarios --out table",
        "run scenarios --format csv --out csv",
        "run scenarios --format json --out json",
        "completions bash",
        "explain scenarios/tree.toml queue-workers",
    ] {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("fanout"));
        command.args(line.split_whitespace()).current_dir(place.path("")).stdout(full());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{line}");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err, "fanout: cannot write the output: No space left on device (os error 28)\n", "{line}");
    }
    for folder in ["table", "csv", "json"] {
        assert_eq!(place.results(folder).rows.len(), 3, "{folder}");
    }
}
