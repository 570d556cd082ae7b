use fanout_record::{Outcome, Row};

use crate::place::{Place, Said, names};

fn walk(listing: &[u8], line: &str) -> (Said, Vec<Row>) {
    let place = Place::new();
    // Where a temporary folder is made can be looked at only if it is the test's own.
    std::fs::create_dir(place.path("tmp")).unwrap();
    let mut command = place.command();
    command.args(["run", "--tree-from", "-", "--out", "r"]).args(line.split_whitespace());
    command.env("TMPDIR", place.path("tmp")).write_stdin(listing.to_vec());
    let said = Said::of(&command.output().unwrap());
    assert_eq!(names(&place.path("tmp")), [] as [&str; 0], "the spooled listing is removed");
    let rows = if place.path("r").exists() { place.results("r").rows } else { Vec::new() };
    (said, rows)
}

/// What each of the five strategies visited: the same.
#[track_caller]
fn visited(listing: &[u8]) -> u64 {
    let (said, rows) = walk(listing, "");
    said.ends(0);
    assert_eq!(rows.len(), 5);
    let visited = rows[0].visited.unwrap();
    for row in rows {
        assert_eq!((row.outcome, row.visited), (Outcome::Complete, Some(visited)), "{}", row.strategy);
    }
    visited
}

#[test]
fn listings_of_all_kinds_are_walked() {
    assert_eq!(visited(b""), 0, "an empty listing is no error");
    assert_eq!(visited(b"\n\r\n\n"), 0, "nor one of empty lines");
    assert_eq!(visited(b"a"), 1);
    assert_eq!(visited(b"/a\r\n/a/b\r\n/a/c\r\n"), 3, "line ends of Windows");
    assert_eq!(visited(b"/a\n//a//b\n/a/b/\n\n/a/./b/c"), 3, "doubled slashes and no last line end");
    assert_eq!(visited(b"/a\n/a/\xff\xfe\n/a/\xff\n"), 3, "what is no UTF-8");
    let mut long = vec![b'x'; 10_000_000];
    assert_eq!(visited(&long), 1, "10 MB on one line, one name");
    long.splice(0..0, *b"/a\n/a/");
    assert_eq!(visited(&long), 2);
}

#[test]
fn a_file_is_walked_as_standard_input_is() {
    let place = Place::new().with("paths.txt", "/a\n/a/b\n/a/c\n/a/c/d\n");
    let said = place.fanout("run --tree-from paths.txt --limit 2,3 --strategy queue-workers --out r").ends(0);
    assert!(said.out.starts_with("tree-from: The tree listed in paths.txt\n"), "{}", said.out);
    let rows = place.results("r").rows;
    let found: Vec<_> =
        rows.iter().map(|row| (row.limit.unwrap().get(), row.visited, row.virtual_ns)).collect();
    assert_eq!(found, [(2, Some(4), Some(30_000_000)), (3, Some(4), Some(30_000_000))]);
}

#[test]
fn the_bug_is_walked_only_when_it_is_named() {
    let (said, rows) = walk(b"/a\n/a/b\n/a/c\n", "--strategy semaphore-across-recursion --limit 1");
    said.ends(3);
    assert_eq!((rows.len(), rows[0].outcome), (1, Outcome::Deadlocked));
}

#[test]
fn latency_and_faults_are_as_asked_for() {
    const PATHS: &[u8] = b"/a\n/a/b\n/a/c\n/a/d\n/a/e\n";
    let time = |latency: &str| {
        let (said, rows) = walk(PATHS, &format!("--strategy sequential-stack --latency {latency}"));
        said.ends(0);
        rows[0].virtual_ns.unwrap()
    };
    assert_eq!(time("20ms"), 100_000_000);
    assert_eq!(time("constant:0ms"), 0);
    assert!((25_000_000..=100_000_000).contains(&time("uniform:5ms..20ms")));
    assert_ne!(time("exponential:100ms"), time("log-normal:100ms,0.5"));

    let place = Place::new().with("paths", PATHS).with("times", "30ms\n30ms\n");
    place.fanout("run --tree-from paths --latency samples:times --strategy sequential-stack --out r").ends(0);
    assert_eq!(place.results("r").rows[0].virtual_ns, Some(150_000_000));

    let (said, rows) = walk(PATHS, "--fail every:2@1");
    said.ends(0);
    for row in rows {
        assert_eq!((row.outcome, row.visited, row.failed), (Outcome::Complete, Some(3), Some(2)));
    }
}

#[test]
fn what_is_no_listing_or_no_latency_is_refused() {
    let refuses = |listing: &[u8], line: &str, words: &[&str]| {
        let (said, rows) = walk(listing, line);
        said.refuses(1, words);
        assert_eq!(rows, []);
    };
    refuses(b"a\0b\0", "", &["standard input: line 1: found a zero byte", "not -print0"]);
    refuses(b"/a\nb\n", "", &["standard input: line 2: found a path that is relative"]);
    refuses(b"a", "--latency fast", &["--latency", "found \"fast\"", "`uniform:5ms..20ms`"]);
    refuses(b"a", "--latency 2ms", &["--latency: found a median of 2ms, expected 0ms or at least 5ms"]);
    refuses(b"a", "--latency samples:nowhere", &["--latency", "cannot read nowhere: "]);
    refuses(b"a", "--fail often", &["--fail", "found \"often\"", "`every:50`"]);

    let place = Place::new().with("paths", "a\n").with("times", "30ms\n30 parsecs\n");
    place
        .fanout("run --tree-from paths --latency samples:times")
        .refuses(1, &["--latency", "times: line 2: found \"30 parsecs\""]);
    place.fanout("run --tree-from nowhere").refuses(1, &["cannot read nowhere: No such file"]);
    place.fanout("run 01 --tree-from paths").refuses(2, &["cannot be used with"]);
    place.fanout("run --latency 10ms").refuses(2, &["--tree-from"]);
    assert_eq!(place.names(""), ["paths", "times"]);
}
