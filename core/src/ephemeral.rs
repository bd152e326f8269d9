//! Keys that live as long as one run: how they are called, and which of them a run left behind.
//!
//! Used by the ephemeral resource of the provider. A run that is killed cannot revoke its key; the
//! next one of the account does, once the key is older than any run may be. A key of another name is
//! never touched.

use crate::api::ApiKey;
use crate::value::GoDuration;

/// What the name of every such key begins with.
const PREFIX: &str = "tf-ephemeral-";

/// The most that a suffix may add to the name.
pub const SUFFIX_LIMIT: usize = 64;

const SECOND: i64 = 1_000_000_000;

/// The name of a key that is made now, in seconds since 1970: the name tells its age, since not every
/// server does. The random number is for two runs in one second: a name is what a key is looked up
/// by whose answer was lost, and the other run's must not be found.
pub fn key_name(now: i64, random: u32, suffix: Option<&str>) -> String {
    let name = format!("{PREFIX}{now}-{random:08x}");
    match suffix {
        Some(suffix) => format!("{name}-{suffix}"),
        None => name,
    }
}

/// Whether a suffix can be part of a key's name.
pub fn is_suffix(text: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    (1..=SUFFIX_LIMIT).contains(&text.len()) && text.chars().all(fits)
}

/// Whether a run made a key of that name. One that has the prefix without time and random number is a
/// person's.
pub fn is_of_a_run(name: &str) -> bool {
    made_at(name).is_some()
}

/// Whether a run left the key behind: it is one of ours and older than `max_age`.
pub fn is_left_behind(key: &ApiKey, now: i64, max_age: GoDuration) -> bool {
    made_at(&key.name).is_some_and(|made| now.saturating_sub(made) > max_age.nanos() / SECOND)
}

/// When a run made the key, in seconds since 1970; nothing where no run did. What follows the random
/// number is not looked at.
fn made_at(name: &str) -> Option<i64> {
    let mut parts = name.strip_prefix(PREFIX)?.splitn(3, '-');
    let (made, random) = (parts.next()?, parts.next()?);
    let is_random = random.len() == 8 && random.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_random.then(|| made.parse().ok()).flatten()
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
        assert!(!old("tf-ephemeral-9000-0000002a") && old("tf-ephemeral-2000-0000002a-ci"));
        assert!(!old("tf-ephemeral-2800-0000002a"), "not older, only as old");
        assert!(!old("tf-ephemeral-mine") && !old("tf-ephemeral-2000"), "not made by a run");
        assert!(!old("tf-ephemeral-20000-0000002a"), "a clock that goes ahead");
    }

    #[test]
    fn whether_a_run_made_a_key_is_told_by_the_time_in_its_name() {
        assert!(is_of_a_run("tf-ephemeral-9000-0000002a"));
        assert!(is_of_a_run("tf-ephemeral-9000-0000002a-ci-1"));
        for name in [
            "deploy",
            "9000",
            "tf-ephemeral-",
            "tf-ephemeral-mine",
            "tf-ephemeral-2024",
            "tf-ephemeral-2024-ci",
            "tf-ephemeral-2024-holidays",
            "my-tf-ephemeral-9-0000002a",
        ] {
            assert!(!is_of_a_run(name), "{name}");
        }
    }

    #[test]
    fn a_name_tells_its_age_and_is_of_one_run_alone() {
        let age: GoDuration = "10m".parse().unwrap();
        let name = key_name(1_000, 42, Some("ci-1"));
        assert_eq!(name, "tf-ephemeral-1000-0000002a-ci-1");
        assert!(
            is_left_behind(&key(&name), 1_601, age) && !is_left_behind(&key(&name), 1_600, age)
        );
        assert_eq!(key_name(7, u32::MAX, None), "tf-ephemeral-7-ffffffff");
        assert_ne!(key_name(7, 1, None), key_name(7, 2, None), "two runs in one second");
        assert!(is_suffix("a.b_c-1") && !is_suffix("") && !is_suffix("a b"));
        assert!(is_suffix(&"a".repeat(64)) && !is_suffix(&"a".repeat(65)));
    }
}
