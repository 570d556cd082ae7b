use fanout_record::{Clock, Outcome, Results, Row};

use crate::commands::assert_plain_and_narrow;
use crate::place::{Place, STREAM, TREE};

fn cells(results: &Results) -> Vec<(String, Option<usize>, u64)> {
    let cell = |row: &Row| (row.strategy.clone(), row.limit.map(usize::from), row.seed);
    results.rows.iter().map(cell).collect()
}

#[test]
fn a_folder_is_all_its_scenarios_and_a_file_is_one() {
    let place = Place::with_scenarios();
    place.fanout("run scenarios --out all").ends(0);
    place.fanout("run scenarios/tree.toml --out one").ends(0);
    let scenarios = |folder: &str| -> Vec<String> {
        place.results(folder).rows.into_iter().map(|row| row.scenario).collect()
    };
    assert_eq!(scenarios("all"), ["stream", "tree", "tree"]);
    assert_eq!(scenarios("one"), ["tree", "tree"]);
    let results = place.results("one");
    assert_eq!(results.rows.iter().map(|row| row.visited).collect::<Vec<_>>(), [Some(7), Some(7)]);
    assert_eq!(results.rows[0].virtual_ns, Some(70_000_000));
    assert_eq!(results.manifest.scenarios[0].title, "Seven nodes");
    assert_eq!(results.manifest.command, ["fanout", "run", "scenarios/tree.toml", "--out", "one"]);
}

#[test]
fn the_summary_is_plain_80_columns_wide_and_ends_with_the_folder() {
    let place = Place::with_scenarios();
    let said = place.fanout("run scenarios --no-heap --limit 2,30 --seed 1,2 --out r").ends(3);
    // The limits are other than the scenario's, so its exact claims do not hold.
    let summary: Vec<_> = said.out.lines().filter(|line| !line.starts_with("not held")).collect();
    assert_plain_and_narrow(&summary.join("\n"));
    insta::assert_snapshot!(summary.join("\n"));
    assert_eq!(said.err, "", "no progress where nobody watches");

    let said = Place::with_scenarios().fanout("run scenarios/tree.toml").ends(0);
    let last = said.out.lines().last().unwrap();
    assert!(last.starts_with("results/20") && !last.contains(' '), "{last}");
}

#[test]
fn colours_are_off_when_told() {
    let place = Place::with_scenarios();
    let mut command = place.command();
    command.args(["run", "scenarios/tree.toml", "--out", "r"]).env("NO_COLOR", "1");
    let out = command.output().unwrap().stdout;
    assert!(!out.contains(&0x1b));
}

#[test]
fn the_start_of_a_name_means_a_compiled_in_scenario() {
    let place = Place::new();
    place.fanout("run 01 --strategy sequential-stack --clock virtual --out r").ends(0);
    let results = place.results("r");
    assert_eq!(results.rows[0].scenario, "01-tree-guide");
    assert_eq!((results.rows.len(), results.rows[0].visited), (1, Some(3_906)));
    place.fanout("run 0 --clock virtual").refuses(1, &["\"0\" could be 01-tree-guide or 02-stream-guide"]);
}

#[test]
fn what_is_chosen_narrows_or_replaces_what_the_scenario_says() {
    let text = TREE.replace("limits = [2]", "limits = [2]\nclocks = [\"virtual\", \"wall\"]\nruns = 2");
    let place = Place::new().with("tree.toml", text);
    place
        .fanout("run tree.toml --clock virtual --strategy queue-workers --limit 3,4 --seed 7,8 --out v")
        .ends(3);
    let found = cells(&place.results("v"));
    let cell = |limit, seed| ("queue-workers".to_owned(), Some(limit), seed);
    assert_eq!(found, [cell(3, 7), cell(4, 7), cell(3, 8), cell(4, 8)]);

    place
        .fanout("run tree.toml --clock wall --strategy queue-workers --runs 3 --threads 1,2 --out w")
        .ends(0);
    let results = place.results("w");
    let runs: Vec<_> = results.rows.iter().map(|row| (row.threads.get(), row.run)).collect();
    assert_eq!(runs, [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]);
    for row in &results.rows {
        assert_eq!((row.clock, row.outcome, row.visited), (Clock::Wall, Outcome::Complete, Some(7)));
        assert_eq!((row.virtual_ns, row.heap_peak_bytes), (None, None), "of the other clock");
    }
}

