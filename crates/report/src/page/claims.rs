//! What a scenario's claims came to.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use fanout_record::{Claim, Metric, Unit};

use super::markdown::{ABSENT, Align, Table, inline};

/// How many claims hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) held: usize,
    pub(crate) broken: usize,
    /// Expected, but nothing was measured.
    pub(crate) open: usize,
}

impl Verdict {
    pub(crate) fn of(claims: &[&Claim]) -> Self {
        let mut verdict = Self::default();
        for claim in claims.iter().filter(|claim| claim.expected.is_some()) {
            match claim.held {
                Some(true) => verdict.held += 1,
                Some(false) => verdict.broken += 1,
                None => verdict.open += 1,
            }
        }
        verdict
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            held: self.held + other.held,
            broken: self.broken + other.broken,
            open: self.open + other.open,
        }
    }

    /// A sentence, bold where a reader must not miss it.
    pub(crate) fn sentence(self) -> String {
        let total = self.held + self.broken + self.open;
        let count = |count: usize| Unit::Count.show(count as u64);
        let open =
            if self.open > 0 { format!(" {} could not be judged.", count(self.open)) } else { String::new() };
        match (total, self.broken) {
            (0, _) => "Nothing was claimed.".to_owned(),
            (1, 0) if self.open == 0 => "The one claim holds.".to_owned(),
            (_, 0) if self.open == 0 => format!("All {} claims hold.", count(total)),
            (_, 0) => format!("{} of {} claims hold.{open}", count(self.held), count(total)),
            (_, 1) => format!("**1 of {} claims does not hold.**{open}", count(total)),
            (_, broken) => format!("**{} of {} claims do not hold.**{open}", count(broken), count(total)),
        }
    }
}

/// What stands in `held` of a claim.
fn held(claim: &Claim) -> &'static str {
    match claim.held {
        Some(true) => "yes",
        Some(false) => "**no**",
        None => "not measured",
    }
}

fn unit(claim: &Claim) -> Option<Unit> {
    claim.metric.metric().map(Metric::unit)
}

/// What was measured, as people read it.
pub(crate) fn measured(claim: &Claim) -> String {
    let Some(measured) = &claim.measured else { return ABSENT.to_owned() };
    match (unit(claim), measured.parse()) {
        (Some(unit), Ok(value)) => unit.show(value),
        _ => measured.clone(),
    }
}

/// What was expected: as the scenario words it, and in numbers where its words are an expression.
pub(crate) fn expected(claim: &Claim) -> String {
    let worded = claim.expected.clone().unwrap_or_default();
    let Some(unit) = unit(claim) else { return worded };
    let bound = match (claim.min, claim.max) {
        (Some(min), Some(max)) if min == max => unit.show(min),
        (Some(min), Some(max)) => format!("{} to {}", unit.show(min), unit.show(max)),
        (Some(min), None) => format!("at least {}", unit.show(min)),
        (None, Some(max)) => format!("at most {}", unit.show(max)),
        (None, None) => return worded,
    };
    // What the words say in other digits or by an expression is worth reading beside the number.
    let plain = |text: &str| text.replace([' ', ','], "");
    let (_, expression) = worded_bound(&worded);
    if plain(&worded) == plain(&bound) { bound } else { format!("{bound} ({})", code(expression)) }
}

/// An expectation as its scenario words it: which side it bounds, and by what.
fn worded_bound(worded: &str) -> (&str, &str) {
    let side =
        ["at most ", "at least "].into_iter().find(|side| worded.starts_with(side)).unwrap_or_default();
    (side, &worded[side.len()..])
}

fn code(expression: &str) -> String {
    format!("`{}`", expression.replace('`', "'"))
}

fn in_code(worded: &str) -> String {
    let (side, expression) = worded_bound(worded);
    format!("{side}{}", code(expression))
}

/// All claims, those of one wording over several cells in one line, and each that does not hold in its own.
pub(crate) fn table(claims: &[&Claim]) -> Option<String> {
    let claims: Vec<&Claim> = claims.iter().copied().filter(|claim| claim.expected.is_some()).collect();
    let mut groups: Vec<Vec<&Claim>> = Vec::new();
    let mut places: BTreeMap<_, usize> = BTreeMap::new();
    for claim in claims {
        if claim.held == Some(false) {
            groups.push(vec![claim]);
            continue;
        }
        let key = (&claim.strategy, &claim.metric, claim.clock, &claim.expected, claim.held);
        let at = *places.entry(key).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push(claim),
            None => groups.push(vec![claim]),
        }
    }
    let header = [
        ("strategy", Align::Left),
        ("cells", Align::Left),
        ("clock", Align::Left),
        ("claim", Align::Left),
        ("expected", Align::Left),
        ("measured", Align::Right),
        ("holds", Align::Left),
    ];
    let mut table = Table::new(header);
    for group in groups {
        let first = group[0];
        table.row([
            inline(&first.strategy),
            inline(&cells(&group)),
            first.clock.to_string(),
            first.metric.to_string(),
            // Over several cells the words are the same and the numbers are not.
            same(&group, expected).unwrap_or_else(|| in_code(first.expected.as_deref().unwrap_or_default())),
            same(&group, measured).unwrap_or_else(|| reach(&group)),
            held(first).to_owned(),
        ]);
    }
    (!table.is_empty()).then(|| table.render())
}

/// Which cells a line of claims is about.
fn cells(group: &[&Claim]) -> String {
    if let [claim] = group {
        return cell(claim);
    }
    let mut limits: Vec<usize> =
        group.iter().filter_map(|claim| claim.limit).map(NonZeroUsize::get).collect();
    limits.sort_unstable();
    limits.dedup();
    let mut variants: Vec<&str> = group.iter().filter_map(|claim| claim.variant.as_deref()).collect();
    variants.sort_unstable();
    variants.dedup();
    let mut seeds: Vec<u64> = group.iter().map(|claim| claim.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let mut parts = Vec::new();
    match variants.as_slice() {
        [] => {}
        [variant] => parts.push((*variant).to_owned()),
        variants => parts.push(format!("{} variants", variants.len())),
    }
    match limits.as_slice() {
        [] => {}
        [limit] => parts.push(format!("limit {limit}")),
        [first, .., last] => parts.push(format!("{} limits, {first} to {last}", limits.len())),
    }
    if seeds.len() > 1 {
        parts.push(format!("{} seeds", seeds.len()));
    }
    parts.join(", ")
}

/// Which cell a claim is about.
pub(crate) fn cell(claim: &Claim) -> String {
    let variant = claim.variant.clone();
    let limit = claim.limit.map(|limit| format!("limit {limit}"));
    let seed = (claim.seed != 1).then(|| format!("seed {}", claim.seed));
    [variant, limit, seed].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What is said of all of them, where it is the same.
fn same(group: &[&Claim], text: impl Fn(&Claim) -> String) -> Option<String> {
    let first = text(group[0]);
    group.iter().all(|claim| text(claim) == first).then_some(first)
}

/// From the least to the most that was measured.
fn reach(group: &[&Claim]) -> String {
    let value = |claim: &&&Claim| claim.measured.as_deref().and_then(|value| value.parse::<u64>().ok());
    let least = group.iter().min_by_key(value).map(|claim| measured(claim)).unwrap_or_default();
    let most = group.iter().max_by_key(value).map(|claim| measured(claim)).unwrap_or_default();
    format!("{least} to {most}")
}
