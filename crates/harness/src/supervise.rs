//! One cell's process, seen from its parent: whatever happens in it, there is a row at the end.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use fanout_record::{Bin, CellId, DependencyRow, Outcome, Row, WorkloadKind};
use nix::sys::signal::Signal;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

use crate::child::{CELL, Report, Task};

/// How much of a process's standard error is kept: its end, where a crash says why.
const STDERR_KEPT: usize = 16 * 1024;

/// A measured cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellReport {
    /// Its results.
    pub row: Row,
    /// What happened when; empty where its process did not live to tell.
    pub timeline: Vec<Bin>,
    /// What each dependency of a batch saw; empty for other work, and where its process did not live to tell.
    pub dependencies: Vec<DependencyRow>,
    /// Who holds and who waits, of a cell that is deadlocked.
    pub deadlock: Option<String>,
}

/// Runs a cell in a fresh process of the binary `exe`. Dropping the future ends the process.
///
/// # Errors
///
/// No process can be started. What goes wrong within one is a row.
pub(crate) async fn run_cell(
    exe: &Path,
    task: &Task,
    workload: WorkloadKind,
    timeout: Duration,
) -> io::Result<CellReport> {
    let start = Instant::now();
    let mut child = Command::new(exe)
        .env(CELL, "1")
        // A backtrace is read by nobody here, and what it allocates would be counted as the walk's.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        // A terminal's interrupt goes to a whole group: this process hears it and ends its cells itself, and none of
        // them dies first and looks like a crash.
        .process_group(0)
        .spawn()?;
    // Until the end of this function: its closing tells the child that its parent is gone.
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let mut line = serde_json::to_vec(task)?;
    line.push(b'\n');

    let talk = async {
        // A child that died before it read its task says why in its exit status.
        let _ = stdin.write_all(&line).await;
        conversation(&mut child).await
    };
    let ended = tokio::time::timeout(timeout, talk).await;
    let died = |outcome, reason: String| {
        let mut row = Row::new(task.cell.clone(), workload, outcome);
        row.reason = Some(reason);
        row.real_ns = u64::try_from(start.elapsed().as_nanos()).ok();
        CellReport { row, timeline: Vec::new(), dependencies: Vec::new(), deadlock: None }
    };
    let Ok(ended) = ended else {
        child.kill().await?;
        let reason = format!("still running at the cell's time limit of {timeout:?}");
        return Ok(died(Outcome::TimedOut, reason));
    };
    let Ended { status, stdout, stderr } = ended?;
    Ok(match answer(&task.cell, status, &stdout) {
        Some(Report { row, timeline, dependencies, deadlock }) => {
            CellReport { row, timeline, dependencies, deadlock }
        }
        None => died(Outcome::Crashed, crash_reason(status, &stderr, task.memory_bytes)),
    })
}

struct Ended {
    status: ExitStatus,
    stdout: Vec<u8>,
    stderr: String,
}

async fn conversation(child: &mut Child) -> io::Result<Ended> {
    let mut stdout = child.stdout.take().expect("standard output is piped");
    let stderr = child.stderr.take().expect("standard error is piped");
    let mut answer = Vec::new();
    let (read, stderr) = tokio::join!(stdout.read_to_end(&mut answer), end_of(stderr));
    read?;
    Ok(Ended { status: child.wait().await?, stdout: answer, stderr: stderr? })
}

/// Reads to the end and keeps the last of it.
async fn end_of(mut from: impl AsyncRead + Unpin) -> io::Result<String> {
    let mut kept = Vec::new();
    while from.read_buf(&mut kept).await? > 0 {
        let excess = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..excess);
    }
    Ok(String::from_utf8_lossy(&kept).into_owned())
}

/// The report of a process that ended well, about the cell that it was asked for.
fn answer(cell: &CellId, status: ExitStatus, stdout: &[u8]) -> Option<Report> {
    let report: Report = serde_json::from_slice(stdout).ok()?;
    (status.success() && report.row.cell() == *cell).then_some(report)
}

/// Why a process died, in a line. An abort, an overflow and a failed allocation all end in the same signal; what tells
/// them apart is what the runtime wrote last.
fn crash_reason(status: ExitStatus, stderr: &str, memory: u64) -> String {
    let limit = bytesize::ByteSize::b(memory).display().iec();
    let told = |line: &str| {
        if line.contains("has overflowed its stack") {
            Some("stack overflow".to_owned())
        } else if line.contains("memory allocation of") || line.contains("exceeded the limit") {
            Some(format!("{}, under a limit of {limit}", line.trim()))
        } else {
            None
        }
    };
    let lines: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).collect();
    if let Some(reason) = lines.iter().find_map(|line| told(line)) {
        return reason;
    }
    if let Some(at) = lines.iter().position(|line| line.contains("panicked at")) {
        let message = lines.get(at + 1).copied().unwrap_or_default();
        return format!("panicked: {message}");
    }
    let ended = how_it_ended(status);
    lines.last().map_or_else(|| ended.clone(), |line| format!("{ended}: {}", line.trim()))
}

#[cfg(unix)]
fn how_it_ended(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status.signal().map(Signal::try_from) {
        Some(Ok(signal)) => format!("ended by {signal}"),
        _ => status.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    fn reason(stderr: &str) -> String {
        crash_reason(ExitStatus::from_raw(6), stderr, 1 << 30)
    }

    #[test]
    fn a_crash_is_told_by_what_was_written_last() {
        assert_eq!(
            reason(
                "\nthread 'main' (7) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n"
            ),
            "stack overflow"
        );
        assert_eq!(
            reason("memory allocation of 4096 bytes failed\n"),
            "memory allocation of 4096 bytes failed, under a limit of 1.0 GiB"
        );
        assert_eq!(
            reason("\nthread 'main' panicked at src/lib.rs:1:1:\nboom\nnote: run with `RUST_BACKTRACE=1`\n"),
            "panicked: boom"
        );
        assert_eq!(reason(""), "ended by SIGABRT");
        assert_eq!(reason("free(): invalid pointer\n"), "ended by SIGABRT: free(): invalid pointer");
    }

    #[tokio::test]
    async fn only_the_end_of_what_was_written_is_kept() {
        let long = "x".repeat(100_000) + "the end";
        let kept = end_of(long.as_bytes()).await.expect("memory can be read");
        assert_eq!(kept.len(), STDERR_KEPT);
        assert!(kept.ends_with("the end"));
    }
}
