use std::io::Write;

use anyhow::Result;
use fanout_record::Results;

use super::Verdict;
use crate::args::CheckArgs;
use crate::summary::{Tally, not_held};

/// Judges the claims of a results folder again, from its rows.
pub(crate) fn check(args: &CheckArgs) -> Result<Verdict> {
    let mut results = Results::read(&args.results)?;
    for claim in &mut results.claims {
        claim.judge(&results.rows, &results.dependencies);
    }
    let tally = Tally::of(&results.claims);
    let mut out = anstream::stdout();
    for claim in results.claims.iter().filter(|claim| claim.held == Some(false)) {
        writeln!(out, "{}", not_held(claim))?;
    }
    writeln!(out, "{tally}")?;
    Ok(tally.verdict())
}
