//! What can be asked for on the command line.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use fanout_compare::Gating;
use fanout_record::Clock;

const EXAMPLES: &str = "\
Examples:
  fanout run 01-tree-guide                  the tree guide's table, measured
  fanout run --clock virtual                every scenario, exact and in seconds
  fanout run 08 --limit 7 --strategy semaphore-across-recursion
  find /usr/share | fanout run --tree-from - --limit 20
  fanout explain 08-deadlock semaphore-across-recursion
  fanout report results/2026-11-30T220000Z-1a2b3c4

  fanout compare results/base results/head --clock virtual

Exit status: 0 fine, 1 an error, 2 wrong usage, 3 a claim that does not hold or a change for the worse, 4 runs that
cannot be compared.";

/// Measures what async concurrency strategies really do.
#[derive(Debug, Parser)]
#[command(name = "fanout", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lists the scenarios and the strategies, a line each
    List,
    /// Runs scenarios, prints a summary and writes a results folder
    Run(Box<RunArgs>),
    /// Draws a results folder: SVG charts and Markdown
    Report(ReportArgs),
    /// Judges the claims of a results folder again
    Check(CheckArgs),
    /// Compares two results folders: what got better, and what worse
    Compare(CompareArgs),
    /// Shows one cell over time, and says in words what is to be seen
    Explain(ExplainArgs),
    /// Prints a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// How rows are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A summary for people
    Table,
    /// All rows as one array
    Json,
    /// All rows as in rows.csv
    Csv,
}

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Scenarios: names or the start of one, files, or folders; all compiled-in ones if none is given
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// Only these strategies
    #[arg(long = "strategy", value_name = "S", value_delimiter = ',')]
    pub(crate) strategies: Vec<String>,
    /// These limits instead of the scenario's
    #[arg(long = "limit", value_name = "N", value_delimiter = ',')]
    pub(crate) limits: Vec<NonZeroUsize>,
    /// Only this clock
    #[arg(long, value_parser = clock, value_name = "virtual|wall")]
    pub(crate) clock: Option<Clock>,
    /// So many runs of each cell on the wall clock
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<NonZeroU32>,
    /// These seeds instead of the scenario's
    #[arg(long = "seed", value_name = "N", value_delimiter = ',')]
    pub(crate) seeds: Vec<u64>,
    /// So many worker threads on the wall clock
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub(crate) threads: Vec<NonZeroUsize>,
    /// Leave the heap uncounted on the virtual clock: faster
    #[arg(long)]
    pub(crate) no_heap: bool,
    /// How long a cell may take, in real time
    #[arg(long, value_name = "D", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// How much memory a cell may use
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory: Option<u64>,
    /// Where the results go: a folder that does not exist or is empty
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How the rows are printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// No progress and no summary
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Walk the tree of a listing of paths, one a line; - is standard input
    #[arg(long, value_name = "PATH", conflicts_with = "scenarios")]
    pub(crate) tree_from: Option<PathBuf>,
    /// How long a call takes: 10ms, uniform:5ms..20ms, exponential:10ms, log-normal:20ms,0.5, samples:FILE
    #[arg(
        long,
        value_name = "LATENCY",
        requires = "tree_from",
        default_value_if("tree_from", clap::builder::ArgPredicate::IsPresent, "10ms")
    )]
    pub(crate) latency: Option<String>,
    /// Which calls fail: 2%, every:50, every:2@3 (the 1st, 3rd, 5th of level 3)
    #[arg(long = "fail", value_name = "FAULT", requires = "tree_from")]
    pub(crate) faults: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    /// Results folders
    #[arg(required = true, value_name = "RESULTS")]
    pub(crate) results: Vec<PathBuf>,
    /// Where the charts and pages go
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub(crate) out: PathBuf,
    /// Print one scenario's table in Markdown instead
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["out", "splice"])]
    pub(crate) table: Option<String>,
    /// Fill in the tables of this document instead, between its markers
    #[arg(long, value_name = "DOCUMENT", conflicts_with = "out")]
    pub(crate) splice: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The results folder
    #[arg(value_name = "RESULTS")]
    pub(crate) results: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// The results folder to compare with; with --paired, a binary
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// The results folder that is judged; with --paired, a binary
    #[arg(value_name = "HEAD")]
    pub(crate) head: PathBuf,
    /// Measure two builds of fanout first, in turns: BASE and HEAD are their binaries
    #[arg(long, requires = "out")]
    pub(crate) paired: bool,
    /// What they measure: scenarios as `fanout run` takes them; all if none is given
    #[arg(long = "scenario", value_name = "SCENARIO", value_delimiter = ',', requires = "paired")]
    pub(crate) scenarios: Vec<PathBuf>,
    /// How often each runs on the wall clock
    #[arg(long, value_name = "N", default_value = "10", requires = "paired")]
    pub(crate) runs: NonZeroU32,
    /// Whose turn it is is drawn from this
    #[arg(long, value_name = "N", default_value = "1", requires = "paired")]
    pub(crate) order_seed: u64,
    /// Where the results go: `base` and `head` below this folder
    #[arg(long, value_name = "DIR", requires = "paired")]
    pub(crate) out: Option<PathBuf>,
    /// Only this clock
    #[arg(long, value_parser = clock, value_name = "virtual|wall")]
    pub(crate) clock: Option<Clock>,
    /// What ends the command with status 3: the virtual clock alone, or the wall clock too
    #[arg(long, value_enum)]
    pub(crate) gate: Option<GateOn>,
    /// What makes a difference a change: a file such as scenarios/gate.toml, which is compiled in
    #[arg(long, value_name = "FILE")]
    pub(crate) tolerances: Option<PathBuf>,
    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    pub(crate) format: CompareFormat,
    /// Draw each ratio with its interval into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Show runs that cannot be compared, unjudged
    #[arg(long)]
    pub(crate) force: bool,
}

/// What a comparison stops a change by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GateOn {
    /// The virtual clock alone, if nothing is said
    Virtual,
    /// The wall clock too
    Wall,
}

impl From<GateOn> for Gating {
    fn from(on: GateOn) -> Self {
        match on {
            GateOn::Virtual => Self::Virtual,
            GateOn::Wall => Self::Wall,
        }
    }
}

/// How a comparison is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompareFormat {
    /// A summary for people
    Table,
    /// A pull request's comment
    Markdown,
    /// All of it
    Json,
    /// The head's values in Bencher Metric Format
    Bencher,
    /// The head's values as customSmallerIsBetter of github-action-benchmark
    BenchmarkAction,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// The scenario: a name or the start of one, or a file
    #[arg(value_name = "SCENARIO")]
    pub(crate) scenario: PathBuf,
    /// The strategy
    #[arg(value_name = "STRATEGY")]
    pub(crate) strategy: String,
    /// The limit; the scenario's first if not given
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<NonZeroUsize>,
    /// The seed; the scenario's first if not given
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The variant; the scenario's first if not given
    #[arg(long, value_name = "NAME")]
    pub(crate) variant: Option<String>,
    /// Draw the timeline into this file too
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

fn clock(text: &str) -> Result<Clock, String> {
    text.parse().map_err(|_| "expected virtual or wall".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("expected a duration above zero".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) => Err("expected a duration such as 500ms or 2m".to_owned()),
    }
}

fn size(text: &str) -> Result<u64, String> {
    match text.parse::<bytesize::ByteSize>() {
        Ok(size) if text.ends_with('B') && size.as_u64() > 0 => Ok(size.as_u64()),
        _ => Err("expected a size above zero such as 512MiB or 4GiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Args::command().debug_assert();
    }
}
