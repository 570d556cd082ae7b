//! Calls in flight at each dependency of a batch over time: a row a strategy of each variant, a column a dependency.

use fanout_record::Bin;

use super::palette::Palette;
use super::sheet::{Key, Sheet, Sign};
use super::track::{Column, Track, cells_in_words, draw_grid, grid_height, share_axes};
use crate::case::Case;
use crate::study::Study;

/// So many columns stand beside each other; further ones stand below.
const COLUMNS: usize = 3;

/// The sheet's SVG; none for a batch of one dependency, whose calls are all there are, and where no timeline was
/// recorded.
pub(crate) fn dependencies(study: &Study<'_>, palette: &Palette, caption: &str) -> Option<String> {
    let names = study.dependencies.names();
    let (cases, mut rows): (Vec<_>, Vec<Track<'_>>) = study
        .compared_variants()
        .into_iter()
        .flat_map(|variant| study.at_middle_limit(variant))
        .filter_map(|case| Some((case, Track::of(study, case, palette, None)?)))
        .unzip();
    if names.len() < 2 || rows.is_empty() {
        return None;
    }
    for (row, case) in rows.iter_mut().zip(&cases) {
        // The bins of one dependency are its own, and may be wider than those of all calls.
        let own = names.iter().flat_map(|name| bins(study, case, name));
        row.span = own.map(|bin| bin.start_ns.saturating_add(bin.width_ns)).fold(row.span, u64::max);
    }
    share_axes(&mut rows);
    let blocks: Vec<Vec<Column<'_>>> = names
        .chunks(COLUMNS)
        .map(|names| names.iter().map(|name| column(study, name, &cases, &rows)).collect())
        .collect();
    let bounded =
        blocks.iter().flatten().flat_map(|column| &column.tracks).any(|track| track.bound.is_some());
    let sheet = Sheet {
        title: &study.record.title,
        subtitle: format!("calls in flight at each dependency; {}", cells_in_words(None, &rows)),
        legend: bounded.then(|| Key::new(Sign::BoundLine, "capacity")).into_iter().collect(),
        caption,
    };
    let height = grid_height(rows.len());
    let blocks_high = i32::try_from(blocks.len()).unwrap_or(i32::MAX);
    Some(sheet.draw(height.saturating_mul(blocks_high), |canvas, mut top| {
        for columns in &blocks {
            draw_grid(canvas, top, &rows, columns);
            top += height;
        }
    }))
}

/// What each row's run had in flight at one dependency.
fn column<'a>(study: &Study<'a>, name: &'a str, cases: &[&Case<'a>], rows: &[Track<'a>]) -> Column<'a> {
    let track = |(case, row): (&&Case<'a>, &Track<'a>)| Track {
        bound: study.dependencies.capacity(case.rows(study.clock()), name),
        bins: bins(study, case, name),
        ..row.clone()
    };
    Column { title: name, of: |bin| bin.in_flight, tracks: cases.iter().zip(rows).map(track).collect() }
}

/// A dependency's bins of the run that a case's row is of.
fn bins<'a>(study: &Study<'a>, case: &Case<'_>, name: &'a str) -> Vec<&'a Bin> {
    study
        .timeline_of(case)
        .map_or_else(Vec::new, |(cell, _)| study.dependencies.timeline_of(cell, name).to_vec())
}
