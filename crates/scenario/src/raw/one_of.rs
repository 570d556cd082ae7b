use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Unexpected, Visitor};

/// An enum of which a file picks one.
pub(crate) trait Choice {
    /// What there is to pick from.
    const EXPECTED: &str;
}

/// A table with exactly one entry, whose key picks the enum's variant; or a string, for a variant without content.
/// TOML's own reading of enums does the same, but says of a second entry only that there is one.
#[derive(Debug)]
pub(crate) struct OneOf<E>(pub E);

impl<'de, E: Choice + Deserialize<'de>> Deserialize<'de> for OneOf<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOfVisitor(PhantomData)).map(Self)
    }
}

struct OneOfVisitor<E>(PhantomData<E>);

impl<'de, E: Choice + Deserialize<'de>> Visitor<'de> for OneOfVisitor<E> {
    type Value = E;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(E::EXPECTED)
    }

    fn visit_str<X: Error>(self, word: &str) -> Result<E, X> {
        E::deserialize(StrDeserializer::<X>::new(word))
            .map_err(|_| X::invalid_value(Unexpected::Str(word), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<E, A::Error> {
        if map.size_hint() == Some(0) {
            return Err(A::Error::custom(format_args!("found an empty table, expected {}", E::EXPECTED)));
        }
        let picked = E::deserialize(MapAccessDeserializer::new(&mut map))?;
        map.next_key_seed(Second(E::EXPECTED))?;
        Ok(picked)
    }
}

/// Refuses a second key, at that key's place.
struct Second(&'static str);

impl<'de> DeserializeSeed<'de> for Second {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let key = String::deserialize(deserializer)?;
        Err(Error::custom(format_args!("found `{key}` beside another, expected exactly {}", self.0)))
    }
}
