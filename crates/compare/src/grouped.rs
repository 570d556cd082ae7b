//! Many changes of one kind as one: a task too many shows in every cell of a strategy.

use fanout_record::{CellId, Clock};

use crate::exact::{Change, What};

/// All changes of one metric of one strategy for the better, or for the worse.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// The changes, in the order of their cells.
    pub changes: Vec<&'a Change>,
}

impl<'a> Group<'a> {
    /// Groups changes: those that count and are for the worse first, of them outcomes first, then what shows in most
    /// cells.
    pub(crate) fn all(changes: &'a [Change]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for change in changes {
            match groups.iter_mut().find(|group| group.is_of(change)) {
                Some(group) => group.changes.push(change),
                None => groups.push(Self { changes: vec![change] }),
            }
        }
        groups.sort_by_key(|group| {
            let first = group.first();
            let metric = matches!(first.what, What::Metric { .. });
            (!(first.worse && first.gated), !first.worse, metric, usize::MAX - group.changes.len())
        });
        groups
    }

    /// Any of them, for what they have in common.
    #[must_use]
    pub fn first(&self) -> &'a Change {
        self.changes[0]
    }

    /// The one that changed most, by its share.
    #[must_use]
    pub fn greatest(&self) -> &'a Change {
        let share = |change: &Change| match change.what {
            What::Outcome { .. } => f64::INFINITY,
            What::Metric { base, head, .. } => base.abs_diff(head) as f64 / base.max(1) as f64,
        };
        // Of equal ones the first, which `max_by` would not give.
        self.changes
            .iter()
            .copied()
            .reduce(|most, next| if share(next) > share(most) { next } else { most })
            .unwrap_or(self.first())
    }

    fn is_of(&self, change: &Change) -> bool {
        let first = self.first();
        first.cell.strategy == change.cell.strategy
            && first.cell.clock == change.cell.clock
            && first.name() == change.name()
            && (first.worse, first.gated) == (change.worse, change.gated)
    }
}

impl std::fmt::Display for Group<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (greatest, count) = (self.greatest(), self.changes.len());
        let strategy = &greatest.cell.strategy;
        let whereabouts = place(&greatest.cell);
        write!(f, "{strategy}: {} {} in {whereabouts}", greatest.name(), greatest.what)?;
        match count {
            1 => Ok(()),
            2 => f.write_str(", and so in 1 more cell"),
            _ => write!(f, ", and so in {} more cells", count - 1),
        }
    }
}

/// A cell without its strategy, as people say it.
pub(crate) fn place(cell: &CellId) -> String {
    let mut parts = vec![cell.scenario.clone()];
    parts.extend(cell.variant.as_ref().map(|variant| format!("variant {variant}")));
    parts.extend(cell.limit.map(|limit| format!("limit {limit}")));
    parts.push(format!("seed {}", cell.seed));
    if cell.clock == Clock::Wall {
        parts.push(if cell.threads.get() == 1 {
            "1 thread".to_owned()
        } else {
            format!("{} threads", cell.threads)
        });
    }
    parts.push(format!("{} clock", cell.clock));
    parts.join(", ")
}
