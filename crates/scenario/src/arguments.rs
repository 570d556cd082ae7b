//! Latencies and faults in a word each, as a command takes them.

use std::path::Path;

use fanout_simulation::{Answer, Latency, Rule, Which};
use thiserror::Error;

use crate::files::Files;
use crate::{text, work};

/// An argument that says no latency or no fault: what was found and what would fit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ArgumentError(String);

/// Reads a latency: `10ms`, `constant:10ms`, `uniform:5ms..20ms`, `exponential:10ms`, `log-normal:20ms,0.5` (median
/// and sigma) or `samples:FILE`. `files` finds the file.
///
/// # Errors
/// Says what was found and what would fit.
pub fn parse_latency(argument: &str, files: &dyn Files) -> Result<Latency, ArgumentError> {
    latency(argument, files).map_err(ArgumentError)
}

/// Reads which calls fail: `2%`, `every:50` (the first of each 50) or `every:2@3` (of each 2 at depth 3). They answer
/// with an error.
///
/// # Errors
/// Says what was found and what would fit.
pub fn parse_fault(argument: &str) -> Result<Rule, ArgumentError> {
    fault(argument).map_err(ArgumentError)
}

fn latency(argument: &str, files: &dyn Files) -> Result<Latency, String> {
    let unknown = || {
        format!(
            "found {argument:?}, expected a latency such as `10ms`, `uniform:5ms..20ms`, `exponential:10ms`, \
             `log-normal:20ms,0.5` or `samples:FILE`"
        )
    };
    let Some((form, rest)) = argument.split_once(':') else {
        text::duration(argument).map_err(|_| unknown())?;
        return Ok(Latency::constant(text::in_earnest(argument)?));
    };
    match form {
        "constant" => Ok(Latency::constant(text::in_earnest(rest)?)),
        "uniform" => {
            let (min, max) = rest.split_once("..").ok_or_else(|| {
                format!("found {rest:?}, expected the shortest and the longest, such as `uniform:5ms..20ms`")
            })?;
            Latency::uniform(text::in_earnest(min)?, text::in_earnest(max)?)
                .map_err(|error| error.to_string())
        }
        "exponential" => Latency::exponential(text::in_earnest(rest)?).map_err(|error| error.to_string()),
        "log-normal" => {
            let (median, sigma) = rest.split_once(',').ok_or_else(|| {
                format!("found {rest:?}, expected median and sigma, such as `log-normal:20ms,0.5`")
            })?;
            let sigma = sigma
                .trim()
                .parse()
                .map_err(|_| format!("found {sigma:?}, expected a number such as 0.5"))?;
            Latency::log_normal(text::in_earnest(median)?, sigma).map_err(|error| error.to_string())
        }
        "samples" => work::samples(Path::new(rest), files),
        _ => Err(unknown()),
    }
}

fn fault(argument: &str) -> Result<Rule, String> {
    let which = which(argument).ok_or_else(|| {
        format!("found {argument:?}, expected which calls fail, such as `2%`, `every:50` or `every:2@3`")
    })?;
    Rule::new(which, Answer::Error).map_err(|_| format!("found {argument:?}, expected from 0% to 100%"))
}

fn which(argument: &str) -> Option<Which> {
    if let Some(percent) = argument.strip_suffix('%') {
        return percent.parse().ok().map(|percent: f64| Which::Share(percent / 100.0));
    }
    let (nth, depth) = match argument.strip_prefix("every:")?.split_once('@') {
        Some((nth, depth)) => (nth, Some(depth.parse().ok()?)),
        None => (argument.strip_prefix("every:")?, None),
    };
    Some(Which::Every { nth: nth.parse().ok()?, depth })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;
    use std::time::Duration;

    use super::*;
    use crate::Folder;

    fn folder() -> Folder {
        Folder::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
    }

    fn median(argument: &str) -> Duration {
        parse_latency(argument, &folder()).unwrap().median()
    }

    #[test]
    fn each_form_of_latency_is_read() {
        assert_eq!(median("10ms"), Duration::from_millis(10));
        assert_eq!(median("0ms"), Duration::ZERO);
        assert_eq!(median("constant:1.5s"), Duration::from_millis(1_500));
        assert_eq!(median("uniform:5ms..20ms"), Duration::from_micros(12_500));
        assert_eq!(median("exponential:1s").as_millis(), 693);
        assert_eq!(median("log-normal:20ms,0.5"), Duration::from_millis(20));
        assert_eq!(median("samples:latencies.txt"), Duration::from_millis(12));
    }

    #[test]
    fn each_form_of_fault_is_read() {
        let every = |nth, depth| Which::Every { nth: NonZeroU32::new(nth).unwrap(), depth };
        for (argument, which) in [
            ("2%", Which::Share(0.02)),
            ("100%", Which::Share(1.0)),
            ("every:50", every(50, None)),
            ("every:2@3", every(2, Some(3))),
        ] {
            assert_eq!(parse_fault(argument), Ok(Rule::new(which, Answer::Error).unwrap()), "{argument}");
        }
    }

    #[test]
    fn arguments_that_cannot_be_read_say_what_would_fit() {
        let latencies = [
            "",
            "10",
            "-10ms",
            "10ms..20ms",
            "uniform:5ms",
            "uniform:20ms..5ms",
            "uniform:5..20",
            "exponential:0ms",
            "log-normal:20ms",
            "log-normal:20ms,x",
            "log-normal:20ms,-1",
            "samples:nowhere.txt",
            "samples:empty.txt",
            "samples:bad-latencies.txt",
            "normal:20ms",
            "400days",
        ];
        let faults =
            ["", "2", "%", "-2%", "101%", "nan%", "every:", "every:0", "every:-1", "every:2@", "every:2@x"];
        let mut messages = String::new();
        for argument in latencies {
            let error = parse_latency(argument, &folder()).expect_err(argument);
            messages += &format!("--latency {argument:?}\n    {error}\n");
        }
        for argument in faults {
            messages += &format!("--fail {argument:?}\n    {}\n", parse_fault(argument).expect_err(argument));
        }
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(messages) });
    }
}
