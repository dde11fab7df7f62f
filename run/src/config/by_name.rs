//! Settings that are written as the name of something.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;

pub(super) fn serialize<T: Display, S: Serializer>(value: &T, s: S) -> Result<S::Ok, S::Error> {
    s.collect_str(value)
}

pub(super) fn deserialize<'de, T, D>(d: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let name = String::deserialize(d)?;
    name.parse().map_err(|e| D::Error::custom(format!("{e:#}")))
}

/// Lists of names.
pub(super) mod list {
    use super::*;

    pub(crate) fn serialize<T: Display, S: Serializer>(
        values: &[T],
        s: S,
    ) -> Result<S::Ok, S::Error> {
        s.collect_seq(values.iter().map(ToString::to_string))
    }

    pub(crate) fn deserialize<'de, T, D>(d: D) -> Result<Vec<T>, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        let names = Vec::<String>::deserialize(d)?;
        let parse = |name: String| {
            let value = name.parse();
            value.map_err(|e| D::Error::custom(format!("{name:?}: {e:#}")))
        };
        names.into_iter().map(parse).collect()
    }
}
