//! Names that somebody is just making.
//!
//! Two resources of one name would each find "theirs" after a lost answer. So a claim is taken
//! before the look-up and given back when the create has ended. This is only the table; the client
//! wraps it in a guard that waits.

use std::collections::BTreeSet;

use crate::model::Kind;

/// What is claimed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    /// The server's URL without trailing slash.
    pub server: String,
    /// The team or the service account that it belongs to.
    pub parent: Option<i64>,
    /// The kind.
    pub kind: Kind,
    /// The name, trimmed.
    pub name: String,
}

/// All claims of one process.
#[derive(Debug, Clone, Default)]
pub struct Claims {
    held: BTreeSet<Claim>,
}

impl Claims {
    /// Takes a claim; `false` where somebody holds it.
    pub fn take(&mut self, claim: &Claim) -> bool {
        self.held.insert(claim.clone())
    }

    /// Gives a claim back; `false` where nobody held it.
    pub fn release(&mut self, claim: &Claim) -> bool {
        self.held.remove(claim)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(parent: Option<i64>, name: &str) -> Claim {
        let server = "https://terdut.example.org".to_owned();
        Claim { server, parent, kind: Kind::DeadmanSwitch, name: name.to_owned() }
    }

    #[test]
    fn a_name_is_claimed_once_in_its_team() {
        let mut claims = Claims::default();
        assert!(claims.take(&claim(Some(1), "a")));
        assert!(!claims.take(&claim(Some(1), "a")));
        assert!(claims.take(&claim(Some(2), "a")) && claims.take(&claim(Some(1), "b")));
        assert!(claims.release(&claim(Some(1), "a")));
        assert!(!claims.release(&claim(Some(1), "a")));
        assert!(claims.take(&claim(Some(1), "a")));
    }
}
