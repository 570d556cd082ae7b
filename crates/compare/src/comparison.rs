use std::fmt;

use fanout_record::{CellId, Clock, Results, Unit};

use crate::exact::{self, Change, What};
use crate::gate::Gate;
use crate::grouped::Group;
use crate::pairing::{Pairing, Refusal, heap_is_ungated, refusals};
use crate::wall::{self, Verdict, WallComparison};

/// What stops a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Gating {
    /// The virtual clock alone; the wall clock advises.
    #[default]
    Virtual,
    /// The wall clock too.
    Wall,
}

/// How two folders are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// On one clock alone.
    pub clock: Option<Clock>,
    /// What stops a change.
    pub gating: Gating,
    /// Show runs that cannot be compared, unjudged.
    pub force: bool,
}

/// What differs between two results folders.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Why it is not judged, where it was forced.
    pub refusals: Vec<Refusal>,
    /// How many cells of the virtual clock both have.
    pub exact_cells: usize,
    /// What changed of them, and of how wall cells end.
    pub changes: Vec<Change>,
    /// The wall cells that both have, metric by metric; regressions first, by their ratio.
    pub wall: Vec<WallComparison>,
    /// Cells that the head lacks.
    pub only_base: Vec<CellId>,
    /// Cells that the base lacks.
    pub only_head: Vec<CellId>,
    /// In what the two differ so that heap is shown and not gated.
    pub heap_ungated: Option<String>,
    gating: Gating,
}

/// Compares two results folders.
///
/// # Errors
///
/// They cannot be compared, and are not forced: all reasons.
pub fn compare(
    base: &Results,
    head: &Results,
    gate: &Gate,
    options: Options,
) -> Result<Comparison, Vec<Refusal>> {
    let refusals = refusals(base, head, options.clock);
    if !refusals.is_empty() && !options.force {
        return Err(refusals);
    }
    let heap_ungated = heap_is_ungated(base, head);
    let Pairing { exact, wall, only_base, only_head } = Pairing::of(base, head, options.clock);
    let mut changes: Vec<Change> =
        exact.iter().flat_map(|pair| exact::changes(pair, gate, heap_ungated.is_none())).collect();
    changes.extend(wall.iter().filter_map(|samples| {
        let ends = wall::ends_otherwise(samples)?;
        Some(Change {
            cell: samples.cell.clone(),
            dependency: None,
            what: What::Outcome { base: ends.base, head: ends.head },
            worse: ends.head != fanout_record::Outcome::Complete,
            gated: options.gating == Gating::Wall,
        })
    }));
    let mut wall: Vec<WallComparison> =
        wall.iter().flat_map(|samples| wall::compare(samples, gate)).collect();
    wall.sort_by(|one, other| other.ratio_or_one().total_cmp(&one.ratio_or_one()));
    wall.sort_by_key(WallComparison::rank);
    Ok(Comparison {
        refusals,
        exact_cells: exact.len(),
        changes,
        wall,
        only_base,
        only_head,
        heap_ungated,
        gating: options.gating,
    })
}

impl Comparison {
    /// Whether it says anything of better and worse. Runs that cannot be compared and were forced are only shown.
    #[must_use]
    pub fn is_judged(&self) -> bool {
        self.refusals.is_empty()
    }

    /// Whether the head must not go in.
    #[must_use]
    pub fn stops(&self) -> bool {
        let regressed = || self.wall.iter().any(|comparison| comparison.verdict == Verdict::Regressed);
        self.is_judged()
            && (self.changes.iter().any(|change| change.worse && change.gated)
                || self.gating == Gating::Wall && regressed())
    }

    /// The changes, those of one kind together, the gravest first.
    #[must_use]
    pub fn groups(&self) -> Vec<Group<'_>> {
        Group::all(&self.changes)
    }

    /// How many wall comparisons came to a verdict that `is` picks.
    fn count(&self, is: impl Fn(&Verdict) -> bool) -> usize {
        self.wall.iter().filter(|comparison| is(&comparison.verdict)).count()
    }
}

/// The verdict in a line.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |count: usize| Unit::Count.show(count as u64);
        if let Some(refusal) = self.refusals.first() {
            return write!(f, "not judged: {refusal}");
        }
        let groups = self.groups();
        let worse: Vec<String> = groups
            .iter()
            .filter(|group| group.first().worse && group.first().gated)
            .map(ToString::to_string)
            .chain(self.regressions())
            .collect();
        match worse.as_slice() {
            [] => {}
            [only] => return write!(f, "worse: {only}"),
            [first, more @ ..] => return write!(f, "worse: {first}; and {} more", count(more.len())),
        }
        let better = groups.iter().find(|group| !group.first().worse && group.first().gated);
        match better {
            Some(group) => write!(f, "better: {group}")?,
            None if self.exact_cells > 0 => {
                write!(f, "unchanged: {} virtual cells, to the last figure", count(self.exact_cells))?;
            }
            None => f.write_str("unchanged")?,
        }
        if !self.wall.is_empty() {
            let regressed = self.count(|verdict| *verdict == Verdict::Regressed);
            let improved = self.count(|verdict| *verdict == Verdict::Improved);
            let unchanged = self.count(|verdict| *verdict == Verdict::Unchanged);
            let rest = self.wall.len() - regressed - improved - unchanged;
            write!(
                f,
                "; wall, which advises: {regressed} regressed, {improved} improved, {unchanged} unchanged, \
                 {rest} inconclusive"
            )?;
        }
        Ok(())
    }
}

impl Comparison {
    /// Those of the wall clock that stop a change, in words.
    fn regressions(&self) -> impl Iterator<Item = String> {
        let stop = self.gating == Gating::Wall;
        self.wall
            .iter()
            .filter(move |comparison| stop && comparison.verdict == Verdict::Regressed)
            .map(ToString::to_string)
    }
}
