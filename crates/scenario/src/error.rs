use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::{keys, names};

/// Why there is no scenario.
#[derive(Debug, Error)]
pub enum ScenarioError {
    /// The file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder holds no scenario.
    #[error("{} holds no scenario: found no file that ends in .toml", path.display())]
    NoScenario {
        /// The folder.
        path: PathBuf,
    },
    /// The file's stem is the scenario's name, and this one is no text.
    #[error("{}: the name of a scenario is its file's, and this one is no UTF-8", path.display())]
    Nameless {
        /// The file.
        path: PathBuf,
    },
    /// Two files give their scenarios the same name.
    #[error("{} and {} are both scenario {name:?}: rename one of the files", first.display(), second.display())]
    Duplicate {
        /// The name.
        name: String,
        /// The file met first.
        first: PathBuf,
        /// The file met second.
        second: PathBuf,
    },
    /// The file is not what it should be.
    #[error("{}{}: {}{problem}", path.display(), show_place(place.as_ref()), show_key(key.as_deref()))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Where in it, unless something is missing from the file as a whole.
        place: Option<Place>,
        /// The key, from the file's top: `strategy.queue-workers.runs`.
        key: Option<String>,
        /// What was found and what would fit.
        problem: String,
    },
}

/// A place in a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The character within the line, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte, which may be the one after the last.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

fn show_place(place: Option<&Place>) -> String {
    place.map(|place| format!(":{place}")).unwrap_or_default()
}

fn show_key(key: Option<&str>) -> String {
    key.map(|key| format!("{key}: ")).unwrap_or_default()
}

/// What is wrong, and where in the text. It becomes an error once it meets the text.
#[derive(Debug)]
pub(crate) struct Problem {
    /// None: the file as a whole lacks something.
    span: Option<Range<usize>>,
    text: String,
}

impl Problem {
    pub(crate) fn at(span: Range<usize>, text: impl Into<String>) -> Self {
        Self { span: Some(span), text: text.into() }
    }

    pub(crate) fn missing(text: impl Into<String>) -> Self {
        Self { span: None, text: text.into() }
    }

    pub(crate) fn into_error(self, path: &Path, text: &str) -> ScenarioError {
        let key = self.span.as_ref().and_then(|span| keys::at(text, span.start));
        ScenarioError::Invalid {
            path: path.to_owned(),
            place: self.span.map(|span| Place::of(text, span.start)),
            key,
            problem: self.text,
        }
    }
}

impl Problem {
    /// The parser's own error, in the words of a file rather than of its types.
    pub(crate) fn of_parser(error: &toml::de::Error, text: &str) -> Self {
        // What is missing at the file's top is missing from the file as a whole.
        let span = error.span().filter(|span| keys::root(text).as_ref() != Some(span));
        Self { span, text: reworded(error.message()) }
    }
}

/// What messages begin with, and what they shall begin with.
const BEGINNINGS: [(&str, &str); 9] = [
    ("missing field", "missing key"),
    ("unknown field", "unknown key"),
    ("unknown variant", "unknown name"),
    ("invalid type: map", "found a table"),
    ("invalid type: sequence", "found an array"),
    ("invalid type: ", "found the "),
    ("invalid value: ", "found the "),
    ("wanted string or table", "found neither a string nor a table"),
    ("integer number overflowed", "found a whole number that is too large for any key"),
];

fn reworded(message: &str) -> String {
    let begun = BEGINNINGS.iter().find_map(|(theirs, ours)| Some((ours, message.strip_prefix(theirs)?)));
    let Some((ours, rest)) = begun else {
        return message.to_owned();
    };
    let hint = if ours.starts_with("unknown") { hint(rest) } else { String::new() };
    match rest.strip_suffix("expected a sequence") {
        Some(rest) => format!("{ours}{rest}expected an array"),
        None => format!("{ours}{rest}{hint}"),
    }
}

/// The name that may have been meant, out of "`found`, expected one of `this`, `that`".
fn hint(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let found = names.next().unwrap_or_default();
    let known: Vec<&str> = names.collect();
    names::hint(found, &known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let text = "a\nbü = 1\r\nc";
        let place = |offset| (Place::of(text, offset).line, Place::of(text, offset).column);
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(text.find('=').unwrap()), (2, 4));
        assert_eq!(place(text.find('c').unwrap()), (3, 1));
        assert_eq!(place(text.len()), (3, 2));
    }

    #[test]
    fn a_hint_is_the_likeliest_name() {
        let message = "unknown field `branchng`, expected `branching` or `depth`";
        assert!(reworded(message).ends_with("expected `branching` or `depth`, did you mean `branching`?"));
        assert_eq!(reworded("missing field `title`"), "missing key `title`");
        assert_eq!(reworded("invalid type: map, expected a sequence"), "found a table, expected an array");
    }
}
