//! Two folders made by hand: what is a change, what is none, and what cannot be compared.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use fanout_compare::{
    Comparison, Gate, Gating, Options, Refusal, Verdict, bencher, benchmark_action, compare, json, markdown,
};
use fanout_record::{
    Axis, CellId, Clock, DependencyRow, Host, Manifest, Outcome, Results, Row, SCHEMA, ScenarioRecord,
    WorkloadKind,
};

fn gate() -> Gate {
    Gate::parse(include_str!("../../../scenarios/gate.toml")).expect("the project's own gate")
}

fn cell(strategy: &str, limit: usize, clock: Clock, run: u32) -> CellId {
    CellId {
        scenario: "01-tree".to_owned(),
        variant: None,
        strategy: strategy.to_owned(),
        limit: NonZeroUsize::new(limit),
        threads: NonZeroUsize::MIN,
        clock,
        seed: 1,
        run,
    }
}

/// Three virtual cells, and ten wall runs of one of them whose times differ a little.
fn folder() -> Results {
    let mut rows = Vec::new();
    for limit in [10, 20, 40] {
        let mut row =
            Row::new(cell("workers", limit, Clock::Virtual, 1), WorkloadKind::Tree, Outcome::Complete);
        (row.virtual_ns, row.visited, row.calls) = (Some(1_000_000), Some(100), Some(100));
        (row.tasks_peak, row.heap_peak_bytes, row.real_ns) = (Some(limit as u64), Some(100_000), Some(7));
        rows.push(row);
    }
    for run in 1..=10 {
        let mut row = Row::new(cell("workers", 20, Clock::Wall, run), WorkloadKind::Tree, Outcome::Complete);
        row.wall_ns = Some(200_000_000 + 300_000 * u64::from(run % 5));
        (row.cpu_ns, row.rss_peak_bytes) = (Some(20_000_000), Some(9_000_000));
        rows.push(row);
    }
    let scenario = ScenarioRecord {
        name: "01-tree".to_owned(),
        title: "A tree".to_owned(),
        analysis: String::new(),
        axis: Axis::Limit,
        variants: Vec::new(),
        strategies: vec!["workers".to_owned()],
        hash: "5e1f".to_owned(),
    };
    let text = |text: &str| text.to_owned();
    let host = Host { cpu: text("a cpu"), cores: NonZeroUsize::MIN, governor: None, kernel: text("Linux") };
    let manifest = Manifest {
        schema: SCHEMA,
        started: text("2026-12-07T12:00:00Z"),
        commit: None,
        dirty: false,
        lock_hash: text("10c"),
        rustc: text("rustc 1.95.0"),
        target: text("x86_64-unknown-linux-gnu"),
        profile: text("release"),
        command: vec![text("fanout"), text("run")],
        host,
        interrupted: false,
        scenarios: vec![scenario],
    };
    let mut own = DependencyRow::new(cell("workers", 20, Clock::Virtual, 1), "pricing".to_owned());
    own.in_flight_peak = Some(50);
    Results {
        path: PathBuf::from("results/a"),
        manifest,
        rows,
        timeline: Vec::new(),
        dependencies: vec![own],
        claims: Vec::new(),
    }
}

fn judged(head: &Results, options: Options) -> Comparison {
    compare(&folder(), head, &gate(), options).expect("they can be compared")
}

/// A head in which something was changed.
fn changed(change: impl FnOnce(&mut Results)) -> Results {
    let mut head = folder();
    change(&mut head);
    head
}

#[test]
fn a_folder_against_itself_is_quiet() {
    let head = changed(|head| head.rows[0].real_ns = Some(9));
    let comparison = judged(&head, Options { gating: Gating::Wall, ..Options::default() });
    assert!(!comparison.stops() && comparison.changes.is_empty());
    assert!(comparison.wall.iter().all(|told| told.verdict == Verdict::Unchanged), "{:?}", comparison.wall);
    assert_eq!(
        comparison.to_string(),
        "unchanged: 3 virtual cells, to the last figure; wall, which advises: 0 regressed, 0 improved, 3 \
         unchanged, 0 inconclusive"
    );
}

