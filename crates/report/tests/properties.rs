//! What holds of every report: the same bytes from the same files, ASCII, XML, and no text upon another.

mod fixture;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroUsize;

use fanout_record::{Clock, Results, Row, Writer};
use fanout_report::{Artifact, render, write};

fn artifacts() -> Vec<Artifact> {
    render(&[fixture::results()]).unwrap()
}

fn svgs() -> Vec<(String, String)> {
    let svgs = artifacts().into_iter().filter(|artifact| artifact.name.ends_with(".svg"));
    svgs.map(|artifact| (artifact.name, String::from_utf8(artifact.bytes).unwrap())).collect()
}

#[test]
fn the_same_results_give_the_same_bytes() {
    assert_eq!(artifacts(), artifacts());
}

#[test]
fn the_order_in_which_cells_ended_does_not_matter() {
    let mut results = fixture::results();
    let wall = results.rows.iter().filter(|row| row.clock == Clock::Wall);
    let more: Vec<_> =
        wall.map(|row| Row { threads: NonZeroUsize::new(4).unwrap(), ..row.clone() }).collect();
    results.rows.extend(more);
    let in_order = render(&[results.clone()]).unwrap();
    results.rows.sort_by_key(|row| (std::cmp::Reverse(row.run), row.threads, row.seed % 3));
    results.dependencies.sort_by_key(|row| std::cmp::Reverse(row.variant.clone()));
    assert_eq!(render(&[results]).unwrap(), in_order);
}

#[test]
fn a_folder_on_disk_gives_the_same_bytes_wherever_it_is() {
    let results = fixture::results();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elsewhere");
    let mut writer = Writer::create(&path, &results.manifest).unwrap();
    for row in &results.rows {
        let bins: Vec<_> = results.timeline.iter().filter(|bin| bin.cell() == row.cell()).cloned().collect();
        let dependencies: Vec<_> =
            results.dependencies.iter().filter(|own| own.cell() == row.cell()).cloned().collect();
        writer.cell(row, &bins, &dependencies).unwrap();
    }
    writer.claims(&results.claims).unwrap();
    assert_eq!(render(&[Results::read(&path).unwrap()]).unwrap(), artifacts());
}

#[test]
fn a_report_is_written_file_by_file_and_over_an_older_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a/reports");
    let written = write(&[fixture::results()], &out).unwrap();
    let expected: Vec<_> = artifacts().iter().map(|artifact| out.join(&artifact.name)).collect();
    assert_eq!(written, expected);
    fs::write(&written[0], "old").unwrap();
    fs::write(out.join("mine.txt"), "kept").unwrap();
    write(&[fixture::results()], &out).unwrap();
    for (path, artifact) in written.iter().zip(artifacts()) {
        assert_eq!(fs::read(path).unwrap(), artifact.bytes, "{}", path.display());
    }
    assert_eq!(fs::read_dir(&out).unwrap().count(), written.len() + 1, "no temporary file is left");
}

#[test]
fn every_link_of_a_page_leads_to_a_file_of_the_report() {
    let artifacts = artifacts();
    let names: BTreeSet<&str> = artifacts.iter().map(|artifact| artifact.name.as_str()).collect();
    let mut linked = BTreeSet::from(["README.md".to_owned()]);
    for page in artifacts.iter().filter(|artifact| artifact.name.ends_with(".md")) {
        let text = String::from_utf8(page.bytes.clone()).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        linked.extend(targets.map(str::to_owned));
    }
    assert_eq!(linked.iter().map(String::as_str).collect::<BTreeSet<_>>(), names);
}

#[test]
fn a_chart_is_ascii() {
    for (name, svg) in svgs() {
        assert!(svg.is_ascii(), "{name}");
    }
    let trouble = svgs().into_iter().find(|(name, _)| name == "90-trouble.svg").unwrap().1;
    assert!(trouble.contains("Trouble: &quot;a &lt; b &amp; c&quot; - d?j? | vu"));
}

#[test]
fn a_chart_is_well_formed() {
    for (name, svg) in svgs() {
        let mut open: Vec<&str> = Vec::new();
        for (at, part) in svg.split('<').enumerate().skip(1) {
            let (tag, text) =
                part.split_once('>').unwrap_or_else(|| panic!("{name}: tag {at} has no end: {part}"));
            assert!(!text.contains('>'), "{name}: {part}");
            assert!(tag.matches('"').count().is_multiple_of(2), "{name}: {tag}");
            for rest in part.split('&').skip(1) {
                let entity = rest.split(';').next().unwrap();
                assert!(["lt", "gt", "amp", "quot", "apos"].contains(&entity), "{name}: {part}");
            }
            let word = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(word), "{name}: tag {at}");
            } else if !tag.ends_with('/') {
                open.push(word);
            }
        }
        assert!(open.is_empty(), "{name}: {open:?} not closed");
    }
}

/// A text's box: its left, top, right, bottom, and what it says.
type Text = ([f64; 4], String);

/// The texts of a chart, as wide as a wide font makes them.
fn texts(svg: &str) -> Vec<Text> {
    let tags = svg.split("<text ").skip(1);
    tags.map(|tag| {
        let (attributes, rest) = tag.split_once('>').unwrap();
        let value = |name: &str| {
            attributes.split_once(&format!("{name}=\"")).map(|(_, v)| v.split('"').next().unwrap())
        };
        let number = |name: &str| value(name).unwrap().parse::<f64>().unwrap();
        let words = rest.split('<').next().unwrap().trim().replace("&quot;", "\"").replace("&lt;", "<");
        let letter = |letter: char| match letter {
            'i' | 'j' | 'l' | 'I' | '|' => 0.29,
            't' | 'f' | 'r' | ' ' | '.' | ',' | ':' | ';' | '(' | ')' | '-' | '/' => 0.37,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.95,
            _ => 0.61,
        };
        let bold = if attributes.contains("bold") { 1.12 } else { 1.0 };
        let size = number("font-size");
        let width = words.chars().map(letter).sum::<f64>() * size * bold;
        let (x, y) = (number("x"), number("y"));
        let left = match value("text-anchor").unwrap() {
            "start" => x,
            "middle" => x - width / 2.0,
            _ => x - width,
        };
        ([left, y - size / 2.0, left + width, y + size / 2.0], words)
    })
    .collect()
}

#[test]
fn no_text_stands_upon_another_or_leaves_the_chart() {
    for (name, svg) in svgs() {
        let height: f64 = svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        let texts = texts(&svg);
        assert!(texts.len() > 10, "{name}");
        for (at, ([left, top, right, bottom], words)) in texts.iter().enumerate() {
            let inside = *left >= 0.0 && *right <= 800.0 && *top >= 0.0 && *bottom <= height;
            assert!(inside, "{name}: {words:?} leaves the chart: {left} to {right}, {top} to {bottom}");
            for ([other_left, other_top, other_right, other_bottom], other) in &texts[at + 1..] {
                let beside =
                    right <= other_left || other_right <= left || bottom <= other_top || other_bottom <= top;
                assert!(beside, "{name}: {words:?} stands upon {other:?}");
            }
        }
    }
}

#[test]
fn a_strategy_has_one_colour_in_every_chart() {
    for (name, svg) in svgs().into_iter().filter(|(name, _)| !name.starts_with("90")) {
        let known = ["#0072B2", "#009E73", "#E69F00"];
        assert!(known.iter().any(|colour| svg.contains(colour)), "{name}");
    }
}
