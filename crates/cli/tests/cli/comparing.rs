//! `fanout compare` from end to end: what it prints, and how it ends.

use crate::place::Place;

/// A base, and a head whose workers are one more.
fn measured() -> Place {
    let place = Place::with_scenarios();
    place.fanout("run scenarios/tree.toml --out base").ends(0);
    place.fanout("run scenarios/tree.toml --out head").ends(0);
    place
}

#[test]
fn a_run_against_itself_is_quiet() {
    let place = measured();
    let said = place.fanout("compare base head").ends(0);
    assert_eq!(said.out, "unchanged: 2 virtual cells, to the last figure\n");
    let said = place.fanout("compare base head --format json").ends(0);
    assert!(said.out.contains("\"stops\": false"), "{}", said.out);
}

#[test]
fn a_change_for_the_worse_ends_with_status_3_and_one_line() {
    let place = measured();
    let rows = place.read("head/rows.csv");
    // The workers' peak of tasks: 2 of them in the base.
    let mut results = place.results("head");
    let row = results.rows.iter_mut().find(|row| row.strategy == "queue-workers").unwrap();
    let before = csv_line(row);
    assert!(rows.contains(&before));
    row.tasks_peak = row.tasks_peak.map(|peak| peak + 1);
    let place = place.with("head/rows.csv", rows.replace(&before, &csv_line(row)));
    let said = place.fanout("compare base head").ends(3);
    let verdict = "worse: queue-workers: tasks-peak was 2, is 3 in tree, limit 2, seed 1, virtual\nclock\n";
    assert!(said.out.starts_with(verdict), "{}", said.out);
    place.fanout("compare base head --svg ratios.svg").ends(3);
    insta::assert_snapshot!("ratios", place.read("ratios.svg"));
    let said = place.fanout("compare base head --format markdown").ends(3);
    assert!(said.out.starts_with("**worse**: queue-workers: tasks-peak was 2, is 3"), "{}", said.out);
}

fn csv_line(row: &fanout_record::Row) -> String {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    table.serialize(row).unwrap();
    String::from_utf8(table.into_inner().unwrap()).unwrap()
}

#[test]
fn what_cannot_be_compared_ends_with_status_4() {
    let place = measured();
    place.fanout("run scenarios/tree.toml --seed 2 --out other").ends(0);
    place
        .fanout("compare base other")
        .refuses(4, &["cannot be compared", "with other seeds: 1, and now 2", "--force"]);
    let said = place.fanout("compare base other --force").ends(0);
    assert!(said.out.starts_with("not judged: scenario tree ran with other seeds"), "{}", said.out);
    place.fanout("compare base nowhere").refuses(1, &["nowhere"]);
    let manifest = place.read("other/manifest.json").replace("\"schema\": 1", "\"schema\": 9");
    let place = place.with("other/manifest.json", manifest);
    place.fanout("compare base other").refuses(4, &["other/manifest.json", "schema"]);
}

#[test]
fn tolerances_that_make_no_sense_are_refused() {
    let place = measured()
        .with("gate.toml", "[wall]\nalpha = 0.5\nmin-effect = 0.02\nmin-runs = 8\nconfidence = 0.99\n");
    place
        .fanout("compare base head --tolerances gate.toml")
        .refuses(1, &["gate.toml: wall.alpha: found 0.5, expected a number from 0.000000001 to 0.001"]);
    place.fanout("compare base head --tolerances none.toml").refuses(1, &["cannot read none.toml"]);
}
