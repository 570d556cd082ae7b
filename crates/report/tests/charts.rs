//! Every file of a report over the fixture, byte for byte.

mod fixture;

use std::num::NonZeroUsize;

use fanout_record::{Clock, Metric};
use fanout_report::{Artifact, render, timeline_svg};

/// Where an intended change shows: accept it with `INSTA_UPDATE=always` and look at the pictures.
fn assert_artifact(prefix: &str, artifact: Artifact) {
    let name = format!("{prefix}{}", artifact.name);
    if name.ends_with(".svg") {
        insta::assert_binary_snapshot!(&name, artifact.bytes);
    } else {
        insta::assert_snapshot!(name, String::from_utf8(artifact.bytes).unwrap());
    }
}

#[test]
fn every_file_of_a_report() {
    for artifact in render(&[fixture::results()]).unwrap() {
        assert_artifact("", artifact);
    }
}

#[test]
fn a_report_on_the_wall_clock_alone() {
    let mut results = fixture::results();
    let only = "01-tree-guide";
    results.manifest.scenarios.retain(|record| record.name == only);
    results.rows.retain(|row| row.scenario == only && row.clock == Clock::Wall);
    results.claims.retain(|claim| claim.scenario == only && claim.published.is_some());
    results.timeline.clear();
    results.manifest.interrupted = true;
    (results.manifest.commit, results.manifest.dirty) = (None, false);
    let artifacts = render(&[results]).unwrap();
    let names: Vec<&str> = artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
    assert_eq!(names, ["README.md", "01-tree-guide.md", "01-tree-guide.svg"]);
    for artifact in artifacts {
        assert_artifact("wall-", artifact);
    }
}

#[test]
fn wall_times_with_several_numbers_of_threads_have_a_column_each() {
    let mut results = fixture::results();
    let four = results.rows.clone().into_iter().filter(|row| row.scenario == "01-tree-guide");
    let four = four.filter(|row| row.clock == Clock::Wall && row.strategy == "queue-workers");
    let four: Vec<_> = four
        .map(|mut row| {
            row.threads = NonZeroUsize::new(4).unwrap();
            row.wall_ns = row.wall_ns.map(|time| time - 50 * fixture::MS);
            row
        })
        .collect();
    results.rows.extend(four);
    let table = fanout_report::markdown_table(&results, "01-tree-guide").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].contains("|  wall, 2 threads | wall, 4 threads |"), "{table}");
    let workers = lines.iter().find(|line| line.contains("queue-workers")).unwrap();
    assert!(workers.contains("|  1.99 s (2.13 s) |          1.94 s |"), "{table}");
}

#[test]
fn a_single_cell_over_time() {
    let results = fixture::results();
    let cell = |strategy: &str| -> Vec<_> {
        let bins =
            results.timeline.iter().filter(|bin| bin.scenario == "01-tree-guide" && bin.strategy == strategy);
        bins.cloned().collect()
    };
    let limit = NonZeroUsize::new(20);
    let bins = cell("semaphore-around-fetch");
    let svg = timeline_svg("Tasks far above the calls in flight", "fanout explain", &bins, limit);
    insta::assert_binary_snapshot!("explain.svg", svg.into_bytes());
    let svg = timeline_svg("Nothing at all", "", &[], None);
    insta::assert_binary_snapshot!("explain-nothing.svg", svg.into_bytes());
}

#[test]
fn bins_with_a_gap_between_them_are_not_joined() {
    let mut bins: Vec<_> = fixture::results().timeline;
    bins.retain(|bin| bin.scenario == "01-tree-guide" && bin.strategy == "unbounded-join-all");
    let whole = timeline_svg("", "", &bins, None).matches("<polygon").count();
    bins.remove(2);
    let parted = timeline_svg("", "", &bins, None).matches("<polygon").count();
    assert_eq!((whole, parted), (3, 6));
}

#[test]
fn the_smallest_limit_that_is_enough_is_named() {
    let page = |name: &str| -> String {
        let artifacts = render(&[fixture::results()]).unwrap();
        let page = artifacts.into_iter().find(|artifact| artifact.name == name).unwrap();
        String::from_utf8(page.bytes).unwrap()
    };
    let line = |page: &str, words: &[&str]| -> String {
        let section = page.split("smallest limit whose time is within 5 %").nth(1).unwrap();
        let line = section.lines().find(|line| words.iter().all(|word| line.contains(word))).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // Above 16 slots a binary tree of depth 4 is no faster.
    let deadlock = page("08-deadlock.md");
    assert_eq!(line(&deadlock, &["queue-workers"]), "| queue-workers | 16 | 50.0 ms | 50.0 ms |");
    // Calls that are refused end sooner, and are no less time for the same work.
    let downstream = page("11-downstream.md");
    let rejects = line(&downstream, &["rejects", "queue-workers"]);
    assert_eq!(rejects, "| rejects | queue-workers | 20 | 2.01 s | 2.01 s |");
    // Nobody knows what lies beyond the largest limit that was tried.
    let beyond = "a larger one may be faster still";
    assert!(page("04-limits.md").contains(beyond));
    assert!(!deadlock.contains(beyond) && !downstream.contains(beyond));
}

#[test]
fn a_comparison_marks_times_of_less_work() {
    let mut results = fixture::results();
    let kept = [1, 50, 200].map(NonZeroUsize::new);
    results.rows.retain(|row| row.scenario == "11-downstream" && kept.contains(&row.limit));
    let table = fanout_report::markdown_table(&results, "11-downstream").unwrap();
    let lines = |words: &str| table.lines().filter(|line| line.contains(words)).collect::<Vec<_>>();
    assert_eq!(lines("| rejects").iter().filter(|line| line.contains("670 ms \\*")).count(), 3, "{table}");
    assert!(lines("| queues").iter().all(|line| !line.contains('*')), "{table}");
    assert_eq!(lines("\\*: did less of the work").len(), 1, "{table}");
    results.manifest.scenarios.retain(|record| record.name == "11-downstream");
    results.claims.clear();
    results.timeline.clear();
    for artifact in render(&[results]).unwrap() {
        if artifact.name == "11-downstream.svg" {
            assert_artifact("less-", artifact);
        }
    }
}

#[test]
fn efficiency_is_the_median_of_the_runs_own() {
    let mut results = fixture::results();
    results.rows.retain(|row| row.scenario == "06-shapes" && row.strategy == "queue-workers");
    results.rows.retain(|row| row.variant.as_deref() == Some("random-skewed") && row.seed <= 3);
    // 90 %, 50 % and 80 %; the median time over the median ideal would say 50 %.
    for (row, (ideal, time)) in results.rows.iter_mut().zip([(9, 10), (10, 20), (80, 100)]) {
        (row.ideal_ns, row.virtual_ns) = (Some(ideal), Some(time));
    }
    let table = fanout_report::markdown_table(&results, "06-shapes").unwrap();
    assert!(table.contains("|   20 ns |       80 % |"), "{table}");
    assert_eq!(results.rows.iter().filter_map(|row| Metric::Ideal.of(row)).max(), Some(80));
}
