//! A successful answer → the reply that the request asks for.
//!
//! Called by the client with all pages of a list, or the one body of anything else.

use bytes::Bytes;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Error;
use terdut_core::api::{Reply, Request, Shared};
use terdut_core::error::{ApiError, Class};
use terdut_core::secret::SecretString;

use super::types::{
    self, WireAccount, WireAlert, WireBootstrapped, WireIntegration, WireKey, WireNewIntegration,
    WirePolicy, WireScheduleEntry, WireSwitch, WireTeam, WireUser,
};

/// A body that could not be read: which page, and why.
#[derive(Debug)]
pub(crate) struct Unreadable {
    pub(crate) page: usize,
    pub(crate) why: Error,
}

/// The reply in the pages of an answer with a status of success.
pub(crate) fn decode(request: &Request, pages: &[Bytes]) -> Result<Reply, Unreadable> {
    use Request as R;
    match request {
        R::ListUsers => list::<WireUser, _>(pages, false).map(Reply::Users),
        // The look-up by name may answer with the one account.
        R::ListAccounts { name } => {
            list::<WireAccount, _>(pages, name.is_some()).map(Reply::Accounts)
        }
        R::ListKeys { .. } => list::<WireKey, _>(pages, false).map(Reply::Keys),
        R::ListTeams => list::<WireTeam, _>(pages, false).map(Reply::Teams),
        R::ListSwitches { .. } => list::<WireSwitch, _>(pages, false).map(Reply::Switches),
        R::ListIntegrations { .. } => {
            list::<WireIntegration, _>(pages, false).map(Reply::Integrations)
        }
        R::ListFiring => list::<WireAlert, _>(pages, false).map(Reply::Alerts),
        _ => {
            let body = pages.first().map_or(&[][..], |page| page);
            single(request, body).map_err(|why| Unreadable { page: 0, why })
        }
    }
}

fn single(request: &Request, body: &[u8]) -> Result<Reply, Error> {
    use Request as R;
    Ok(match request {
        R::Bootstrap { .. } => {
            Reply::Bootstrapped(serde_json::from_slice::<WireBootstrapped>(body)?.into_fact()?)
        }
        R::Me => Reply::Me(types::me(serde_json::from_slice(body)?)?),
        R::CreateUser { .. } | R::SetTopic { .. } => Reply::User(read::<WireUser, _>(body)?),
        R::MintUserKey { .. } | R::MintKey { .. } => {
            Reply::Key(types::minted(serde_json::from_slice(body)?)?)
        }
        R::CreateAccount { .. } => {
            Reply::NewAccount(types::new_account(serde_json::from_slice(body)?)?)
        }
        R::CreateTeam { .. } | R::RenameTeam { .. } | R::SetGroups { .. } => {
            Reply::Team(read::<WireTeam, _>(body)?)
        }
        R::GetPolicy { .. } | R::PutPolicy { .. } => {
            let policy: Option<WirePolicy> = serde_json::from_slice(body)?;
            Reply::Policy(policy.and_then(WirePolicy::into_policy))
        }
        R::CreateSwitch { .. } => Reply::Switch(read::<WireSwitch, _>(body)?),
        R::CreateIntegration { .. } => Reply::NewIntegration(read::<WireNewIntegration, _>(body)?),
        R::RenameIntegration { .. } => Reply::Integration(read::<WireIntegration, _>(body)?),
        R::OnCall => Reply::OnCall(on_call(body)?),
        // Where nothing is answered, a page is none the less not the server's word.
        _ if body.trim_ascii_start().starts_with(b"<") => {
            serde_json::from_slice::<IgnoredAny>(body).map(|_| Reply::Done)?
        }
        // Health, a DELETE, a password: whatever the body is, the status said it.
        _ => Reply::Done,
    })
}

fn read<Wire: DeserializeOwned, Fact: From<Wire>>(body: &[u8]) -> Result<Fact, Error> {
    serde_json::from_slice::<Wire>(body).map(Fact::from)
}

fn on_call(body: &[u8]) -> Result<Option<terdut_core::api::ScheduleEntry>, Error> {
    if is_absent(body) {
        return Ok(None);
    }
    read::<WireScheduleEntry, _>(body).map(Some)
}

/// `{}` or `null` in place of an object that is not there.
fn is_absent(body: &[u8]) -> bool {
    let squeezed: Vec<u8> = body.iter().copied().filter(|b| !b.is_ascii_whitespace()).collect();
    matches!(squeezed.as_slice(), b"{}" | b"null")
}

fn list<Wire: DeserializeOwned, Fact: From<Wire>>(
    pages: &[Bytes],
    one_is_a_list: bool,
) -> Result<Shared<Fact>, Unreadable> {
    let mut facts = Vec::new();
    for (page, body) in pages.iter().enumerate() {
        let items = items::<Wire>(body, one_is_a_list).map_err(|why| Unreadable { page, why })?;
        facts.extend(items.into_iter().map(Fact::from));
    }
    Ok(facts.into())
}

fn items<Wire: DeserializeOwned>(body: &[u8], one_is_a_list: bool) -> Result<Vec<Wire>, Error> {
    // Go writes an empty list as null.
    if is_absent(body) && (one_is_a_list || body.trim_ascii() == b"null") {
        return Ok(Vec::new());
    }
    if one_is_a_list && body.trim_ascii_start().starts_with(b"{") {
        return serde_json::from_slice(body).map(|one| vec![one]);
    }
    serde_json::from_slice(body)
}

/// The reply that stands for "there is none", where a JSON 404 means just that.
pub(crate) fn absent(request: &Request, error: &ApiError) -> Option<Reply> {
    if error.class != Class::NotFound {
        return None;
    }
    match request {
        Request::GetPolicy { .. } => Some(Reply::Policy(None)),
        Request::OnCall => Some(Reply::OnCall(None)),
        // The look-up by name may answer with the one account, and then with none.
        Request::ListAccounts { name: Some(_) } => Some(Reply::Accounts([].into())),
        _ => None,
    }
}

/// The secrets in a reply, so that they are masked in all that is said later.
pub(crate) fn secrets_of(reply: &Reply) -> Vec<&SecretString> {
    match reply {
        Reply::Bootstrapped(made) => made.key.key.iter().collect(),
        Reply::Key(key) => key.key.iter().collect(),
        Reply::NewAccount(made) => made.key.key.iter().collect(),
        Reply::NewIntegration(made) => vec![&made.key, &made.url],
        _ => Vec::new(),
    }
}
