//! Two binaries measured side by side: what disturbs the machine for a while disturbs both.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fanout_record::{Clock, Results, WriteError, Writer};
use indicatif::{ProgressBar, ProgressStyle};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tempfile::TempDir;

use crate::args::CompareArgs;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Base,
    Head,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }
}

/// Runs both binaries, and writes a results folder for each: `base` and `head` below `--out`.
///
/// The virtual clock is exact, so each runs on it once. On the wall clock each runs once a round, in an order drawn by
/// `--order-seed`: base, head, head, base, or the other way round.
pub(crate) fn measure(args: &CompareArgs) -> Result<(Results, Results)> {
    let Some(out) = &args.out else { bail!("`--paired` measures: say where the results go with `--out`") };
    for side in [Side::Base, Side::Head] {
        let path = out.join(side.name());
        if path.exists() {
            return Err(WriteError::Exists { path }.into());
        }
    }
    let rounds = Rounds { args, folder: TempDir::new().context("cannot make a folder for the rounds")? };
    let runs = if args.clock == Some(Clock::Virtual) { 0 } else { args.runs.get() };
    let exact = args.clock != Some(Clock::Wall);
    let order = order(runs, args.order_seed);
    let steps = order.len() + if exact { 2 } else { 0 };
    let bar = progress(steps as u64);
    let mut parts: Vec<(Side, u32, PathBuf)> = Vec::new();
    if exact {
        for side in [Side::Base, Side::Head] {
            bar.set_message(format!("{}, virtual clock", side.name()));
            parts.extend(rounds.run(side, Clock::Virtual, 1)?.map(|folder| (side, 1, folder)));
            bar.inc(1);
        }
    }
    for (at, side) in order.into_iter().enumerate() {
        let round = u32::try_from(at / 2 + 1).unwrap_or(u32::MAX);
        bar.set_message(format!("{}, wall clock", side.name()));
        parts.extend(rounds.run(side, Clock::Wall, round)?.map(|folder| (side, round, folder)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((join(Side::Base, &parts, out)?, join(Side::Head, &parts, out)?))
}

/// A bar on standard error; nothing where that is no terminal.
fn progress(steps: u64) -> ProgressBar {
    let bar = ProgressBar::new(steps);
    let style = ProgressStyle::with_template("{bar:24} {pos}/{len} runs, {elapsed} {wide_msg}")
        .expect("the template is well formed");
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

/// Who runs when: in each two rounds one is the outer and one the inner, so that a machine that slowly warms up or slows
/// down is neither's advantage.
fn order(runs: u32, seed: u64) -> Vec<Side> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut order = Vec::new();
    let (mut outer, mut inner) = (Side::Base, Side::Head);
    for round in 0..runs {
        if round % 2 == 0 {
            if rng.random_bool(0.5) {
                (outer, inner) = (inner, outer);
            }
            order.extend([outer, inner]);
        } else {
            order.extend([inner, outer]);
        }
    }
    order
}

struct Rounds<'a> {
    args: &'a CompareArgs,
    folder: TempDir,
}

impl Rounds<'_> {
    /// Has one binary measure its scenarios once on a clock; none where they have nothing on it.
    fn run(&self, side: Side, clock: Clock, round: u32) -> Result<Option<PathBuf>> {
        let binary = match side {
            Side::Base => &self.args.base,
            Side::Head => &self.args.head,
        };
        let out = self.folder.path().join(format!("{}-{clock}-{round}", side.name()));
        let mut command = Command::new(binary);
        command.arg("run").args(&self.args.scenarios).args(["--quiet", "--clock", &clock.to_string()]);
        if clock == Clock::Wall {
            command.args(["--runs", "1"]);
        }
        command.arg("--out").arg(&out).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let ended = command.output().with_context(|| format!("cannot run {}", binary.display()))?;
        let said = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            // Claims that do not hold are a result too.
            Some(0 | 3) => Ok(Some(out)),
            _ if said.contains("nothing to run") => Ok(None),
            _ => bail!("{} run: {}: {}", binary.display(), ended.status, said.trim()),
        }
    }
}

/// One side's rounds as one folder, each round's wall rows as the run of that number.
fn join(side: Side, parts: &[(Side, u32, PathBuf)], out: &Path) -> Result<Results> {
    let mut writer: Option<Writer> = None;
    let mut manifest = None;
    for (_, round, folder) in parts.iter().filter(|(of, ..)| *of == side) {
        let part = Results::read(folder)?;
        let joined = match &mut manifest {
            None => manifest.insert(part.manifest.clone()),
            Some(joined) => {
                for scenario in &part.manifest.scenarios {
                    if !joined.scenarios.iter().any(|known| known.name == scenario.name) {
                        joined.scenarios.push(scenario.clone());
                    }
                }
                joined
            }
        };
        let writer = match &mut writer {
            None => writer.insert(Writer::create(&out.join(side.name()), joined)?),
            Some(writer) => writer,
        };
        for row in &part.rows {
            let cell = row.cell();
            let mut bins: Vec<_> = part.timeline.iter().filter(|bin| bin.cell() == cell).cloned().collect();
            let mut own: Vec<_> =
                part.dependencies.iter().filter(|own| own.cell() == cell).cloned().collect();
            let mut row = row.clone();
            if cell.clock == Clock::Wall {
                row.run = *round;
                bins.iter_mut().for_each(|bin| bin.run = *round);
                own.iter_mut().for_each(|own| own.run = *round);
            }
            writer.cell(&row, &bins, &own)?;
        }
    }
    let (Some(mut writer), Some(manifest)) = (writer, manifest) else {
        bail!("the scenarios have nothing to run on that clock")
    };
    writer.manifest(&manifest)?;
    Ok(Results::read(writer.path())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_run_as_often_and_neither_first_each_time() {
        for seed in 0..50 {
            let order = order(10, seed);
            assert_eq!(order.iter().filter(|side| **side == Side::Base).count(), 10);
            for four in order.chunks(4) {
                assert!(four[0] == four[3] && four[1] == four[2] && four[0] != four[1], "{four:?}");
            }
        }
        assert_ne!(order(10, 1), order(10, 2));
        assert_eq!(order(10, 1), order(10, 1));
        assert!(order(0, 1).is_empty());
    }
}
