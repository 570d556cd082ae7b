use crate::place::{Place, TREE};

#[test]
fn list_names_every_strategy_with_its_workloads_in_80_columns() {
    let said = Place::new().fanout("list").ends(0);
    let words: Vec<_> = said.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).collect();
    let expected: [&[&str]; 4] = [
        &["semaphore-across-recursion", "tree"],
        &["queue-workers", "tree,", "stream,"],
        &["structured-group", "batch"],
        &["01-tree-guide", "tree"],
    ];
    for line in expected {
        assert!(words.iter().any(|words| words.starts_with(line)), "{line:?} is not in:\n{}", said.out);
    }
    assert_plain_and_narrow(&said.out);
}

#[test]
fn help_has_examples_and_exit_codes() {
    let place = Place::new();
    let said = place.fanout("--help").ends(0);
    assert!(said.out.contains("find /usr/share | fanout run --tree-from - --limit 20"), "{}", said.out);
    assert!(said.out.contains("Exit status: 0 fine, 1 an error, 2 wrong usage, 3 a claim"), "{}", said.out);
    for command in ["run", "report", "check", "compare", "explain", "completions", "list"] {
        assert!(
            place.fanout(&format!("{command} --help")).ends(0).out.contains("Usage: fanout "),
            "{command}"
        );
    }
    place.fanout("").ends(2);
}

#[test]
fn completions_are_scripts_that_know_the_subcommands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = place.fanout(&format!("completions {shell}")).ends(0);
        assert!(said.out.contains("explain") && said.out.contains("tree-from"), "{shell}");
    }
    place.fanout("completions cmd").refuses(2, &["possible values: bash"]);
}

#[test]
fn report_draws_what_run_measured_and_twice_the_same() {
    let place = Place::with_scenarios();
    place.fanout("run scenarios --out r").ends(0);
    let said = place.fanout("report r --out once").ends(0);
    place.fanout("report r --out twice").ends(0);
    let names = place.names("once");
    assert!(names.iter().any(|name| name.starts_with("tree")), "{names:?}");
    assert!(said.out.lines().all(|line| place.path(line).exists()), "{}", said.out);
    for name in names.iter().filter(|name| name.ends_with(".svg") || name.ends_with(".md")) {
        assert_eq!(place.read(&format!("once/{name}")), place.read(&format!("twice/{name}")), "{name}");
    }
    let table = place.fanout("report r --table tree").ends(0).out;
    assert!(table.starts_with('|') && table.contains("queue-workers"), "{table}");
}

#[test]
fn check_judges_again_what_was_edited() {
    let place = Place::with_scenarios();
    place.fanout("run scenarios/tree.toml --out r").ends(0);
    assert_eq!(place.fanout("check r").ends(0).out, "claims: 7 held, 0 not held\n");

    let rows = place.read("r/rows.csv").replace(",70000000,", ",80000000,");
    std::fs::write(place.path("r/rows.csv"), rows).unwrap();
    let said = place.fanout("check r").ends(3);
    insta::assert_snapshot!(said.out, @r"
    not held: tree sequential-stack, seed 1, virtual clock: virtual was 80.0 ms, expected 70ms (70.0 ms)
    claims: 6 held, 1 not held
    ");
}

#[test]
fn a_false_expectation_is_one_clear_line_and_exit_code_3() {
    let place = Place::new().with("wrong.toml", TREE.replace("in-flight-peak = 2", "in-flight-peak = 3"));
    let said = place.fanout("run wrong.toml --out r").ends(3);
    let lines: Vec<_> = said.out.lines().filter(|line| line.starts_with("not held: ")).collect();
    assert_eq!(
        lines,
        [
            "not held: wrong queue-workers, limit 2, seed 1, virtual clock: in-flight-peak was 2, expected 3 (3)"
        ]
    );
    assert!(said.out.ends_with("claims: 6 held, 1 not held\nr\n"), "{}", said.out);
}

#[test]
fn explain_draws_one_cell_and_says_what_is_to_be_seen() {
    let place = Place::with_scenarios();
    let said = place.fanout("explain scenarios/tree.toml queue-workers --svg cell.svg").ends(0);
    insta::assert_snapshot!(said.out);
    assert!(place.read("cell.svg").starts_with("<svg"));
    assert_plain_and_narrow(&said.out);
}

#[test]
fn explain_names_holders_and_waiters_of_a_deadlock() {
    let text = TREE.replace("strategy.queue-workers", "strategy.semaphore-across-recursion");
    let text = text.replace(
        "{ visited = 7, in-flight-peak = 2, tasks-peak = { max = 3 } }",
        "{ outcome = \"deadlocked\" }",
    );
    let place = Place::new().with("stuck.toml", text);
    let said = place.fanout("explain stuck.toml semaphore-across-recursion").ends(0);
    insta::assert_snapshot!(said.out);
    place.fanout("run stuck.toml --out r").ends(0);
    assert!(place.read("r/deadlocks.txt").contains("/ holds a slot"));
}

#[track_caller]
pub(crate) fn assert_plain_and_narrow(out: &str) {
    assert!(!out.contains('\u{1b}'), "an escape code in {out:?}");
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
        assert_eq!(line, line.trim_end(), "blanks at the end");
    }
}
