//! Which rows stand against which, and whether they can.

use std::collections::{BTreeMap, BTreeSet};

use fanout_record::{CellId, Clock, DependencyRow, Results, Row};
use thiserror::Error;

/// Why two runs cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// They have no cell in common.
    #[error("they have no cell in common")]
    NothingInCommon,
    /// A scenario is not what it was.
    #[error("scenario {scenario} is defined otherwise: its hash was {base} and is {head}")]
    Definition {
        /// The scenario.
        scenario: String,
        /// The base's hash.
        base: String,
        /// The head's hash.
        head: String,
    },
    /// The work was drawn otherwise.
    #[error("scenario {scenario} ran with other seeds: {base}, and now {head}")]
    Seeds {
        /// The scenario.
        scenario: String,
        /// The base's seeds.
        base: String,
        /// The head's seeds.
        head: String,
    },
    /// Real times of another machine.
    #[error("real times are of another machine: {base}, and now {head}; compare with `--clock virtual`")]
    Machine {
        /// The base's processor and cores.
        base: String,
        /// The head's processor and cores.
        head: String,
    },
    /// Real times of another profile.
    #[error("real times are of another build: {base}, and now {head}; compare with `--clock virtual`")]
    Profile {
        /// The base's profile.
        base: String,
        /// The head's profile.
        head: String,
    },
}

/// Two rows of one virtual cell, with what their dependencies saw.
pub(crate) struct Pair<'a> {
    pub(crate) base: &'a Row,
    pub(crate) head: &'a Row,
    pub(crate) dependencies: Vec<(&'a DependencyRow, &'a DependencyRow)>,
}

/// All runs of one wall cell on either side.
pub(crate) struct Samples<'a> {
    /// Its first run's.
    pub(crate) cell: CellId,
    pub(crate) base: Vec<&'a Row>,
    pub(crate) head: Vec<&'a Row>,
}

/// The rows of two folders, by cell.
pub(crate) struct Pairing<'a> {
    pub(crate) exact: Vec<Pair<'a>>,
    pub(crate) wall: Vec<Samples<'a>>,
    /// All runs of a wall cell are one here.
    pub(crate) only_base: Vec<CellId>,
    pub(crate) only_head: Vec<CellId>,
}

impl<'a> Pairing<'a> {
    /// Pairs what ran on `clock`, or on either clock.
    pub(crate) fn of(base: &'a Results, head: &'a Results, clock: Option<Clock>) -> Self {
        let (olds, news) = (by_cell(base, clock), by_cell(head, clock));
        let (old_own, new_own) = (own(base), own(head));
        let mut pairing =
            Self { exact: Vec::new(), wall: Vec::new(), only_base: Vec::new(), only_head: Vec::new() };
        for (cell, old) in &olds {
            match (news.get(cell), cell.clock, old.as_slice()) {
                (None, ..) => pairing.only_base.push(cell.clone()),
                (Some(new), Clock::Virtual, [first, ..]) => pairing.exact.push(Pair {
                    base: first,
                    head: new[0],
                    dependencies: same_named(old_own.get(cell), new_own.get(cell)),
                }),
                (Some(new), ..) => {
                    pairing.wall.push(Samples { cell: cell.clone(), base: old.clone(), head: new.clone() });
                }
            }
        }
        pairing.only_head = news.into_keys().filter(|cell| !olds.contains_key(cell)).collect();
        pairing
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.wall.is_empty()
    }
}

/// Why the two cannot be compared on `clock`; nothing where they can.
pub(crate) fn refusals(base: &Results, head: &Results, clock: Option<Clock>) -> Vec<Refusal> {
    let mut refusals = Vec::new();
    for old in &base.manifest.scenarios {
        let Some(new) = head.manifest.scenarios.iter().find(|new| new.name == old.name) else { continue };
        let scenario = &old.name;
        if old.hash != new.hash {
            let (base, head) = (old.hash.clone(), new.hash.clone());
            refusals.push(Refusal::Definition { scenario: scenario.clone(), base, head });
            continue;
        }
        let (old, new) = (seeds(base, scenario, clock), seeds(head, scenario, clock));
        if !old.is_empty() && !new.is_empty() && old != new {
            let (base, head) = (in_words(&old), in_words(&new));
            refusals.push(Refusal::Seeds { scenario: scenario.clone(), base, head });
        }
    }
    if has_wall(base, clock) && has_wall(head, clock) {
        let machine = |results: &Results| {
            let host = &results.manifest.host;
            format!("{}, {} cores", host.cpu, host.cores)
        };
        let (old, new) = (machine(base), machine(head));
        if old != new {
            refusals.push(Refusal::Machine { base: old, head: new });
        }
        let (old, new) = (&base.manifest.profile, &head.manifest.profile);
        if old != new {
            refusals.push(Refusal::Profile { base: old.clone(), head: new.clone() });
        }
    }
    if refusals.is_empty() && Pairing::of(base, head, clock).is_empty() {
        refusals.push(Refusal::NothingInCommon);
    }
    refusals
}

/// Why heap is not gated between the two; none where it is.
pub(crate) fn heap_is_ungated(base: &Results, head: &Results) -> Option<String> {
    let (old, new) = (&base.manifest, &head.manifest);
    let differ = [
        ("target", &old.target, &new.target),
        ("toolchain", &old.rustc, &new.rustc),
        ("profile", &old.profile, &new.profile),
        ("lock file", &old.lock_hash, &new.lock_hash),
    ];
    let named: Vec<&str> = differ.iter().filter(|(_, old, new)| old != new).map(|(name, ..)| *name).collect();
    (!named.is_empty()).then(|| named.join(", "))
}

fn by_cell(results: &Results, clock: Option<Clock>) -> BTreeMap<CellId, Vec<&Row>> {
    let mut cells: BTreeMap<CellId, Vec<&Row>> = BTreeMap::new();
    for row in results.rows.iter().filter(|row| clock.is_none_or(|clock| clock == row.clock)) {
        cells.entry(CellId { run: 1, ..row.cell() }).or_default().push(row);
    }
    cells
}

fn own(results: &Results) -> BTreeMap<CellId, Vec<&DependencyRow>> {
    let mut cells: BTreeMap<CellId, Vec<&DependencyRow>> = BTreeMap::new();
    for row in &results.dependencies {
        cells.entry(row.cell()).or_default().push(row);
    }
    cells
}

fn same_named<'a>(
    old: Option<&Vec<&'a DependencyRow>>,
    new: Option<&Vec<&'a DependencyRow>>,
) -> Vec<(&'a DependencyRow, &'a DependencyRow)> {
    let (Some(old), Some(new)) = (old, new) else { return Vec::new() };
    let twin = |old: &&'a DependencyRow| new.iter().find(|new| new.dependency == old.dependency);
    old.iter().filter_map(|old| Some((*old, *twin(old)?))).collect()
}

fn seeds(results: &Results, scenario: &str, clock: Option<Clock>) -> BTreeSet<u64> {
    let rows = results.rows.iter().filter(|row| row.scenario == scenario);
    rows.filter(|row| clock.is_none_or(|clock| clock == row.clock)).map(|row| row.seed).collect()
}

fn in_words(seeds: &BTreeSet<u64>) -> String {
    seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

fn has_wall(results: &Results, clock: Option<Clock>) -> bool {
    clock != Some(Clock::Virtual) && results.rows.iter().any(|row| row.clock == Clock::Wall)
}
