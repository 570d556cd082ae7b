use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use fanout_record::{Results, replace};
use fanout_report::{markdown_table, splice, write};

use super::Verdict;
use crate::args::ReportArgs;

/// Draws results folders, or fills in a document's tables from one.
pub(crate) fn report(args: &ReportArgs) -> Result<Verdict> {
    let results = args.results.iter().map(|path| Ok(Results::read(path)?)).collect::<Result<Vec<_>>>()?;
    if let Some(scenario) = &args.table {
        let table = markdown_table(only_one(&results)?, scenario)?;
        write!(anstream::stdout(), "{table}")?;
    } else if let Some(document) = &args.splice {
        fill_in(document, only_one(&results)?)?;
    } else {
        for path in write(&results, &args.out)? {
            writeln!(anstream::stdout(), "{}", path.display())?;
        }
    }
    Ok(Verdict::Fine)
}

fn only_one(results: &[Results]) -> Result<&Results> {
    match results {
        [results] => Ok(results),
        several => bail!("{} results folders were given, a table is made from one", several.len()),
    }
}

fn fill_in(document: &Path, results: &Results) -> Result<()> {
    let text =
        std::fs::read_to_string(document).with_context(|| format!("cannot read {}", document.display()))?;
    let filled = splice(&text, results).with_context(|| document.display().to_string())?;
    replace(document, |file| file.write_all(filled.as_bytes()))?;
    Ok(())
}
