//! What a report is refused for, and in what words.

mod fixture;

use std::fs;
use std::path::PathBuf;

use fanout_report::{ReportError, markdown_table, render, write};

#[test]
fn what_cannot_be_reported_is_refused_with_its_reason() {
    let named = |name: &str| {
        let mut results = fixture::results();
        for record in results.manifest.scenarios.iter_mut().filter(|record| record.name == "90-trouble") {
            record.name = name.to_owned();
        }
        for row in results.rows.iter_mut().filter(|row| row.scenario == "90-trouble") {
            row.scenario = name.to_owned();
        }
        results
    };
    let mut again = fixture::results();
    again.path = PathBuf::from("results/again");
    let mut stray = fixture::results();
    stray.manifest.scenarios.pop();
    let errors = [
        render(&[]).unwrap_err(),
        render(&[fixture::results(), again]).unwrap_err(),
        render(&[stray]).unwrap_err(),
        render(&[named("../90-trouble")]).unwrap_err(),
        render(&[named("")]).unwrap_err(),
        render(&[named("01-tree-guide-timeline")]).unwrap_err(),
        render(&[named("Readme")]).unwrap_err(),
        markdown_table(&fixture::results(), "99-unknown").unwrap_err(),
    ];
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn nothing_is_written_where_the_report_cannot_be_made_or_its_folder_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("reports");
    write(&[], &out).unwrap_err();
    assert!(!out.exists());
    fs::write(&out, "a file").unwrap();
    let error = write(&[fixture::results()], &out).unwrap_err();
    assert!(matches!(error, ReportError::Write(_)));
    assert!(error.to_string().starts_with(&format!("cannot write {}: ", out.display())), "{error}");
    assert_eq!(fs::read_to_string(&out).unwrap(), "a file");
}

#[test]
fn a_scenario_of_which_nothing_was_run_has_a_page_and_no_chart() {
    let mut results = fixture::results();
    results.rows.retain(|row| row.scenario != "04-limits");
    results.timeline.retain(|bin| bin.scenario != "04-limits");
    let artifacts = render(&[results]).unwrap();
    let own: Vec<&str> = artifacts
        .iter()
        .map(|artifact| artifact.name.as_str())
        .filter(|name| name.starts_with("04"))
        .collect();
    assert_eq!(own, ["04-limits.md"]);
    let text = |at: usize| String::from_utf8(artifacts[at].bytes.clone()).unwrap();
    assert!(text(0).contains("|     0 | no cell was run "), "{}", text(0));
}
