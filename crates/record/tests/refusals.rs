//! Every way in which a folder is none, and what is said about it.

mod common;

use std::fs;
use std::path::Path;

use common::{edit, write};
use fanout_record::{ReadError, Results, Row};

/// What reading a folder says once something has been done to it, with `DIR` for its path.
fn refused(damage: impl FnOnce(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    write(&path);
    damage(&path);
    let error = Results::read(&path).expect_err("the folder is damaged");
    error.to_string().replace(&path.display().to_string(), "DIR")
}

fn edited(file: &'static str, from: &'static str, to: &'static str) -> String {
    refused(|path| edit(&path.join(file), from, to))
}

fn written(file: &'static str, bytes: &'static [u8]) -> String {
    refused(|path| fs::write(path.join(file), bytes).unwrap())
}

#[test]
fn a_path_that_is_no_results_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file, folder.path().join("missing")] {
        let error = Results::read(&path).unwrap_err();
        assert!(matches!(&error, ReadError::Io { path: found, .. } if *found == path), "{error:?}");
        assert!(error.to_string().starts_with(&format!("cannot read {}: ", path.display())), "{error}");
    }
    let error = Results::read(folder.path()).unwrap_err();
    let expected = format!("{} is not a results folder: it has no manifest.json", folder.path().display());
    assert_eq!(error.to_string(), expected);
    let removed = refused(|path| fs::remove_file(path.join("rows.csv")).unwrap());
    assert_eq!(removed, "DIR is not a results folder: it has no rows.csv");
    for table in ["timeline.csv", "dependencies.csv", "claims.csv"] {
        let removed = refused(|path| fs::remove_file(path.join(table)).unwrap());
        assert!(removed.starts_with(&format!("cannot read DIR/{table}: ")), "{removed}");
    }
}

#[test]
fn a_header_that_is_another() {
    let errors = [
        written("rows.csv", b""),
        written("rows.csv", b"name,age\nAda,36\n"),
        edited("rows.csv", ",virtual_ns", ""),
        edited("rows.csv", ",virtual_ns", ",virtual_ns,virtual_ns"),
        edited("rows.csv", ",downstream_queue_peak", ",downstream_queue_peak,luck"),
        edited("claims.csv", "min,max", "max,min"),
        edited("timeline.csv", "in_flight", "in flight"),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_line_that_is_none() {
    let cells = Row::HEADER.len();
    assert!(cells > 40);
    let errors = [
        refused(|path| {
            let file = path.join("rows.csv");
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, &text[..text.len() - 1]).unwrap();
        }),
        refused(|path| {
            let file = path.join("rows.csv");
            let text = fs::read_to_string(&file).unwrap();
            fs::write(&file, format!("{}\n", &text[..text.len() - 20])).unwrap();
        }),
        edited("timeline.csv", ",5,5,1,2,3,", ",5,5,1,2,3"),
        edited("timeline.csv", ",5,5,1,2,3,", ",5,5,1,2,3,,4"),
        refused(|path| {
            let file = path.join("claims.csv");
            let mut bytes = fs::read(&file).unwrap();
            let at = bytes.windows(8).rposition(|window| window == b"complete").unwrap();
            bytes[at] = 0xff;
            fs::write(&file, bytes).unwrap();
        }),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_value_that_is_none() {
    let line = ",queue-workers,20,1,virtual,";
    let errors = [
        edited("rows.csv", "18446744073709551615,,,,", "-5,,,,"),
        edited("rows.csv", "18446744073709551615,,,,", "NaN,,,,"),
        edited("rows.csv", "18446744073709551615,,,,", "1.5,,,,"),
        edited("rows.csv", "18446744073709551615,,,,", "18446744073709551616,,,,"),
        edited("rows.csv", line, ",queue-workers,0,1,virtual,"),
        edited("rows.csv", line, ",queue-workers,20,,virtual,"),
        edited("rows.csv", line, ",queue-workers,20,1,sundial,"),
        edited("rows.csv", "complete", "splendid"),
        edited("rows.csv", "tree,", "forest,"),
        edited("timeline.csv", ",5,5,1,2,3", ",5,5,,2,3"),
        edited("claims.csv", "in-flight-peak", "in-flight-depth"),
        edited("claims.csv", ",true", ",yes"),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_schema_of_another_version() {
    let errors = [
        edited("manifest.json", "\"schema\": 1", "\"schema\": 2"),
        edited("rows.csv", "\n1,", "\n2,"),
        edited("timeline.csv", "\n1,", "\n,"),
        edited("claims.csv", "\n1,", "\none,"),
    ];
    insta::assert_snapshot!(errors.join("\n"));
}

#[test]
fn a_manifest_that_is_none() {
    let errors = [
        written("manifest.json", b""),
        written("manifest.json", b"{\"name\": \"a package\"}"),
        written("manifest.json", b"\x89PNG"),
        edited("manifest.json", "\"cores\": 2", "\"cores\": 0"),
        edited("manifest.json", "\"axis\": \"limit\"", "\"axis\": \"luck\""),
        edited("manifest.json", "  \"rustc\": \"rustc 1.95.0\",\n", ""),
    ];
    let bytes = refused(|path| fs::write(path.join("manifest.json"), [0xff, 0xfe]).unwrap());
    insta::assert_snapshot!(format!("{}\n{bytes}", errors.join("\n")));
}
