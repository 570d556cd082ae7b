//! What is written is read again, and written again in the same bytes.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{bins, cell, claims, dependencies, edit, manifest, row, write};
use fanout_record::{
    Bin, Claim, DependencyRow, Metric, Outcome, Results, Row, SCHEMA, WorkloadKind, WriteError, Writer,
    replace,
};
use strum::IntoEnumIterator;

#[test]
fn a_folder_is_read_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    write(&path);
    let results = Results::read(&path).unwrap();
    assert_eq!(results.path, path);
    assert_eq!(results.manifest, manifest());
    assert_eq!(results.rows, [row(1), row(2)]);
    assert_eq!(results.timeline, [bins(1), bins(2)].concat());
    assert_eq!(results.claims, claims());
    assert_eq!(results.rows[1].cell(), cell(2));
    assert_eq!(results.timeline[3].cell(), cell(2));
    assert_eq!(results.dependencies, [dependencies(1), dependencies(2)].concat());
    assert_eq!(results.dependencies[1].cell(), cell(2));
    let read = DependencyRow::METRICS.iter().filter_map(|metric| results.dependencies[0].of(*metric));
    assert_eq!(read.collect::<Vec<_>>(), [2_000, 50]);
}

/// Each measured column with a number of its own, beside every kind of word.
fn full_row() -> String {
    let words = "1,01-tree-guide,stream,wide,queue-workers,20,4,wall,7,3,timed-out,";
    let reason = "\"stopped, \"\"at last\"\"\nhere\"";
    let measured = Row::HEADER.len() - 12;
    let numbers: Vec<String> = (0..measured).map(|column| (1000 + column).to_string()).collect();
    format!("{words}{reason},{}\n", numbers.join(","))
}

#[test]
fn every_column_keeps_its_value() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    Writer::create(&first, &manifest()).unwrap();
    let header = Row::HEADER.join(",");
    fs::write(first.join("rows.csv"), format!("{header}\n{}", full_row())).unwrap();
    let results = Results::read(&first).unwrap();
    let [row] = results.rows.as_slice() else { panic!("one row was written") };
    assert_eq!((row.workload, row.outcome), (WorkloadKind::Stream, Outcome::TimedOut));
    assert_eq!(row.reason.as_deref(), Some("stopped, \"at last\"\nhere"));
    for (value, metric) in (1000..).zip(Metric::iter()) {
        let at = Row::HEADER.iter().position(|column| *column == metric.column()).unwrap();
        assert_eq!(metric.of(row), Some(value), "{metric}");
        assert_eq!(at as u64, value - 1000 + 12, "{metric}");
    }
    Writer::create(&second, &manifest()).unwrap().cell(row, &[], &[]).unwrap();
    assert_eq!(fs::read(second.join("rows.csv")).unwrap(), fs::read(first.join("rows.csv")).unwrap());
}

#[test]
fn a_column_has_one_name_and_its_unit_in_it() {
    let columns: BTreeSet<&str> = Row::HEADER.iter().copied().collect();
    assert_eq!(columns.len(), Row::HEADER.len());
    assert_eq!([Row::HEADER[0], Bin::HEADER[0], Claim::HEADER[0]], ["schema"; 3]);
    for metric in Metric::iter() {
        let unit = match metric.column().rsplit('_').next() {
            Some("ns") => fanout_record::Unit::Nanoseconds,
            Some("bytes") => fanout_record::Unit::Bytes,
            _ => fanout_record::Unit::Count,
        };
        assert_eq!(metric.unit(), unit, "{metric}");
        assert_eq!(metric.to_string().parse(), Ok(metric));
    }
}

#[test]
fn a_folder_in_which_nothing_was_run_is_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    Writer::create(&path, &manifest()).unwrap();
    let results = Results::read(&path).unwrap();
    assert_eq!(
        (results.rows.len(), results.timeline.len(), results.dependencies.len(), results.claims.len()),
        (0, 0, 0, 0)
    );
}

#[test]
fn windows_line_ends_are_read_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    write(&path);
    for table in ["rows.csv", "timeline.csv", "dependencies.csv", "claims.csv"] {
        let text = fs::read_to_string(path.join(table)).unwrap();
        fs::write(path.join(table), text.replace('\n', "\r\n")).unwrap();
    }
    assert_eq!(Results::read(&path).unwrap().rows, [row(1), row(2)]);
}

