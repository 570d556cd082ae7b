//! Durations and sizes in words. The errors say what was found and what would fit, not where.

use std::time::Duration;

use bytesize::ByteSize;

/// A duration, `10ms` or `1.5s`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| match error {
        humantime::DurationError::NumberOverflow => {
            format!("found {text:?}, which is too long, or finer than a nanosecond")
        }
        _ => format!("found {text:?}, expected a duration such as \"10ms\" or \"1.5s\""),
    })
}

/// What no run could wait for, and the virtual clock's watchdog would take for the end.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A duration that something in a run can take.
pub(crate) fn in_earnest(text: &str) -> Result<Duration, String> {
    match duration(text)? {
        longer if longer > LONGEST => Err(format!("found {text:?}, expected a duration of at most 365days")),
        duration => Ok(duration),
    }
}

/// The same, and not zero.
pub(crate) fn lasting(text: &str) -> Result<Duration, String> {
    match in_earnest(text)? {
        Duration::ZERO => Err(format!("found {text:?}, expected a duration above zero")),
        duration => Ok(duration),
    }
}

/// A number of bytes, `200B` or `4GiB`. Without a unit it would be a guess, and so would one that is no byte.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let expected = || format!("found {text:?}, expected a size such as \"200B\", \"20KB\" or \"4GiB\"");
    if !text.ends_with('B') {
        return Err(expected());
    }
    match text.parse::<ByteSize>() {
        // What the parser makes of anything larger.
        Ok(ByteSize(u64::MAX)) => Err(format!("found {text:?}, expected a size below 16EiB")),
        Ok(ByteSize(bytes)) => Ok(bytes),
        Err(_) => Err(expected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_may_have_decimals_and_must_have_a_unit() {
        assert_eq!(duration("1.97s"), Ok(Duration::from_millis(1_970)));
        assert_eq!(duration("2m"), Ok(Duration::from_secs(120)));
        assert_eq!(duration("0s"), Ok(Duration::ZERO));
        for bad in ["", "10", "-10ms", "10 parsecs", "99999999999999999999s", "1e3ms", "NaNms"] {
            assert!(duration(bad).is_err(), "{bad:?}");
        }
        assert_eq!(in_earnest("365days"), Ok(LONGEST));
        assert!(in_earnest("366days").is_err());
        assert!(lasting("0ms").is_err() && lasting("366days").is_err());
    }

    #[test]
    fn sizes_may_have_decimals_and_must_name_bytes() {
        assert_eq!(size("200B"), Ok(200));
        assert_eq!(size("0.2MiB"), Ok(209_715));
        assert_eq!(size("20KB"), Ok(20_000));
        assert_eq!(size("4 GiB"), Ok(4 << 30));
        for bad in ["", "B", "200", "-200B", "20K", "20ms", "99999999999EB", "1.2.3KB", "infB"] {
            assert!(size(bad).is_err(), "{bad:?}");
        }
    }
}
