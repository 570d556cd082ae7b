//! Calls in flight, tasks and backlog over time: a row a strategy, or one cell alone.

use std::num::NonZeroUsize;

use fanout_record::{Bin, Unit};

use super::canvas::{Side, WIDTH};
use super::palette::{INK, Palette};
use super::scales::{Fit, Scale};
use super::sheet::{Key, MARGIN, Sheet, Sign};
use super::text::Face;
use super::track::{
    Column, EDGE, HEADING, Reading, TICKS, Track, cells_in_words, draw_grid, draw_track, grid_height,
    share_axes,
};
use crate::study::Study;

/// The height of a plot of one cell alone.
const ALONE: i32 = 110;

/// What is read of a bin, and whether a strategy's limit is one for it.
const COURSES: [(&str, Reading, bool); 3] = [
    ("Calls in flight", |bin| bin.in_flight, true),
    ("Tasks", |bin| bin.tasks, true),
    ("Backlog", |bin| bin.backlog, false),
];

/// A chart of one cell: its calls in flight, tasks and backlog over time, one above the other. Pure: the same
/// bins give the same SVG.
#[must_use]
pub fn timeline_svg(title: &str, caption: &str, bins: &[Bin], limit: Option<NonZeroUsize>) -> String {
    let strategy = bins.first().map_or("", |bin| bin.strategy.as_str());
    let mut track = Track {
        name: strategy,
        note: String::new(),
        unfinished: None,
        colour: Palette::default().look(strategy).colour,
        bound: limit.map(|limit| limit.get() as u64),
        bins: bins.iter().collect(),
        span: 0,
    };
    track.span = track.end();
    let subtitle = bins.first().map_or_else(
        || "nothing was measured".to_owned(),
        |bin| format!("{strategy}, {} clock; peaks of each stretch of time", bin.clock),
    );
    let legend = if limit.is_some() { vec![Key::new(Sign::BoundLine, "limit")] } else { Vec::new() };
    let sheet = Sheet { title, subtitle, legend, caption };
    if bins.is_empty() {
        return sheet.draw(0, |_, _| {});
    }
    let block = HEADING + ALONE + 26;
    sheet.draw(3 * block + 14, |canvas, mut top| {
        let (left, right) = (MARGIN + TICKS, WIDTH - MARGIN - EDGE);
        for (title, of, limited) in COURSES {
            let track = Track { bound: track.bound.filter(|_| limited), ..track.clone() };
            let up = |span| Scale::fit(Fit::Steps, Unit::Count, &track.values(of), span);
            canvas.heading((MARGIN, top + 8), title, &up((1, 0)).describe());
            draw_track(canvas, &track, of, (left, right), (top + HEADING, top + HEADING + ALONE), &up);
            top += block;
        }
        let middle = i32::midpoint(left, right);
        canvas.text((middle, top + 2), Side::Centre, Face::LABEL, INK, "time since the start");
    })
}

/// The sheet's SVG; none where no timeline was recorded.
pub(crate) fn timeline(study: &Study<'_>, palette: &Palette, caption: &str) -> Option<String> {
    let (mut rows, variant) = rows(study, palette);
    if rows.is_empty() {
        return None;
    }
    share_axes(&mut rows);
    let columns = COURSES.map(|(title, of, limited)| {
        let limited = limited && (title != COURSES[0].0 || study.limits_bound_calls());
        let tracks =
            rows.iter().map(|row| Track { bound: row.bound.filter(|_| limited), ..row.clone() }).collect();
        Column { title, of, tracks }
    });
    let limit = rows.iter().any(|row| row.bound.is_some()).then(|| Key::new(Sign::BoundLine, "limit"));
    let sheet = Sheet {
        title: &study.record.title,
        subtitle: cells_in_words(variant, &rows),
        legend: limit.into_iter().collect(),
        caption,
    };
    Some(sheet.draw(grid_height(rows.len()), |canvas, top| draw_grid(canvas, top, &rows, &columns)))
}

/// More rows than this are too many to see at once.
const MOST_ROWS: usize = 12;

/// A row a strategy of each variant, and the variant that all of them are of, if it is one: where that is too many, each
/// strategy once, of the first variant, or the largest size, that it has one of.
fn rows<'a>(study: &'a Study<'_>, palette: &Palette) -> (Vec<Track<'a>>, Option<&'a str>) {
    let every = study.compared_variants();
    let cases: Vec<_> = every.iter().flat_map(|variant| study.at_middle_limit(*variant)).collect();
    if every.len() > 1 && cases.len() <= MOST_ROWS {
        let rows = cases.into_iter().filter_map(|case| Track::of(study, case, palette, None));
        return (rows.collect(), None);
    }
    let preferred = study.timeline_variant();
    let mut variants = study.variants();
    variants.sort_by_key(|variant| *variant != preferred);
    let rows = study.strategies().into_iter().filter_map(|strategy| {
        variants.iter().find_map(|&variant| {
            let case = study.at_middle_limit(variant).into_iter().find(|case| case.strategy == strategy)?;
            Track::of(study, case, palette, preferred)
        })
    });
    (rows.collect(), preferred)
}
