//! Good files: what becomes of each key, what stands in for a key that is not there, and the scenarios of the project.

mod common;

use std::fs;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{KNOWN, files, read};
use fanout_record::{Axis, CellId, Clock, Metric, Outcome, WorkloadKind};
use fanout_scenario::{
    Folder, Scenario, ScenarioError, StrategyFacts, WalkOrder, WalkPolicy, WalkRetry, Workload, load, parse,
    refuse_duplicates,
};
use fanout_simulation::{Answer, DownstreamSpec, Faults, Rule, WhenFull, Which};

fn limit(limit: usize) -> NonZeroUsize {
    NonZeroUsize::new(limit).unwrap()
}

fn full() -> Scenario {
    load(&files().join("full.toml"), &KNOWN).unwrap().remove(0)
}

#[test]
fn every_key_of_a_file_arrives() {
    let scenario = full();
    assert_eq!(scenario.name, "full");
    assert_eq!(scenario.title, "Every key that a scenario of a tree can have");
    assert_eq!(scenario.analysis, "What to notice, and why, in a paragraph of Markdown.");
    assert_eq!(scenario.axis, Axis::Variant);
    assert_eq!(scenario.seeds, [1, 2]);
    assert_eq!(scenario.limits, [limit(7), limit(20)]);
    assert_eq!(scenario.wall_limits, [limit(20)]);
    assert_eq!(scenario.clocks, [Clock::Virtual, Clock::Wall]);
    assert_eq!(scenario.runs.get(), 5);
    assert_eq!(scenario.threads, [limit(1), limit(2)]);
    assert_eq!((scenario.timeout, scenario.memory), (Duration::from_secs(30), 512 << 20));
    assert_eq!(scenario.kind(), WorkloadKind::Tree);
    assert_eq!(scenario.definition, fs::read_to_string(files().join("full.toml")).unwrap());
    assert_eq!(scenario.path, files().join("full.toml"));
}

#[test]
fn a_variant_says_what_differs_from_the_file() {
    let scenario = full();
    let nth = NonZeroU32::new(2).unwrap();
    let common = Faults::new(vec![
        Rule::new(Which::Share(0.02), Answer::Error).unwrap(),
        Rule::new(Which::Every { nth, depth: Some(3) }, Answer::Never).unwrap(),
    ]);
    let rejecting =
        Some(DownstreamSpec { capacity: limit(20), when_full: WhenFull::Reject, per_second: None });
    let queueing = Some(DownstreamSpec {
        capacity: limit(5),
        when_full: WhenFull::Queue,
        per_second: NonZeroUsize::new(700),
    });
    let variants: Vec<_> = scenario
        .variants
        .iter()
        .map(|variant| {
            let Workload::Tree(tree) = &variant.workload else { panic!("{:?} is no tree", variant.name) };
            (
                variant.name.as_deref().unwrap(),
                tree.build(1).nodes(),
                variant.latency.median().as_micros(),
                variant.faults == common,
                variant.downstream,
                variant.call_future_bytes,
            )
        })
        .collect();
    assert_eq!(
        variants,
        [
            ("as-the-file-says", 3_906, 10_000, true, rejecting, 2_048),
            ("chain", 1_000, 12_500, false, rejecting, 2_048),
            ("star", 10_001, 6_931, true, rejecting, 0),
            ("random", 400, 20_000, true, queueing, 2_048),
            ("listing", 3, 12_000, true, rejecting, 2_048),
            ("graph", 102, 10_000, false, rejecting, 2_048),
            ("empty", 0, 10_000, true, rejecting, 2_048),
        ]
    );
    assert_eq!(scenario.variants[1].faults, Faults::default());
}

