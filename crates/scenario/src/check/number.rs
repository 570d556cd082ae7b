use std::fmt::Display;
use std::num::NonZeroU64;
use std::ops::RangeInclusive;

use toml::Spanned;

use crate::error::Problem;
use crate::raw::{List, Whole};

/// A whole number within a range.
pub(super) fn whole<T: TryFrom<u64>>(
    number: &Spanned<Whole>,
    range: RangeInclusive<u64>,
) -> Result<T, Problem> {
    u64::try_from(number.get_ref().0)
        .ok()
        .filter(|number| range.contains(number))
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| outside(number, *range.start(), *range.end()))
}

/// A whole number from 1 on.
pub(super) fn positive<T: TryFrom<NonZeroU64>>(number: &Spanned<Whole>, max: u64) -> Result<T, Problem> {
    u64::try_from(number.get_ref().0)
        .ok()
        .filter(|number| *number <= max)
        .and_then(NonZeroU64::new)
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| outside(number, 1, max))
}

fn outside(number: &Spanned<Whole>, min: u64, max: u64) -> Problem {
    let found = number.get_ref().0;
    Problem::at(number.span(), format!("found {found}, expected a whole number from {min} to {max}"))
}

/// A list that is not empty and holds nothing twice.
pub(super) fn distinct<R, T: PartialEq + Display>(
    list: &List<R>,
    what: &str,
    check: impl Fn(&Spanned<R>) -> Result<T, Problem>,
) -> Result<Vec<T>, Problem> {
    if list.get_ref().is_empty() {
        return Err(Problem::at(list.span(), format!("found an empty list, expected at least one {what}")));
    }
    let mut checked = Vec::with_capacity(list.get_ref().len());
    for element in list.get_ref() {
        let value = check(element)?;
        if checked.contains(&value) {
            let problem = format!("found {value} a second time, expected each {what} once");
            return Err(Problem::at(element.span(), problem));
        }
        checked.push(value);
    }
    Ok(checked)
}
