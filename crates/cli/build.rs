//! Writes into the binary what it was built from: a results folder's manifest says so.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // All that goes into the binary, and where the commit is written down.
    for path in ["Cargo.lock", "Cargo.toml", "crates", "scenarios", ".git/HEAD", ".git/index"] {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
    }
    let git = |arguments: &[&str]| said(Command::new("git").current_dir(&root).args(arguments));
    let commit = git(&["rev-parse", "HEAD"]).unwrap_or_default();
    let sources = ["status", "--porcelain", "--", "Cargo.lock", "Cargo.toml", "crates", "scenarios"];
    let dirty = git(&sources).is_some_and(|changes| !changes.is_empty());
    let lock = std::fs::read(root.join("Cargo.lock")).unwrap_or_default();
    let rustc = std::env::var_os("RUSTC").and_then(|rustc| said(Command::new(rustc).arg("--version")));
    let variable = |name| std::env::var(name).unwrap_or_default();

    println!("cargo::rustc-env=FANOUT_COMMIT={commit}");
    println!("cargo::rustc-env=FANOUT_DIRTY={dirty}");
    println!("cargo::rustc-env=FANOUT_LOCK_HASH={:016x}", xxhash_rust::xxh3::xxh3_64(&lock));
    println!("cargo::rustc-env=FANOUT_RUSTC={}", rustc.unwrap_or_default());
    println!("cargo::rustc-env=FANOUT_TARGET={}", variable("TARGET"));
    println!("cargo::rustc-env=FANOUT_PROFILE={}", variable("PROFILE"));
}

/// What a command printed; `None` where it failed or is not there.
fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
