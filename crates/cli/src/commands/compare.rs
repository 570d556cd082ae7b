use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use fanout_compare::{
    Comparison, Gate, Gating, Options, Refusal, bencher, benchmark_action, compare as compared, json,
    markdown,
};
use fanout_record::{ReadError, Results, replace};

use super::Verdict;
use crate::args::{CompareArgs, CompareFormat};
use crate::{builtin, difference, paired};

/// Compares two results folders, or two builds that it has measured first.
pub(crate) fn compare(args: &CompareArgs) -> Result<Verdict> {
    let gate = gate(args.tolerances.as_deref())?;
    let (base, head) = match (args.paired, Results::read(&args.base), Results::read(&args.head)) {
        (true, ..) => paired::measure(args)?,
        (_, Err(other @ ReadError::OtherSchema { .. }), _)
        | (_, _, Err(other @ ReadError::OtherSchema { .. })) => {
            anstream::eprintln!("fanout: cannot be compared: {other}");
            return Ok(Verdict::Incomparable);
        }
        (_, base, head) => (base?, head?),
    };
    let options = Options {
        clock: args.clock,
        gating: args.gate.map_or(Gating::Virtual, Into::into),
        force: args.force,
    };
    match compared(&base, &head, &gate, options) {
        Ok(comparison) => print(args, &comparison, &head),
        Err(refusals) => Ok(refuse(&refusals)),
    }
}

/// What makes a difference a change: the file's word, or that of the gate that came with the binary.
fn gate(path: Option<&Path>) -> Result<Gate> {
    let Some(path) = path else {
        return Gate::parse(builtin::gate()).context("the gate that comes with fanout");
    };
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    Gate::parse(&text).with_context(|| path.display().to_string())
}

fn print(args: &CompareArgs, comparison: &Comparison, head: &Results) -> Result<Verdict> {
    let text = match args.format {
        CompareFormat::Table => difference::table(comparison),
        CompareFormat::Markdown => markdown(comparison),
        CompareFormat::Json => json(comparison),
        CompareFormat::Bencher => bencher(head),
        CompareFormat::BenchmarkAction => benchmark_action(head),
    };
    if let Some(path) = &args.svg {
        let title = comparison.to_string();
        let caption = format!("{} against {}", args.head.display(), args.base.display());
        let svg = fanout_report::ratios_svg(&title, &caption, &difference::ratios(comparison));
        replace(path, |file| file.write_all(svg.as_bytes())).context("cannot write the chart")?;
    }
    write!(anstream::stdout(), "{text}")?;
    Ok(if comparison.stops() { Verdict::NotHeld } else { Verdict::Fine })
}

fn refuse(refusals: &[Refusal]) -> Verdict {
    let reasons: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    let reasons = reasons.join("; ");
    anstream::eprintln!(
        "fanout: cannot be compared: {reasons} (`--force` shows them all the same, unjudged)"
    );
    Verdict::Incomparable
}
