//! What a cell's process may use, and what it used.

use nix::sys::resource::{Resource, setrlimit};

/// Keeps a crash from leaving a core file behind: a crash is a row here, not something to debug.
pub(crate) fn no_core_dump() {
    // Refused, it costs disk space and no result.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
}

/// Ends this process once it uses more than so much memory: address space where the system enforces that, so that the
/// allocation fails that goes too far.
#[cfg(target_os = "linux")]
pub(crate) fn limit_memory(bytes: u64) -> std::io::Result<()> {
    Ok(setrlimit(Resource::RLIMIT_AS, bytes, bytes)?)
}

/// Ends this process once it uses more than so much memory: resident memory, looked at every 20 ms, where the system
/// does not enforce a limit itself.
#[cfg(not(target_os = "linux"))]
pub(crate) fn limit_memory(bytes: u64) -> std::io::Result<()> {
    std::thread::Builder::new().name("memory limit".into()).spawn(move || {
        loop {
            let used = memory_stats::memory_stats().map_or(0, |stats| stats.physical_mem as u64);
            if used > bytes {
                eprintln!("memory use of {used} bytes exceeded the limit");
                std::process::abort();
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    })?;
    Ok(())
}

/// The process's own high-water mark of resident memory. Not `ru_maxrss`: on Linux a child starts with its parent's.
#[cfg(target_os = "linux")]
pub(crate) fn rss_peak_bytes() -> Option<u64> {
    let status = procfs::process::Process::myself().ok()?.status().ok()?;
    status.vmhwm.map(|kib| kib * 1024)
}

/// The process's own high-water mark of resident memory; elsewhere than on Linux `ru_maxrss` is that, in bytes.
#[cfg(not(target_os = "linux"))]
pub(crate) fn rss_peak_bytes() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    u64::try_from(usage.max_rss()).ok()
}
