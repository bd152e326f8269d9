//! Keys that live as long as one run: how they are called, and which of them a run left behind.
//!
//! Used by the ephemeral resource of the provider. A run that is killed cannot revoke its key; the
//! next one of the account does, once the key is older than any run may be. A key of another name is
//! never touched.

use crate::api::ApiKey;
use crate::value::GoDuration;

/// What the name of every such key begins with.
pub const PREFIX: &str = "tf-ephemeral-";

/// The most that a suffix may add to the name.
pub const SUFFIX_LIMIT: usize = 64;

const SECOND: i64 = 1_000_000_000;

/// The name of a key that is made now, in seconds since 1970: the name tells its age, since not every
/// server does.
pub fn key_name(now: i64, suffix: Option<&str>) -> String {
    match suffix {
        Some(suffix) => format!("{PREFIX}{now}-{suffix}"),
        None => format!("{PREFIX}{now}"),
    }
}

/// Whether a suffix can be part of a key's name.
pub fn is_suffix(text: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    (1..=SUFFIX_LIMIT).contains(&text.len()) && text.chars().all(fits)
}

/// Whether a run left the key behind: it is one of ours and older than `max_age`. A key whose name
/// tells no time was not made by a run and stays.
pub fn is_left_behind(key: &ApiKey, now: i64, max_age: GoDuration) -> bool {
    let Some(rest) = key.name.strip_prefix(PREFIX) else { return false };
    let made: Option<i64> = rest.split('-').next().and_then(|stamp| stamp.parse().ok());
    made.is_some_and(|made| now.saturating_sub(made) > max_age.nanos() / SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::KeyId;

    fn key(name: &str) -> ApiKey {
        ApiKey { id: KeyId(1), name: name.to_owned(), key: None, created_at: None }
    }

    #[test]
    fn only_old_keys_of_the_prefix_are_left_behind() {
        let age: GoDuration = "2h".parse().unwrap();
        let old = |name: &str| is_left_behind(&key(name), 10_000, age);
        assert!(!old("deploy") && !old("2000"), "another name");
        assert!(!old("tf-ephemeral-9000") && old("tf-ephemeral-2000-ci"));
        assert!(!old("tf-ephemeral-2800"), "not older, only as old");
        assert!(!old("tf-ephemeral-mine"), "not made by a run");
        assert!(!old("tf-ephemeral-20000"), "a clock that goes ahead");
    }

    #[test]
    fn a_name_tells_its_age_and_holds_the_suffix() {
        let age: GoDuration = "10m".parse().unwrap();
        let name = key_name(1_000, Some("ci-1"));
        assert_eq!(name, "tf-ephemeral-1000-ci-1");
        assert!(is_left_behind(&key(&name), 1_601, age));
        assert_eq!(key_name(7, None), "tf-ephemeral-7");
        assert!(is_suffix("a.b_c-1") && !is_suffix("") && !is_suffix("a b"));
        assert!(is_suffix(&"a".repeat(64)) && !is_suffix(&"a".repeat(65)));
    }
}
