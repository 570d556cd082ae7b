use anyhow::Result;
use clap::CommandFactory;
use clap_complete::{Shell, generate};

use super::Verdict;
use crate::args::Args;

/// Prints the completion script of a shell.
pub(crate) fn completions(shell: Shell) -> Result<Verdict> {
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    generate(shell, &mut Args::command(), "fanout", &mut script);
    std::io::Write::write_all(&mut std::io::stdout().lock(), &script)?;
    Ok(Verdict::Fine)
}
