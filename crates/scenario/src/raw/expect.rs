use std::fmt;

use fanout_record::{Clock, Metric, Outcome};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use toml::Spanned;

use super::Whole;
use crate::names;
use crate::scenario::Measure;

/// One table of expectations: selectors, an outcome, and as many metrics as one likes.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    pub clock: Option<Spanned<Clock>>,
    pub limits: Option<Spanned<LimitRange>>,
    pub variant: Option<Spanned<String>>,
    pub seed: Option<Spanned<Whole>>,
    pub threads: Option<Spanned<Whole>>,
    pub outcome: Option<Outcome>,
    /// In the file's order.
    pub metrics: Vec<(Spanned<Measure>, Spanned<Bound>)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `min` and `max`")]
pub(crate) struct LimitRange {
    pub min: Option<Spanned<Whole>>,
    pub max: Option<Spanned<Whole>>,
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of expectations")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let mut entry = Entry::default();
        while let Some(key) = map.next_key::<Spanned<EntryKey>>()? {
            let span = key.span();
            match key.into_inner() {
                EntryKey::Clock => entry.clock = Some(map.next_value()?),
                EntryKey::Limits => entry.limits = Some(map.next_value()?),
                EntryKey::Variant => entry.variant = Some(map.next_value()?),
                EntryKey::Seed => entry.seed = Some(map.next_value()?),
                EntryKey::Threads => entry.threads = Some(map.next_value()?),
                EntryKey::Outcome => entry.outcome = Some(map.next_value()?),
                EntryKey::Measure(measure) => {
                    entry.metrics.push((Spanned::new(span, measure), map.next_value()?));
                }
            }
        }
        entry.metrics.sort_by_key(|(metric, _)| metric.span().start);
        Ok(entry)
    }
}

enum EntryKey {
    Clock,
    Limits,
    Variant,
    Seed,
    Threads,
    Outcome,
    Measure(Measure),
}

impl EntryKey {
    const NAMES: [&str; 6] = ["clock", "limits", "variant", "seed", "threads", "outcome"];
}

impl<'de> Deserialize<'de> for EntryKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "clock" => Ok(Self::Clock),
            "limits" => Ok(Self::Limits),
            "variant" => Ok(Self::Variant),
            "seed" => Ok(Self::Seed),
            "threads" => Ok(Self::Threads),
            "outcome" => Ok(Self::Outcome),
            _ => measure(&name).map(Self::Measure).ok_or_else(|| {
                let known = Self::NAMES.into_iter().chain(names::metrics());
                D::Error::custom(names::unknown("key or metric", &name, known))
            }),
        }
    }
}

/// A metric by its name, or after a dependency's name and a point: `pricing.in-flight-peak`.
fn measure(name: &str) -> Option<Measure> {
    let (dependency, metric) = match name.rsplit_once('.') {
        Some((dependency, metric)) => (Some(dependency.to_owned()), metric),
        None => (None, name),
    };
    Some(Measure { dependency, metric: metric.parse().ok()? })
}

/// A metric by its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownMetric(pub Metric);

/// What a metric is expected to be.
#[derive(Debug)]
pub(crate) enum Bound {
    Exactly(Side),
    Between(Between),
}

/// A range with at least one end: checked later.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `min` and `max`")]
pub(crate) struct Between {
    pub min: Option<Spanned<Side>>,
    pub max: Option<Spanned<Side>>,
}

impl<'de> Deserialize<'de> for Bound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BoundVisitor)
    }
}

struct BoundVisitor;

impl<'de> Visitor<'de> for BoundVisitor {
    type Value = Bound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, an expression in a string, or a table of `min` and `max`")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Bound, E> {
        Ok(Bound::Exactly(Side::Whole(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bound, E> {
        Ok(Bound::Exactly(Side::Text(text.to_owned())))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Bound, A::Error> {
        Between::deserialize(MapAccessDeserializer::new(map)).map(Bound::Between)
    }
}

/// A number, or an expression.
#[derive(Debug)]
pub(crate) enum Side {
    Whole(i64),
    Text(String),
}

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SideVisitor)
    }
}

struct SideVisitor;

impl Visitor<'_> for SideVisitor {
    type Value = Side;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, or an expression in a string")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Side, E> {
        Ok(Side::Whole(number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Side, E> {
        Ok(Side::Text(text.to_owned()))
    }
}