#[test]
fn cells_are_on_disk_before_the_next_one_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let mut writer = Writer::create(&path, &manifest()).unwrap();
    assert_eq!(writer.path(), path);
    writer.cell(&row(1), &bins(1), &dependencies(1)).unwrap();
    assert_eq!(Results::read(&path).unwrap().rows, [row(1)]);
    writer.cell(&row(2), &bins(2), &dependencies(2)).unwrap();
    // As after a kill: nothing is dropped, nothing is flushed.
    std::mem::forget(writer);
    let results = Results::read(&path).unwrap();
    assert_eq!(
        (results.rows, results.timeline.len(), results.dependencies.len()),
        (vec![row(1), row(2)], 4, 2)
    );
}

#[test]
fn a_writer_leaves_what_is_there_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    write(&path);
    let before = fs::read(path.join("rows.csv")).unwrap();
    let error = Writer::create(&path, &manifest()).unwrap_err();
    assert!(matches!(&error, WriteError::Exists { path: found } if *found == path));
    assert_eq!(
        error.to_string(),
        format!("{} exists already: results are never written over, name another folder", path.display())
    );
    assert_eq!(fs::read(path.join("rows.csv")).unwrap(), before);

    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.txt"), "all of it").unwrap();
    assert!(matches!(Writer::create(&foreign, &manifest()), Err(WriteError::Exists { .. })));
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);

    let file = foreign.join("thesis.txt");
    let error = Writer::create(&file, &manifest()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot write {}: ", file.display())), "{error}");
    assert_eq!(fs::read_to_string(file).unwrap(), "all of it");
}

#[test]
fn an_empty_folder_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    assert_eq!(Results::read(folder.path()).unwrap().rows.len(), 2);
}

#[test]
fn claims_and_manifest_are_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(folder.path(), &manifest()).unwrap();
    writer.claims(&claims()).unwrap();
    writer.claims(&claims()[..1]).unwrap();
    let mut late = manifest();
    late.interrupted = true;
    writer.manifest(&late).unwrap();
    let results = Results::read(folder.path()).unwrap();
    assert_eq!((results.claims, results.manifest), (claims()[..1].to_vec(), late));
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["claims.csv", "dependencies.csv", "manifest.json", "rows.csv", "timeline.csv"]);
}

#[test]
fn deadlock_reports_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer = Writer::create(folder.path(), &manifest()).unwrap();
    assert!(!folder.path().join("deadlocks.txt").exists());
    writer.deadlock("the first").unwrap();
    writer.deadlock("the second").unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("deadlocks.txt")).unwrap(), "the first\nthe second\n");
}

#[test]
fn a_file_that_cannot_be_replaced_is_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "old").unwrap();
    let error = replace(&path, |file| {
        std::io::Write::write_all(file, b"half of the ne")?;
        Err(std::io::Error::other("the disk is full"))
    });
    assert_eq!(error.unwrap_err().to_string(), format!("cannot write {}: the disk is full", path.display()));
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(replace(Path::new("no/such/folder/file"), |_| Ok(())).is_err());
}

#[cfg(unix)]
#[test]
fn a_replaced_file_is_as_readable_as_any_other() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("manifest.json"), mode("rows.csv"));
}

/// A disk that is full from the first byte on.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let mut writer = Writer::create(&path, &manifest()).unwrap();
    std::os::unix::fs::symlink("/dev/full", path.join("deadlocks.txt")).unwrap();
    let error = writer.deadlock("report").unwrap_err().to_string();
    let file = path.join("deadlocks.txt");
    assert!(error.starts_with(&format!("cannot write {}: No space left", file.display())), "{error}");
}

#[test]
fn an_edited_number_is_the_number_read() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    edit(&folder.path().join("timeline.csv"), ",5,5,1,2,3", ",5,5,1,2,4");
    assert_eq!(Results::read(folder.path()).unwrap().timeline[1].backlog, 4);
    assert_eq!(SCHEMA, 1, "a new schema needs these tests to be read again");
}
