//! The decision whether a reference leads to a server that may be used now, as a function of values.

use terdut_core::consent::{AllowedTeams, Asking, NotPermitted, Permit, ServerIdentity, judge};

use super::Refused;
use crate::engine::Grant;

#[cfg(test)]
mod tests;

/// What is to be known of the server that a reference names.
#[derive(Debug, Clone)]
pub(super) struct ServerFacts {
    pub(super) identity: ServerIdentity,
    pub(super) allowed: AllowedTeams,
    pub(super) deleting: bool,
}

/// Decides for a reference to a server in `namespace`; `server` is what is there under that name.
///
/// Consent comes first. Without it the answer is one and the same whatever there is: only who asks
/// from the server's own namespace may learn that there is none.
pub(super) fn decide(
    namespace: &str,
    server: Option<&ServerFacts>,
    asking: &Asking<'_>,
    grant: Grant,
) -> Result<Permit, Refused> {
    let Some(server) = server else {
        let own = namespace == asking.namespace;
        return Err(if own { Refused::NoServer } else { Refused::NotPermitted });
    };
    let permit = judge(&server.allowed, &server.identity, asking)
        .map_err(|NotPermitted| Refused::NotPermitted)?;
    if server.deleting {
        return Err(Refused::ServerDeleting);
    }
    match grant {
        Grant::Refused => Err(Refused::NotGranted),
        Grant::Granted | Grant::Unknown => Ok(permit),
    }
}
