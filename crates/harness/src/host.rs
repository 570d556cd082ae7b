use std::num::NonZeroUsize;

use fanout_record::Host;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

/// The machine that this runs on.
#[must_use]
pub fn host() -> Host {
    let system = System::new_with_specifics(RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing()));
    let cpu = system.cpus().first().map_or("unknown", |cpu| cpu.brand()).trim();
    Host {
        cpu: if cpu.is_empty() { "unknown".to_owned() } else { cpu.to_owned() },
        cores: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        governor: governor(),
        kernel: System::kernel_long_version(),
    }
}

/// The first core's frequency governor, where the system has one and says so.
fn governor() -> Option<String> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").ok()?;
    Some(text.trim().to_owned())
}
