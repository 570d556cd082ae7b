//! One file a subcommand.

mod check;
mod compare;
mod completions;
mod explain;
mod list;
mod report;
mod run;

pub(crate) use check::check;
pub(crate) use compare::compare;
pub(crate) use completions::completions;
pub(crate) use explain::explain;
pub(crate) use list::list;
pub(crate) use report::report;
pub(crate) use run::run;

/// What a command came to, where it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All is as it should be.
    Fine,
    /// It was told to stop; what was finished is kept.
    Interrupted,
    /// A claim does not hold, or something got worse.
    NotHeld,
    /// Two runs cannot be compared.
    Incomparable,
}
