//! From what a file says to a scenario that can be run, or the first problem.

mod batch;
mod expect;
mod number;
mod strategy;
mod walk;
mod work;

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use fanout_record::{Axis, Clock};
use toml::Spanned;

use self::number::{distinct, positive, whole};
use crate::error::Problem;
use crate::files::Hashed;
use crate::scenario::{Scenario, StrategyFacts};
use crate::{raw, text};

/// More worker threads than this are a mistake.
const MAX_THREADS: u64 = 1_024;

const DEFAULT_THREADS: NonZeroUsize = NonZeroUsize::new(2).unwrap();
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
const DEFAULT_MEMORY: u64 = 4 << 30;
const DEFAULT_SEED: u64 = 1;

/// Where a file comes from, and what it may speak of.
#[derive(Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub name: &'a str,
    pub path: &'a Path,
    pub text: &'a str,
    pub files: &'a Hashed<'a>,
    pub known: &'a [StrategyFacts<'a>],
}

pub(crate) fn scenario(file: &raw::File, origin: Origin<'_>) -> Result<Scenario, Problem> {
    let clocks = match &file.clocks {
        Some(clocks) => distinct(clocks, "clock", |clock| Ok(*clock.get_ref()))?,
        None => vec![Clock::Virtual],
    };
    let memory = match &file.memory {
        Some(memory) => spanned(memory, text::size).and_then(|bytes| above_zero(memory, bytes))?,
        None => DEFAULT_MEMORY,
    };
    let setting = work::Setting { files: origin.files, memory, on_virtual: clocks.contains(&Clock::Virtual) };
    let variants = work::variants(file, &setting)?;
    let mut scenario = Scenario {
        name: origin.name.to_owned(),
        title: filled(&file.title)?,
        analysis: filled(&file.analysis)?,
        axis: Axis::None,
        seeds: match &file.seeds {
            Some(seeds) => distinct(seeds, "seed", |seed| whole(seed, 0..=u64::MAX))?,
            None => vec![DEFAULT_SEED],
        },
        limits: match &file.limits {
            Some(limits) => distinct(limits, "limit", |limit| positive(limit, u32::MAX.into()))?,
            None => Vec::new(),
        },
        wall_limits: Vec::new(),
        clocks,
        runs: match &file.runs {
            Some(runs) => positive(runs, u32::MAX.into())?,
            None => NonZeroU32::MIN,
        },
        threads: match &file.threads {
            Some(threads) => distinct(threads, "number of threads", |number| positive(number, MAX_THREADS))?,
            None => vec![DEFAULT_THREADS],
        },
        timeout: match &file.timeout {
            Some(timeout) => spanned(timeout, text::lasting)?,
            None => DEFAULT_TIMEOUT,
        },
        memory,
        variants,
        strategies: Vec::new(),
        hash: String::new(),
        definition: origin.text.to_owned(),
        path: origin.path.to_owned(),
    };
    scenario.wall_limits = strategy::wall_limits(file, &scenario)?;
    scenario.axis = axis(file, &scenario)?;
    scenario.strategies = strategy::plans(file, &scenario, origin)?;
    walk::heeded(file, &scenario, origin)?;
    expect::add(file, &mut scenario, origin)?;
    scenario.hash = origin.files.digest();
    Ok(scenario)
}

/// What the file says; else whatever there are several of.
fn axis(file: &raw::File, scenario: &Scenario) -> Result<Axis, Problem> {
    let (several_limits, several_variants) = (scenario.limits.len() > 1, scenario.variants.len() > 1);
    let Some(axis) = &file.axis else {
        return Ok(match (several_limits, several_variants) {
            (true, _) => Axis::Limit,
            (false, true) => Axis::Variant,
            (false, false) => Axis::None,
        });
    };
    let lacking = match axis.get_ref() {
        Axis::Limit if !several_limits => "several `limits`",
        Axis::Size | Axis::Variant if !several_variants => "several `[[variant]]` tables",
        fitting => return Ok(*fitting),
    };
    Err(Problem::at(axis.span(), format!("there is nothing to draw along this axis: it needs {lacking}")))
}

fn filled(text: &Spanned<String>) -> Result<String, Problem> {
    let trimmed = text.get_ref().trim();
    if trimmed.is_empty() {
        return Err(Problem::at(text.span(), "found nothing but white space, expected some words"));
    }
    Ok(trimmed.to_owned())
}

/// Reads words, and points at them if they cannot be read.
fn spanned<T>(words: &Spanned<String>, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Problem> {
    read(words.get_ref()).map_err(|problem| Problem::at(words.span(), problem))
}

fn above_zero(words: &Spanned<String>, bytes: u64) -> Result<u64, Problem> {
    if bytes == 0 {
        return Err(Problem::at(
            words.span(),
            format!("found {:?}, expected a size above zero", words.get_ref()),
        ));
    }
    Ok(bytes)
}

/// The stretch of the file that a problem is about; none for the file as a whole.
fn problem_at(span: Option<&Range<usize>>, text: String) -> Problem {
    match span {
        Some(span) => Problem::at(span.clone(), text),
        None => Problem::missing(text),
    }
}