#[test]
fn walks_are_told_what_the_variant_says() {
    let scenario = full();
    let share = |answer| Rule::new(Which::Share(0.5), answer).unwrap();
    let graph = &scenario.variants[5];
    let passing = share(Answer::Panic).first(NonZeroU32::new(2).unwrap());
    assert_eq!(graph.faults, Faults::new(vec![passing, share(Answer::Fatal)]));
    let retry = WalkRetry {
        attempts: NonZeroU32::new(4).unwrap(),
        backoff: Duration::from_millis(50),
        longest: Some(Duration::from_secs(2)),
        jitter: true,
    };
    let policy = WalkPolicy {
        order: WalkOrder::DeepestFirst,
        depth: Some(12),
        nodes: Some(100_000),
        frontier: Some(1_000),
        deadline: Some(Duration::from_secs(300)),
        call_deadline: Some(Duration::from_secs(1)),
        retry: Some(retry),
        seen: true,
    };
    assert_eq!(graph.walk, Some(policy));
    assert!(scenario.variants.iter().all(|variant| variant.walk.is_some() == (variant.name == graph.name)));
}

#[test]
fn a_strategy_narrows_what_the_file_says() {
    let scenario = full();
    let [unbounded, workers] = &scenario.strategies[..] else { panic!("two strategies") };
    assert_eq!((unbounded.name.as_str(), workers.name.as_str()), ("unbounded-join-all", "queue-workers"));
    assert_eq!(
        (unbounded.clocks.as_slice(), workers.clocks.as_slice()),
        (&[Clock::Virtual][..], &[Clock::Virtual, Clock::Wall][..])
    );
    assert_eq!(unbounded.variants, ["chain", "star"]);
    assert_eq!(workers.variants.len(), scenario.variants.len());
    let takes_part = |variant: usize| unbounded.takes_part_in(&scenario.variants[variant]);
    assert_eq!([0, 1, 2, 3].map(takes_part), [false, true, true, false]);
    assert_eq!((unbounded.limits.as_slice(), workers.limits.as_slice()), (&[][..], &[limit(20)][..]));
    assert_eq!((unbounded.runs.get(), workers.runs.get()), (5, 3));
    assert_eq!(
        workers.published[0].figures,
        [
            (Metric::Wall, 2_130_000_000),
            (Metric::InFlightPeak, 20),
            (Metric::TasksPeak, 22),
            (Metric::HeapPeak, 209_715),
        ]
    );
    assert_eq!(workers.published[1].figures, [(Metric::Virtual, 10_000_000_000)]);
}

#[test]
fn wall_limits_choose_among_the_limits() {
    let text = |keys: &str, strategy: &str| {
        format!(
            "title = \"A chain\"\nanalysis = \"Nothing.\"\nlimits = [7, 20, 40]\n{keys}\nlatency.constant = \"10ms\"\n\
             workload.chain.nodes = 9\n[strategy.sequential-stack]\n[strategy.queue-workers]\n{strategy}"
        )
    };
    let chosen = |keys: &str, strategy: &str| {
        let plans = read(&text(keys, strategy)).unwrap().strategies;
        assert!(plans[0].wall_limits.is_empty(), "a strategy that takes none");
        [Clock::Virtual, Clock::Wall]
            .map(|clock| plans[1].limits_on(clock).iter().map(|limit| limit.get()).collect::<Vec<_>>())
    };
    let both = "clocks = [\"virtual\", \"wall\"]";
    assert_eq!(chosen(both, ""), [vec![7, 20, 40], vec![7, 20, 40]]);
    let some = format!("{both}\nwall-limits = [40, 7]");
    assert_eq!(chosen(&some, ""), [vec![7, 20, 40], vec![7, 40]]);
    assert_eq!(chosen(&some, "limits = [20, 40]"), [vec![20, 40], vec![40]]);
    assert_eq!(chosen(&some, "limits = [20]\nclocks = [\"virtual\"]"), [vec![20], vec![]]);
}

