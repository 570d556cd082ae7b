use fanout_record::CellId;
use serde::Serialize;

use crate::comparison::Comparison;
use crate::exact::Change;
use crate::wall::WallComparison;

/// All of a comparison as JSON: `verdict`, `stops`, `refusals`, `heap_ungated`, `exact_cells`, `changes`, `wall`,
/// `only_base`, `only_head`. Times are in nanoseconds, memory in bytes.
///
/// # Panics
///
/// Never: nothing in a comparison is without a form in JSON.
#[must_use]
pub fn json(comparison: &Comparison) -> String {
    #[derive(Serialize)]
    struct Whole<'a> {
        verdict: String,
        stops: bool,
        refusals: Vec<String>,
        heap_ungated: Option<&'a str>,
        exact_cells: usize,
        changes: &'a [Change],
        wall: &'a [WallComparison],
        only_base: &'a [CellId],
        only_head: &'a [CellId],
    }
    let whole = Whole {
        verdict: comparison.to_string(),
        stops: comparison.stops(),
        refusals: comparison.refusals.iter().map(ToString::to_string).collect(),
        heap_ungated: comparison.heap_ungated.as_deref(),
        exact_cells: comparison.exact_cells,
        changes: &comparison.changes,
        wall: &comparison.wall,
        only_base: &comparison.only_base,
        only_head: &comparison.only_head,
    };
    serde_json::to_string_pretty(&whole).expect("plain data") + "\n"
}