#[test]
fn heap_is_counted_unless_told_otherwise() {
    let place = Place::with_scenarios();
    place.fanout("run scenarios/tree.toml --out with").ends(0);
    place.fanout("run scenarios/tree.toml --no-heap --out without").ends(0);
    assert!(place.results("with").rows.iter().all(|row| row.heap_peak_bytes > Some(0)));
    assert!(place.results("without").rows.iter().all(|row| row.heap_peak_bytes.is_none()));
}

#[test]
fn csv_and_json_are_the_rows_and_nothing_else() {
    let place = Place::with_scenarios();
    let said = place.fanout("run scenarios --format csv --out c").ends(0);
    assert_eq!(said.out, place.read("c/rows.csv"));
    assert_eq!(said.err, "c\n");

    let said = place.fanout("run scenarios --format json --out j").ends(0);
    let rows: Vec<Row> = serde_json::from_str(&said.out).expect("an array of rows");
    assert_eq!(rows, place.results("j").rows);
    assert_eq!(said.err, "j\n");
}

#[test]
fn quiet_says_only_where_the_results_are() {
    let place = Place::with_scenarios();
    let said = place.fanout("run scenarios --quiet --out r").ends(0);
    assert_eq!((said.out.as_str(), said.err.as_str()), ("r\n", ""));
}

#[test]
fn two_runs_write_the_same_virtual_rows_heap_included() {
    let place = Place::with_scenarios();
    let rows = |folder: &str| {
        place.fanout(&format!("run scenarios 01 --clock virtual --out {folder}")).ends(0);
        let mut table = csv::Reader::from_path(place.path(&format!("{folder}/rows.csv"))).unwrap();
        let real = table.headers().unwrap().iter().position(|name| name == "real_ns").unwrap();
        let lines = table.records().map(|record| {
            let record = record.unwrap();
            let others = record.iter().enumerate().filter(|(at, _)| *at != real);
            others.map(|(_, field)| field.to_owned()).collect::<Vec<_>>().join(",")
        });
        let timeline = place.read(&format!("{folder}/timeline.csv"));
        lines.chain(timeline.lines().map(str::to_owned)).collect::<Vec<_>>()
    };
    let (once, twice) = (rows("once"), rows("twice"));
    assert!(once.len() > 9);
    assert_eq!(once.len(), twice.len());
    for (once, twice) in once.iter().zip(&twice) {
        assert_eq!(once, twice);
    }
}

#[test]
fn results_are_never_written_over() {
    let place = Place::with_scenarios().with("full/notes.txt", "mine");
    place.fanout("run scenarios --out full").refuses(1, &["full exists already", "name another folder"]);
    assert_eq!(place.names("full"), ["notes.txt"]);
    std::fs::create_dir(place.path("empty")).unwrap();
    place.fanout("run scenarios --out empty").ends(0);
}

#[test]
fn a_run_that_cannot_be_planned_leaves_nothing_behind() {
    let place = Place::with_scenarios();
    place
        .fanout("run scenarios --strategy slot-before-spawn --out r")
        .refuses(1, &["nothing to run", "stream, tree"]);
    place.fanout("run scenarios --strategy nothing --out r").refuses(1, &["no strategy \"nothing\""]);
    assert_eq!(place.names(""), ["scenarios"]);
}

#[test]
fn one_reader_of_a_pipe_may_leave_early() {
    // Many rows, so that the output is longer than a pipe holds.
    let limits: Vec<_> = (1..=100).map(|limit: u32| limit.to_string()).collect();
    let text = STREAM.replace("limits = [3]", &format!("limits = [{}]", limits.join(", ")));
    let text = text.replace("expect = { visited = 30, virtual = \"100ms\" }", "");
    let place = Place::new().with("many.toml", text.replace("messages = 30", "messages = 1"));
    for format in ["csv", "json"] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("fanout"))
            .args(["run", "many.toml", "--no-heap", "--format", format, "--out", format])
            .current_dir(place.path(""))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(place.results(format).rows.len(), 100);
    }
}