#[test]
fn expectations_keep_their_order_and_their_words() {
    let scenario = full();
    let words: Vec<_> = scenario
        .strategies
        .iter()
        .flat_map(|plan| &plan.expect)
        .flat_map(|expectation| &expectation.metrics)
        .map(|(metric, range)| {
            let end = |end: &Option<_>| end.as_ref().map_or("-".to_owned(), ToString::to_string);
            format!("{}: {} .. {}", metric.subject(), end(&range.min), end(&range.max))
        })
        .collect();
    assert_eq!(
        words,
        [
            "visited: nodes .. nodes",
            "virtual: levels * latency .. levels * latency",
            "in-flight-peak: widest-level .. widest-level",
            "in-flight-peak: 1 .. 1",
            "tasks-peak: 1 .. limit + 1",
            "heap-peak: - .. 0.1 * unbounded-join-all",
            "wall: - .. 1.03 * virtual + 5ms",
        ]
    );
    let workers = &scenario.strategies[1];
    assert_eq!(workers.expect[0].outcome, Some(Outcome::Complete));
    assert_eq!((workers.expect[1].clock, workers.expect[1].outcome), (Clock::Wall, None));
}

#[test]
fn an_expectation_applies_to_the_cells_it_selects() {
    let scenario = full();
    let cell = CellId {
        scenario: "full".into(),
        variant: Some("chain".into()),
        strategy: "queue-workers".into(),
        limit: Some(limit(20)),
        threads: limit(1),
        clock: Clock::Virtual,
        seed: 2,
        run: 1,
    };
    let [chain, wall] = &scenario.strategies[1].expect[..] else { panic!("two expectations") };
    assert!(chain.applies(&cell));
    assert!(!chain.applies(&CellId { variant: Some("star".into()), ..cell.clone() }));
    assert!(!chain.applies(&CellId { variant: None, ..cell.clone() }));
    assert!(!chain.applies(&CellId { limit: Some(limit(7)), ..cell.clone() }));
    assert!(chain.applies(&CellId { limit: Some(limit(8)), ..cell.clone() }));
    assert!(!chain.applies(&CellId { limit: None, ..cell.clone() }));
    assert!(!chain.applies(&CellId { seed: 1, ..cell.clone() }));
    assert!(!chain.applies(&CellId { clock: Clock::Wall, ..cell.clone() }));
    assert!(!wall.applies(&cell));
    let on_two_threads = CellId {
        clock: Clock::Wall,
        variant: None,
        limit: None,
        threads: limit(2),
        seed: 9,
        run: 4,
        ..cell.clone()
    };
    assert!(wall.applies(&on_two_threads));
    assert!(!wall.applies(&CellId { threads: limit(1), ..on_two_threads.clone() }));

    let [all, chain] = &scenario.strategies[1].published[..] else { panic!("two tables") };
    assert!(all.applies(&cell) && all.applies(&on_two_threads));
    assert!(chain.applies(&cell) && !chain.applies(&on_two_threads));
    assert!(!chain.applies(&CellId { limit: Some(limit(7)), ..cell }));
}

const SMALLEST: &str = r#"
title = "The least that a scenario says"
analysis = "Nothing to see."
workload.stream = { messages = 20000, payload = "200B", arrivals = "at-once" }
latency.constant = "50ms"
strategy.unbounded-join-all = {}
"#;

#[test]
fn what_a_file_leaves_out_has_a_default() {
    let scenario = read(SMALLEST).unwrap();
    assert_eq!(scenario.axis, Axis::None);
    assert_eq!(scenario.seeds, [1]);
    assert!(scenario.limits.is_empty());
    assert_eq!(scenario.clocks, [Clock::Virtual]);
    assert_eq!(scenario.runs.get(), 1);
    assert_eq!(scenario.threads, [limit(2)]);
    assert_eq!((scenario.timeout, scenario.memory), (Duration::from_secs(120), 4 << 30));
    let [variant] = &scenario.variants[..] else { panic!("one variant") };
    assert_eq!((&variant.name, variant.downstream, variant.call_future_bytes), (&None, None, 0));
    assert_eq!(variant.faults, Faults::default());
    let Workload::Stream(stream) = &variant.workload else { panic!("a stream") };
    assert_eq!((stream.messages(), stream.payload_bytes()), (20_000, 200));
    let [plan] = &scenario.strategies[..] else { panic!("one strategy") };
    assert!(plan.expect.is_empty() && plan.published.is_empty() && plan.limits.is_empty());
}

