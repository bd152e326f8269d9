//! How our Secrets and our service accounts are called.
//!
//! A name is made of kind, namespace and name alone, so that nothing that a tenant can write leads
//! to another's Secret.

use crate::ids::TeamId;

/// What a Secret in the bridge's namespace is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecretKind {
    /// A server's instance key.
    InstanceCredentials,
    /// A team's record, and then its key.
    TeamCredentials,
    /// The admin key between the bootstrap and its end.
    BootstrapCheckpoint,
}

impl SecretKind {
    /// How the name of such a Secret ends.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::InstanceCredentials => "instance-credentials",
            Self::TeamCredentials => "team-credentials",
            Self::BootstrapCheckpoint => "bootstrap-checkpoint",
        }
    }
}

/// The longest name of a Secret.
const LONGEST: usize = 253;

/// The Secret of an object. A name that would be too long is cut and a digest is put in the cut
/// part's place. The namespace always stays whole, so that a digest can only ever be one of the
/// same tenant's, whose records are told apart by UID.
pub fn secret_name(kind: SecretKind, namespace: &str, name: &str) -> String {
    let suffix = kind.suffix();
    let whole = format!("{namespace}.{name}-{suffix}");
    if whole.len() <= LONGEST {
        return whole;
    }
    let digest = format!("{:016x}", fnv(name.as_bytes()));
    let room = LONGEST.saturating_sub(namespace.len() + digest.len() + suffix.len() + 3);
    let cut: String = name.chars().take(room).collect();
    let cut = cut.trim_end_matches(|end: char| !end.is_ascii_alphanumeric());
    format!("{namespace}.{cut}-{digest}-{suffix}")
}

/// The instance account of the bridge for the `TerdutServer` of that UID: two clusters on one
/// server have one each.
pub fn account_name(server_uid: &str) -> String {
    let short: String = server_uid.chars().take(8).collect();
    format!("terdut-operator-{short}")
}

/// The account that a team's key is of.
pub fn team_account_name(server_uid: &str, team: TeamId) -> String {
    format!("{}-team-{team}", account_name(server_uid))
}

/// FNV-1a with 64 bits: the same in every build, and nobody but a tenant itself gains by finding
/// two names of one digest.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
