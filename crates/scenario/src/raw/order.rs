use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use toml::Spanned;

/// A table whose keys are free to choose, in the order in which they stand in the file: the parser hands them out in
/// the alphabet's.
#[derive(Debug)]
pub(crate) struct InOrder<K, V>(pub Vec<(Spanned<K>, V)>);

impl<K, V> Default for InOrder<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for InOrder<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrderVisitor(PhantomData)).map(Self)
    }
}

struct InOrderVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for InOrderVisitor<K, V> {
    type Value = Vec<(Spanned<K>, V)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry::<Spanned<K>, V>()? {
            entries.push(entry);
        }
        entries.sort_by_key(|(key, _)| key.span().start);
        Ok(entries)
    }
}
