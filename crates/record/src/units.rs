//! How a value reads to a person. Files hold integers; tables, charts and words go through here.

use crate::columns::Unit;

impl Unit {
    /// The value with its unit, in three significant digits where it is not a count: `1.97 s`, `93.1 KiB`,
    /// `3,438`.
    #[must_use]
    pub fn show(self, value: u64) -> String {
        match self {
            Self::Count => grouped(value),
            Self::Nanoseconds => {
                scaled(value, &[(1, "ns"), (1_000, "us"), (1_000_000, "ms"), (1_000_000_000, "s")])
            }
            Self::Bytes => scaled(value, &[(1, "B"), (1 << 10, "KiB"), (1 << 20, "MiB"), (1 << 30, "GiB")]),
        }
    }
}

fn scaled(value: u64, units: &[(u64, &str)]) -> String {
    let (factor, name) = units.iter().rev().find(|(factor, _)| value >= *factor).unwrap_or(&units[0]);
    if *factor == 1 {
        return format!("{value} {name}");
    }
    let scaled = value as f64 / *factor as f64;
    // By what it is rounded to: 9.996 is 10.0, not 10.00.
    match scaled {
        ..9.995 => format!("{scaled:.2} {name}"),
        9.995..99.95 => format!("{scaled:.1} {name}"),
        _ => format!("{} {name}", grouped(scaled.round() as u64)),
    }
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_in_three_digits() {
        let time = |value| Unit::Nanoseconds.show(value);
        assert_eq!(time(0), "0 ns");
        assert_eq!(time(999), "999 ns");
        assert_eq!(time(1_968_000_000), "1.97 s");
        assert_eq!(time(39_060_000_000), "39.1 s");
        assert_eq!(time(328_000_000), "328 ms");
        assert_eq!(time(9_997_000_000), "10.0 s");
        assert_eq!(time(99_960_000_000), "100 s");
        assert_eq!(time(1_000_000_000_000), "1,000 s");
        let bytes = |value| Unit::Bytes.show(value);
        assert_eq!(bytes(93_000), "90.8 KiB");
        assert_eq!(bytes(5_767_168), "5.50 MiB");
        assert_eq!(Unit::Count.show(488_281), "488,281");
        assert_eq!(Unit::Count.show(100), "100");
    }
}