#[test]
fn one_task_too_many_is_one_clear_line() {
    let head = changed(|head| {
        head.rows[..3].iter_mut().for_each(|row| row.tasks_peak = row.tasks_peak.map(|n| n + 1));
    });
    let comparison = judged(&head, Options { clock: Some(Clock::Virtual), ..Options::default() });
    assert!(comparison.stops());
    assert_eq!(
        comparison.to_string(),
        "worse: workers: tasks-peak was 10, is 11 in 01-tree, limit 10, seed 1, virtual clock, and so in 2 more cells"
    );
}

#[test]
fn better_and_worse_are_told_apart() {
    let said = |change: fn(&mut Results)| {
        let comparison =
            judged(&changed(change), Options { clock: Some(Clock::Virtual), ..Options::default() });
        (comparison.stops(), comparison.to_string().split(" in 01").next().unwrap_or_default().to_owned())
    };
    let worse = |text: &str| (true, format!("worse: workers: {text}"));
    let better = |text: &str| (false, format!("better: workers: {text}"));
    assert_eq!(
        said(|head| head.rows[0].virtual_ns = Some(900_000)),
        better("virtual was 1.00 ms, is 900 us")
    );
    assert_eq!(said(|head| head.rows[0].visited = Some(99)), worse("visited was 100, is 99"));
    assert_eq!(said(|head| head.rows[0].calls = Some(101)), worse("calls was 100, is 101"));
    // Three digits do not tell these apart.
    assert_eq!(
        said(|head| head.rows[0].virtual_ns = Some(1_000_001)),
        worse("virtual was 1000000, is 1000001")
    );
    assert_eq!(
        said(|head| head.rows[1].outcome = Outcome::Deadlocked),
        worse("outcome was complete, is deadlocked")
    );
    assert_eq!(
        said(|head| head.dependencies[0].in_flight_peak = Some(51)),
        worse("pricing.in-flight-peak was 50, is 51")
    );
    // Within the tolerance of the gate, and beyond.
    assert!(!said(|head| head.rows[0].heap_peak_bytes = Some(100_150)).0);
    assert_eq!(
        said(|head| head.rows[0].heap_peak_bytes = Some(106_400)),
        worse("heap-peak was 97.7 KiB, is 104 KiB")
    );
}

#[test]
fn heap_counts_only_between_the_same_builds() {
    let head = changed(|head| {
        head.rows[0].heap_peak_bytes = Some(200_000);
        head.manifest.rustc = "rustc 1.96.0".to_owned();
        head.manifest.lock_hash = "10d".to_owned();
    });
    let comparison = judged(&head, Options { clock: Some(Clock::Virtual), ..Options::default() });
    assert!(!comparison.stops());
    assert_eq!(comparison.heap_ungated.as_deref(), Some("toolchain, lock file"));
    assert_eq!(comparison.changes.len(), 1);
    assert!(markdown(&comparison).contains("| worse, not gated | workers | heap-peak | 1 |"));
}

#[test]
fn the_wall_advises_or_stops() {
    let head = changed(|head| {
        head.rows[3..].iter_mut().for_each(|row| row.wall_ns = row.wall_ns.map(|time| time * 105 / 100));
    });
    let advised = judged(&head, Options::default());
    assert!(!advised.stops());
    assert!(advised.to_string().contains("wall, which advises: 1 regressed"), "{advised}");
    let stopped = judged(&head, Options { gating: Gating::Wall, ..Options::default() });
    assert!(stopped.stops());
    let said = stopped.to_string();
    assert!(said.starts_with("worse: workers: wall was 201 ms, is 211 ms, 1.050 times ("), "{said}");
    assert_eq!(stopped.wall[0].verdict, Verdict::Regressed);
    assert!(stopped.wall[1..].iter().all(|told| told.verdict == Verdict::Unchanged));
    // A wall run that no longer completes advises in the same way.
    let stuck = changed(|head| head.rows[5].outcome = Outcome::Deadlocked);
    assert!(!judged(&stuck, Options::default()).stops());
    assert!(judged(&stuck, Options { gating: Gating::Wall, ..Options::default() }).stops());
}