#[test]
fn arrivals_are_read_in_each_form() {
    let last = |arrivals: &str| {
        let text = SMALLEST.replace("arrivals = \"at-once\"", arrivals);
        let scenario = read(&text).unwrap();
        let Workload::Stream(stream) = &scenario.variants[0].workload else { panic!("a stream") };
        stream.arrival_times(1).last().unwrap().as_millis()
    };
    assert_eq!(last("arrivals = \"at-once\""), 0);
    assert_eq!(last("arrivals.even = 72000"), 278);
    assert!((9_000..11_000).contains(&last("arrivals = { poisson = 2000 }")));
}

#[test]
fn the_axis_is_whatever_there_are_several_of() {
    let axis = |more: &str| read(&SMALLEST.replace("latency", &format!("{more}\nlatency"))).unwrap().axis;
    let variants = "variant = [{ name = \"one\" }, { name = \"two\" }]";
    assert_eq!(axis("limits = [20]"), Axis::None);
    assert_eq!(axis("limits = [1, 20]"), Axis::Limit);
    assert_eq!(axis(variants), Axis::Variant);
    assert_eq!(axis(&format!("{variants}\nlimits = [1, 20]")), Axis::Limit);
    assert_eq!(axis(&format!("{variants}\naxis = \"size\"")), Axis::Size);
}

#[test]
fn a_short_latency_is_fine_where_no_cell_is_virtual() {
    let short = SMALLEST.replace("50ms", "1ms");
    assert!(read(&short).is_err());
    assert!(read(&short.replace("latency", "clocks = [\"wall\"]\nlatency")).is_ok());
    assert!(read(&SMALLEST.replace("50ms", "0ms")).is_ok());
}

#[test]
fn the_hash_covers_the_text_and_the_files_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let listing = SMALLEST.replace(
        "workload.stream = { messages = 20000, payload = \"200B\", arrivals = \"at-once\" }",
        "workload.listing.path = \"paths.txt\"",
    );
    let hash = |text: &str, paths: &str| {
        fs::write(folder.path().join("paths.txt"), paths).unwrap();
        parse("case", Path::new("case.toml"), text, &Folder::new(folder.path()), &KNOWN).unwrap().hash
    };
    let first = hash(&listing, "a\na/b\n");
    assert_eq!(first.len(), 32);
    assert_eq!(hash(&listing, "a\na/b\n"), first);
    assert_ne!(hash(&listing, "a\na/c\n"), first);
    assert_ne!(hash(&listing.replace("50ms", "51ms"), "a\na/b\n"), first);
}

fn written(folder: &Path, files: &[(&str, &str)]) -> PathBuf {
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
    folder.to_owned()
}

#[test]
fn a_folder_is_read_in_the_order_of_names() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), &[("02-b.toml", SMALLEST), ("10-c.toml", SMALLEST), ("01-a.toml", SMALLEST)]);
    written(folder.path(), &[("README.md", "no scenario"), ("gate.toml", "[wall]\n"), ("paths.txt", "/a\n")]);
    fs::create_dir(folder.path().join("folder.toml")).unwrap();
    let names: Vec<_> =
        load(folder.path(), &KNOWN).unwrap().into_iter().map(|scenario| scenario.name).collect();
    assert_eq!(names, ["01-a", "02-b", "10-c"]);
}

#[test]
fn paths_that_lead_to_no_scenario_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let message = |path: &Path| {
        let message = load(path, &KNOWN).unwrap_err().to_string();
        message.replace(&folder.path().display().to_string(), "FOLDER")
    };
    assert_eq!(message(folder.path()), "FOLDER holds no scenario: found no file that ends in .toml");
    assert_eq!(
        message(&folder.path().join("01.toml")),
        "cannot read FOLDER/01.toml: No such file or directory (os error 2)"
    );
    fs::write(folder.path().join("latin.toml"), b"title = \"A\"\nanalysis = \"na\xefve\"\n").unwrap();
    assert_eq!(
        message(&folder.path().join("latin.toml")),
        "FOLDER/latin.toml:2:15: found the byte 0xef, which is no UTF-8"
    );
    fs::write(folder.path().join("latin.toml"), "title = 5\n").unwrap();
    assert_eq!(
        message(folder.path()),
        "FOLDER/latin.toml:1:9: title: found the integer `5`, expected a string"
    );
}

