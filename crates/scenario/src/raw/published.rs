use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use toml::Spanned;

use super::{KnownMetric, LimitRange, Side};
use crate::names;

/// One table of published figures: which cells they are of, and as many metrics as one likes.
#[derive(Debug, Default)]
pub(crate) struct Published {
    pub limits: Option<Spanned<LimitRange>>,
    pub variant: Option<Spanned<String>>,
    /// In the file's order.
    pub figures: Vec<(Spanned<KnownMetric>, Spanned<Side>)>,
}

impl<'de> Deserialize<'de> for Published {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PublishedVisitor)
    }
}

struct PublishedVisitor;

impl<'de> Visitor<'de> for PublishedVisitor {
    type Value = Published;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of published figures")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Published, A::Error> {
        let mut published = Published::default();
        while let Some(key) = map.next_key::<Spanned<Key>>()? {
            let span = key.span();
            match key.into_inner() {
                Key::Limits => published.limits = Some(map.next_value()?),
                Key::Variant => published.variant = Some(map.next_value()?),
                Key::Metric(metric) => {
                    published.figures.push((Spanned::new(span, metric), map.next_value()?));
                }
            }
        }
        published.figures.sort_by_key(|(metric, _)| metric.span().start);
        Ok(published)
    }
}

enum Key {
    Limits,
    Variant,
    Metric(KnownMetric),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "limits" => Ok(Self::Limits),
            "variant" => Ok(Self::Variant),
            _ => name.parse().map(|metric| Self::Metric(KnownMetric(metric))).map_err(|_| {
                let known = ["limits", "variant"].into_iter().chain(names::metrics());
                D::Error::custom(names::unknown("key or metric", &name, known))
            }),
        }
    }
}