#[test]
fn cells_of_one_side_are_listed() {
    let head = changed(|head| {
        head.rows.remove(0);
        let cell = cell("workers", 80, Clock::Virtual, 1);
        head.rows.push(Row::new(cell, WorkloadKind::Tree, Outcome::Complete));
    });
    let comparison = judged(&head, Options::default());
    assert_eq!(comparison.only_base, [cell("workers", 10, Clock::Virtual, 1)]);
    assert_eq!(comparison.only_head, [cell("workers", 80, Clock::Virtual, 1)]);
    assert_eq!(comparison.exact_cells, 2);
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_reason() {
    let refused = |change: fn(&mut Results), clock: Option<Clock>| {
        let options = Options { clock, ..Options::default() };
        let refusals = compare(&folder(), &changed(change), &gate(), options).map(|_| ()).unwrap_err();
        refusals.iter().map(Refusal::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        refused(|head| head.manifest.scenarios[0].hash = "0ff".to_owned(), None),
        ["scenario 01-tree is defined otherwise: its hash was 5e1f and is 0ff"]
    );
    assert_eq!(
        refused(|head| head.rows.iter_mut().for_each(|row| row.seed = 2), None),
        ["scenario 01-tree ran with other seeds: 1, and now 2"]
    );
    let other_machine = |head: &mut Results| head.manifest.host.cpu = "another cpu".to_owned();
    assert_eq!(
        refused(other_machine, None),
        [
            "real times are of another machine: a cpu, 1 cores, and now another cpu, 1 cores; compare with `--clock virtual`"
        ]
    );
    let options = Options { clock: Some(Clock::Virtual), ..Options::default() };
    assert!(
        !judged(&changed(other_machine), options).stops(),
        "the virtual clock is the same on any machine"
    );
    assert_eq!(refused(|head| head.rows.clear(), None), ["they have no cell in common"]);
    assert_eq!(
        refused(|head| head.manifest.profile = "debug".to_owned(), Some(Clock::Wall)),
        ["real times are of another build: release, and now debug; compare with `--clock virtual`"]
    );
}

#[test]
fn what_is_forced_is_shown_and_not_judged() {
    let head = changed(|head| {
        head.manifest.scenarios[0].hash = "0ff".to_owned();
        head.rows[0].tasks_peak = Some(99);
    });
    let comparison = judged(&head, Options { force: true, ..Options::default() });
    assert!(!comparison.stops() && !comparison.is_judged());
    assert_eq!(comparison.changes.len(), 1);
    assert!(comparison.to_string().starts_with("not judged: scenario 01-tree is defined otherwise"));
    assert!(markdown(&comparison).contains("| not judged | workers | tasks-peak |"));
}

#[test]
fn others_get_it_in_their_own_form() {
    let head = changed(|head| {
        head.rows[..3].iter_mut().for_each(|row| row.tasks_peak = row.tasks_peak.map(|n| n + 1));
    });
    let comparison = judged(&head, Options::default());
    insta::assert_snapshot!("markdown", markdown(&comparison));
    let whole: serde_json::Value = serde_json::from_str(&json(&comparison)).expect("JSON");
    assert_eq!(whole["stops"], true);
    assert_eq!(whole["changes"][0]["what"]["metric"]["metric"], "tasks-peak");
    assert_eq!(whole["wall"][0]["verdict"], "unchanged");
    insta::assert_snapshot!("bencher", bencher(&head));
    insta::assert_snapshot!("benchmark-action", benchmark_action(&head));
}
