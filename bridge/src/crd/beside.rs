//! Reading a spec that is partly core's.
//!
//! Used by the kinds' `Deserialize`. serde's own `flatten` buffers numbers in a form of its own,
//! which breaks as soon as any crate of the build asks `serde_json` for numbers of any size; so both
//! halves read the same JSON value, each the fields that it knows.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Both halves of a spec.
pub(super) fn read<'de, D, Own, Core>(deserializer: D) -> Result<(Own, Core), D::Error>
where
    D: Deserializer<'de>,
    Own: DeserializeOwned,
    Core: DeserializeOwned,
{
    let whole = Value::deserialize(deserializer)?;
    let own = Own::deserialize(&whole).map_err(D::Error::custom)?;
    let core = Core::deserialize(&whole).map_err(D::Error::custom)?;
    Ok((own, core))
}

/// A word or a text, where an empty one means that there is none.
pub(super) fn empty_is_none<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    match Option::<String>::deserialize(deserializer)? {
        Some(text) if !text.is_empty() => {
            T::deserialize(Value::String(text)).map(Some).map_err(D::Error::custom)
        }
        Some(_) | None => Ok(None),
    }
}
