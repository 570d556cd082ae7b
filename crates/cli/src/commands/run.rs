use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use fanout_harness::{Choice, Plan, Registry, claims};
use fanout_record::{Claim, Row, Writer};

use super::Verdict;
use crate::adhoc::AdHoc;
use crate::args::{Format, RunArgs};
use crate::progress::Progress;
use crate::summary::{Tally, not_held, summary};
use crate::{manifest, select};

/// Runs scenarios into a results folder.
pub(crate) fn run(args: &RunArgs, registry: &Registry) -> Result<Verdict> {
    // Kept to the end: the cells read its files.
    let adhoc = args.tree_from.as_deref().map(|from| AdHoc::new(from, args, registry)).transpose()?;
    let origins = match &adhoc {
        Some(adhoc) => vec![adhoc.origin.clone()],
        None => select::scenarios(&args.scenarios, registry)?,
    };
    let plan = Plan::new(origins, &choice(args), registry)?;
    let out = match &args.out {
        Some(out) => out.clone(),
        None => PathBuf::from("results").join(manifest::folder_name()),
    };
    let mut manifest = manifest::manifest(&plan);
    let mut writer = Writer::create(&out, &manifest)?;
    let mut progress = Progress::new(plan.cells.len(), args.quiet);
    let finished = fanout_harness::run(&plan, &mut writer, &mut progress);
    progress.finish();
    let finished = finished?;

    let claims = claims(&plan, &finished.rows, &finished.dependencies);
    writer.claims(&claims)?;
    if finished.interrupted {
        manifest.interrupted = true;
        writer.manifest(&manifest)?;
    }
    let tally = Tally::of(&claims);
    print(args, &plan, &finished.rows, &claims)?;
    say_where(args, &out)?;
    if finished.interrupted {
        let (done, all) = (finished.rows.len(), plan.cells.len());
        anstream::eprintln!("fanout: stopped after {done} of {all} cells; those that ended are kept");
        return Ok(Verdict::Interrupted);
    }
    Ok(tally.verdict())
}

fn choice(args: &RunArgs) -> Choice {
    Choice {
        strategies: args.strategies.clone(),
        limits: args.limits.clone(),
        clock: args.clock,
        runs: args.runs,
        seeds: args.seeds.clone(),
        threads: args.threads.clone(),
        no_heap: args.no_heap,
        timeout: args.timeout,
        memory: args.memory,
    }
}

fn print(args: &RunArgs, plan: &Plan, rows: &[Row], claims: &[Claim]) -> io::Result<()> {
    let mut out = BufWriter::new(anstream::stdout());
    match args.format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut out, rows)?;
            writeln!(out)?;
        }
        Format::Csv => {
            let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(&mut out);
            table.write_record(Row::HEADER).map_err(of_the_output)?;
            for row in rows {
                table.serialize(row).map_err(of_the_output)?;
            }
            table.flush()?;
            drop(table);
        }
        Format::Table if args.quiet => {}
        Format::Table => {
            for origin in &plan.origins {
                writeln!(out, "{}", summary(&origin.scenario, rows, claims))?;
            }
            for claim in claims.iter().filter(|claim| claim.held == Some(false)) {
                writeln!(out, "{}", not_held(claim))?;
            }
            writeln!(out, "{}", Tally::of(claims))?;
        }
    }
    out.flush()
}

/// The error of the writer below, of which `io::Error::from` would hide the kind.
fn of_the_output(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Last of all, where the results are; beside output that is for a program, not in it.
fn say_where(args: &RunArgs, out: &Path) -> io::Result<()> {
    match args.format {
        Format::Table => writeln!(anstream::stdout(), "{}", out.display())?,
        Format::Json | Format::Csv => writeln!(anstream::stderr(), "{}", out.display())?,
    }
    Ok(())
}