/// Other systems have no such name.
#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_no_text_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(OsStr::from_bytes(b"\xff.toml"));
    fs::write(&path, SMALLEST).unwrap();
    assert!(matches!(load(&path, &KNOWN), Err(ScenarioError::Nameless { .. })));
}

#[test]
fn seeds_reach_as_far_as_they_can() {
    let seeds = "seeds = [0, 18446744073709551615]\nlatency";
    assert_eq!(read(&SMALLEST.replace("latency", seeds)).unwrap().seeds, [0, u64::MAX]);
}

#[test]
fn line_ends_of_either_kind_give_the_same_places() {
    let windows = SMALLEST.replace('\n', "\r\n");
    assert_eq!(read(&windows).unwrap().title, "The least that a scenario says");
    let message = |text: &str| read(&text.replace("50ms", "50")).unwrap_err().to_string();
    assert_eq!(message(&windows), message(SMALLEST));
    assert!(message(&windows).starts_with("case.toml:5:20: latency.constant: "), "{}", message(&windows));
}

#[test]
fn two_scenarios_of_one_name_are_refused() {
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut scenarios =
        load(&written(one.path(), &[("a.toml", SMALLEST), ("b.toml", SMALLEST)]), &KNOWN).unwrap();
    assert!(refuse_duplicates(&scenarios).is_ok());
    scenarios.extend(load(&written(other.path(), &[("b.toml", SMALLEST)]), &KNOWN).unwrap());
    let error = refuse_duplicates(&scenarios).unwrap_err();
    let (first, second) = (one.path().join("b.toml"), other.path().join("b.toml"));
    assert_eq!(
        error.to_string(),
        format!(
            "{} and {} are both scenario \"b\": rename one of the files",
            first.display(),
            second.display()
        )
    );
}

#[test]
fn the_projects_own_scenarios_are_good() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let strategy = |name, workloads, limited| StrategyFacts { name, workloads, limited, heeds_policy: false };
    // The known bugs are strategies as well; those of batches take no limit.
    let bug = |name: &str| format!("pitfall-{name}");
    let trees = ["unhandled-errors", "bounded-frontier", "slow-consumer"].map(bug);
    let streams = ["manual-release", "abandoned-timeout", "unreaped-join-set", "idle-receiver"].map(bug);
    let batches = [
        "careless-join",
        "detached-timeout",
        "swallowed-cancellation",
        "block-on-worker",
        "pool-awaits-pool",
    ]
    .map(bug);
    let mut known = KNOWN.to_vec();
    known.push(strategy("pipeline", &[WorkloadKind::Stream], true));
    known.extend(
        ["structured-group", "token-group"].map(|name| strategy(name, &[WorkloadKind::Batch], false)),
    );
    known.extend(trees.iter().map(|name| strategy(name, &[WorkloadKind::Tree], true)));
    known.extend(streams.iter().map(|name| strategy(name, &[WorkloadKind::Stream], true)));
    known.extend(batches.iter().map(|name| strategy(name, &[WorkloadKind::Batch], false)));
    match load(&folder, &known) {
        Ok(scenarios) => {
            for scenario in scenarios {
                let number = scenario.name.split('-').next().unwrap_or_default();
                assert!(number.len() == 2 && number.parse::<u8>().is_ok(), "{} has no number", scenario.name);
                for plan in &scenario.strategies {
                    assert!(
                        !plan.expect.is_empty(),
                        "{}: nothing is expected of {}",
                        scenario.name,
                        plan.name
                    );
                }
            }
        }
        Err(ScenarioError::NoScenario { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}
