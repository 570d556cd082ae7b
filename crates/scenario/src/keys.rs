//! Which key a place in a TOML document belongs to.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The key from the file's top, `strategy.queue-workers.runs`, that the byte belongs to: as a part of its name or of
/// its value. None in a text that is no TOML, and outside of all keys.
pub(crate) fn at(text: &str, offset: usize) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let mut closest = None;
    search(document.get_ref(), offset, "", &mut closest);
    closest.map(|(_, key)| key)
}

/// The stretch that the document as a whole is said to take. None in a text that is no TOML.
pub(crate) fn root(text: &str) -> Option<Range<usize>> {
    DeTable::parse(text).ok().map(|document| document.span())
}

/// The narrowest stretch of text around the byte is the most telling one. A table's own stretch is its header alone,
/// so what stands below the header is looked at whatever the table's stretch is.
fn search(table: &DeTable<'_>, offset: usize, parent: &str, closest: &mut Option<(usize, String)>) {
    for (name, value) in table {
        let key = if parent.is_empty() {
            name.get_ref().to_string()
        } else {
            format!("{parent}.{}", name.get_ref())
        };
        consider(&name.span(), offset, &key, closest);
        search_value(value, offset, &key, closest);
    }
}

fn search_value(
    value: &Spanned<DeValue<'_>>,
    offset: usize,
    key: &str,
    closest: &mut Option<(usize, String)>,
) {
    consider(&value.span(), offset, key, closest);
    match value.get_ref() {
        DeValue::Table(table) => search(table, offset, key, closest),
        DeValue::Array(array) => {
            for (at, element) in array.iter().enumerate() {
                search_value(element, offset, &format!("{key}[{at}]"), closest);
            }
        }
        _ => {}
    }
}

fn consider(span: &Range<usize>, offset: usize, key: &str, closest: &mut Option<(usize, String)>) {
    // Of two that are the same, the one further in: an array's table has the stretch of its array.
    let narrow = closest.as_ref().is_none_or(|(width, _)| span.len() <= *width);
    if span.contains(&offset) && narrow {
        *closest = Some((span.len(), key.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn a_place_belongs_to_the_narrowest_key_around_it() {
        let text = "runs = 5\n[strategy.queue-workers]\nlimits = [1, 20]\n[[fault]]\nshare = 1\n";
        let key = |part: &str| at(text, text.find(part).unwrap());
        assert_eq!(key("runs").as_deref(), Some("runs"));
        assert_eq!(key("5").as_deref(), Some("runs"));
        assert_eq!(key("queue").as_deref(), Some("strategy.queue-workers"));
        assert_eq!(key("limits").as_deref(), Some("strategy.queue-workers.limits"));
        assert_eq!(key("20").as_deref(), Some("strategy.queue-workers.limits[1]"));
        assert_eq!(key("[[fault").as_deref(), Some("fault[0]"));
        assert_eq!(key("share").as_deref(), Some("fault[0].share"));
        assert_eq!(at("no toml", 0), None);
    }
}
