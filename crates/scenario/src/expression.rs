use std::fmt;

use fanout_record::Unit;

use crate::names::unit_words;
use crate::text;

/// What a metric is expected to be, in terms of other things: `limit + 1`, `1.03 * virtual`, `levels * latency`.
///
/// Numbers, quantities (`1.97s`, `0.2MiB`) and names, joined by `*`, `+` and `-` with spaces around them; `*` binds
/// tighter. Units are checked when it is read: a time and a size do not add up.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// As it was written.
    text: String,
    /// Summed up.
    terms: Vec<Term>,
}

#[derive(Debug, Clone, PartialEq)]
struct Term {
    negative: bool,
    /// Multiplied.
    factors: Vec<Factor>,
}

#[derive(Debug, Clone, PartialEq)]
enum Factor {
    Number(f64),
    Name(String),
}

impl Expression {
    /// The names in it, as often as they stand in it.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().flat_map(|term| &term.factors).filter_map(|factor| match factor {
            Factor::Number(_) => None,
            Factor::Name(name) => Some(name.as_str()),
        })
    }

    /// Its value in the metric's unit: nanoseconds, bytes or a count; rounded to the nearest, and 0 where it would be
    /// negative. None when a name has no value.
    pub fn evaluate(&self, lookup: &dyn Fn(&str) -> Option<f64>) -> Option<u64> {
        let mut sum = 0.0;
        for term in &self.terms {
            let mut product = if term.negative { -1.0 } else { 1.0 };
            for factor in &term.factors {
                product *= match factor {
                    Factor::Number(number) => *number,
                    Factor::Name(name) => lookup(name)?,
                };
            }
            sum += product;
        }
        // The cast ends at 0 below and at the largest number above.
        Some(sum.round() as u64)
    }

    /// Its value where it depends on nothing.
    pub(crate) fn constant(&self) -> Option<u64> {
        self.evaluate(&|_| None)
    }

    /// Reads an expression of a metric that counts in `unit`. `resolve` says what a name counts in, or why it does
    /// not fit.
    pub(crate) fn parse(
        text: &str,
        unit: Unit,
        resolve: &dyn Fn(&str) -> Result<Unit, String>,
    ) -> Result<Self, Misfit> {
        let mut tokens = tokens(text);
        let mut terms = Vec::new();
        let mut reading = Reading::default();
        let mut negative = false;
        loop {
            let Some((start, token)) = tokens.next() else {
                return Err(Misfit::new(text.len(), "found the end, expected a number or a name"));
            };
            reading.multiply(start, token, resolve)?;
            let next = tokens.next();
            if let Some((_, "*")) = next {
                continue;
            }
            let read = std::mem::take(&mut reading);
            if read.unit != unit {
                let part = &text[read.start..start + token.len()];
                return Err(Misfit::new(read.start, wrong_unit(part, read.unit, unit)));
            }
            terms.push(Term { negative, factors: read.factors });
            negative = match next {
                None => return Ok(Self { text: text.to_owned(), terms }),
                Some((_, "+")) => false,
                Some((_, "-")) => true,
                Some((at, other)) => {
                    return Err(Misfit::new(at, format!("found `{other}`, expected `*`, `+` or `-`")));
                }
            };
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is wrong with an expression, and at which byte of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Misfit {
    pub offset: usize,
    pub problem: String,
}

impl Misfit {
    fn new(offset: usize, problem: impl Into<String>) -> Self {
        Self { offset, problem: problem.into() }
    }
}

/// A product as far as it has been read.
struct Reading {
    start: usize,
    factors: Vec<Factor>,
    /// Of the product. A count is a plain number.
    unit: Unit,
}

impl Default for Reading {
    fn default() -> Self {
        Self { start: 0, factors: Vec::new(), unit: Unit::Count }
    }
}

impl Reading {
    fn multiply(
        &mut self,
        at: usize,
        token: &str,
        resolve: &dyn Fn(&str) -> Result<Unit, String>,
    ) -> Result<(), Misfit> {
        let (factor, unit) = operand(token, resolve).map_err(|problem| Misfit::new(at, problem))?;
        if self.factors.is_empty() {
            self.start = at;
        }
        self.factors.push(factor);
        self.unit = match (self.unit, unit) {
            (Unit::Count, unit) | (unit, Unit::Count) => unit,
            (one, other) => {
                let (one, other) = (unit_words(one), unit_words(other));
                return Err(Misfit::new(
                    at,
                    format!("`{token}` is {other}, and cannot be multiplied by {one}"),
                ));
            }
        };
        Ok(())
    }
}

fn operand(token: &str, resolve: &dyn Fn(&str) -> Result<Unit, String>) -> Result<(Factor, Unit), String> {
    if ["*", "+", "-"].contains(&token) {
        return Err(format!("found `{token}`, expected a number or a name"));
    }
    if !token.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return resolve(token).map(|unit| (Factor::Name(token.to_owned()), unit));
    }
    let (number, unit) = quantity(token)?;
    Ok((Factor::Number(number), unit))
}

/// A number with or without a unit.
fn quantity(token: &str) -> Result<(f64, Unit), String> {
    if let Some(number) = token.parse().ok().filter(|number: &f64| number.is_finite()) {
        return Ok((number, Unit::Count));
    }
    if let Ok(time) = text::duration(token) {
        return Ok((time.as_nanos() as f64, Unit::Nanoseconds));
    }
    if let Ok(bytes) = text::size(token) {
        return Ok((bytes as f64, Unit::Bytes));
    }
    Err(format!("found `{token}`, expected a number, a time such as `1.97s` or a size such as `0.2MiB`"))
}

/// Words, each with the byte it starts at.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split(|c: char| c.is_ascii_whitespace())
        .scan(0, |next, token| {
            let start = *next;
            *next += token.len() + 1;
            Some((start, token))
        })
        .filter(|(_, token)| !token.is_empty())
}

