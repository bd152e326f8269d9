//! A Secret's data, read leniently: what is missing or unreadable is absent.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::str::FromStr;

use crate::secret::SecretString;

/// A Secret's keys and values.
pub type Data = BTreeMap<String, Vec<u8>>;

/// A text; empty counts as absent.
pub(super) fn text(data: &Data, key: &str) -> Option<String> {
    let text = String::from_utf8(data.get(key)?.clone()).ok()?;
    (!text.is_empty()).then_some(text)
}

pub(super) fn secret(data: &Data, key: &str) -> Option<SecretString> {
    text(data, key).map(SecretString::new)
}

pub(super) fn parsed<T: FromStr>(data: &Data, key: &str) -> Option<T> {
    text(data, key)?.trim().parse().ok()
}

pub(super) fn flag(data: &Data, key: &str) -> bool {
    text(data, key).as_deref() == Some("true")
}

/// Ids with commas between them. One that cannot be read makes the whole unreadable: an id that was
/// there before must never be taken for a new one.
pub(super) fn ids(data: &Data, key: &str) -> Option<BTreeSet<i64>> {
    let text = String::from_utf8(data.get(key)?.clone()).ok()?;
    let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect()
}

pub(super) fn put(data: &mut Data, key: &str, value: impl Display) {
    data.insert(key.to_owned(), value.to_string().into_bytes());
}

/// What is absent is left out.
pub(super) fn put_some(data: &mut Data, key: &str, value: Option<impl Display>) {
    if let Some(value) = value {
        put(data, key, value);
    }
}

pub(super) fn put_ids(data: &mut Data, key: &str, ids: &BTreeSet<i64>) {
    let words: Vec<_> = ids.iter().map(ToString::to_string).collect();
    put(data, key, words.join(","));
}