fn wrong_unit(part: &str, found: Unit, expected: Unit) -> String {
    let example = match expected {
        Unit::Count => "",
        Unit::Nanoseconds => " such as \"1.97s\"",
        Unit::Bytes => " such as \"0.2MiB\"",
    };
    format!("`{part}` is {}, expected {}{example}", unit_words(found), unit_words(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(name: &str) -> Result<Unit, String> {
        match name {
            "limit" | "levels" | "queue-workers" => Ok(Unit::Count),
            "latency" | "virtual" => Ok(Unit::Nanoseconds),
            "payload" => Ok(Unit::Bytes),
            _ => Err(format!("unknown name `{name}`")),
        }
    }

    fn value(text: &str, unit: Unit) -> Option<u64> {
        let expression = Expression::parse(text, unit, &resolve).unwrap();
        assert_eq!(expression.to_string(), text);
        expression.evaluate(&|name| match name {
            "limit" => Some(20.0),
            "levels" => Some(6.0),
            "latency" => Some(10e6),
            "virtual" => Some(1_968_000_000.0),
            "payload" => Some(200.0),
            _ => None,
        })
    }

    fn problem(text: &str, unit: Unit) -> (usize, String) {
        let misfit = Expression::parse(text, unit, &resolve).unwrap_err();
        (misfit.offset, misfit.problem)
    }

    #[test]
    fn products_bind_tighter_than_sums_and_sums_run_left_to_right() {
        assert_eq!(value("3906", Unit::Count), Some(3_906));
        assert_eq!(value("limit + 1", Unit::Count), Some(21));
        assert_eq!(value("2 + 3 * limit - 1", Unit::Count), Some(61));
        assert_eq!(value("100 - 10 - 5", Unit::Count), Some(85));
        assert_eq!(value("levels * latency + 5ms", Unit::Nanoseconds), Some(65_000_000));
        assert_eq!(value("limit * payload", Unit::Bytes), Some(4_000));
    }

    #[test]
    fn values_are_whole_and_never_negative() {
        assert_eq!(value("1.03 * virtual", Unit::Nanoseconds), Some(2_027_040_000));
        assert_eq!(value("0.5 * 3", Unit::Count), Some(2));
        assert_eq!(value("0.2MiB", Unit::Bytes), Some(209_715));
        assert_eq!(value("1.97s", Unit::Nanoseconds), Some(1_970_000_000));
        assert_eq!(value("1 - limit", Unit::Count), Some(0));
    }

    #[test]
    fn a_name_without_a_value_leaves_the_whole_without_one() {
        assert_eq!(value("10 * queue-workers", Unit::Count), None);
    }

    #[test]
    fn names_are_told() {
        let expression =
            Expression::parse("2 * limit + queue-workers - limit", Unit::Count, &resolve).unwrap();
        assert_eq!(expression.names().collect::<Vec<_>>(), ["limit", "queue-workers", "limit"]);
    }

    #[test]
    fn errors_say_where_in_the_text() {
        let offset = |text| problem(text, Unit::Count).0;
        assert_eq!(offset(""), 0);
        assert_eq!(offset("limit +"), 7);
        assert_eq!(offset("limit + * 2"), 8);
        assert_eq!(offset("limit 1"), 6);
        assert_eq!(offset("2 * limt"), 4);
        assert_eq!(offset("limit + 3ms"), 8);
        assert_eq!(offset("limit+1"), 0);
        assert_eq!(problem("5 * 1.97x", Unit::Count).0, 4);
    }

    #[test]
    fn units_must_fit() {
        assert_eq!(problem("20", Unit::Nanoseconds).1, "`20` is a count, expected a time such as \"1.97s\"");
        assert_eq!(
            problem("limit + 2 * 3ms", Unit::Count),
            (8, "`2 * 3ms` is a time, expected a count".to_owned())
        );
        assert_eq!(
            problem("virtual", Unit::Bytes).1,
            "`virtual` is a time, expected a size such as \"0.2MiB\""
        );
        assert_eq!(
            problem("2s * payload", Unit::Bytes).1,
            "`payload` is a size, and cannot be multiplied by a time"
        );
    }
}
