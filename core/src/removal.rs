//! Removing a service account, also on a server that cannot.
//!
//! The route is assumed (`account-delete` in `client/src/contract/checks.rs`): where it is missing,
//! each key of the account is revoked instead and the account stays. What is not there is removed
//! already. Stepped by whoever carries out [`crate::plan::Step::DeleteAccount`].

use std::collections::VecDeque;

use crate::api::{Reply, Request};
use crate::error::{ApiError, Class};
use crate::ids::{AccountId, KeyId};
use crate::presence::is_own_404;

/// What has to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Make this request; a list must not come from a cache.
    Call(Request),
    /// There is nothing more to do.
    Finish(Result<Removed, ApiError>),
}

/// What is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// Nothing.
    Account,
    /// The account, without any key: the server cannot delete it.
    KeysOnly,
}

/// A removal under way.
#[derive(Debug)]
pub struct RemoveAccount {
    account: AccountId,
    state: State,
}

#[derive(Debug)]
enum State {
    Deleting,
    Listing,
    Revoking(VecDeque<KeyId>),
}

impl RemoveAccount {
    /// The removal, and its first request.
    pub fn begin(account: AccountId) -> (Self, Request) {
        (Self { account, state: State::Deleting }, Request::DeleteAccount { account })
    }

    /// The next command after an answer.
    pub fn step(&mut self, answer: Result<Reply, ApiError>) -> Command {
        match (&mut self.state, answer) {
            (State::Deleting, Err(error)) if error.class == Class::TooOld => {
                self.state = State::Listing;
                Command::Call(Request::ListKeys { account: self.account })
            }
            (State::Listing, Ok(Reply::Keys(keys))) => {
                self.state = State::Revoking(keys.iter().map(|key| key.id).collect());
                self.revoke()
            }
            (State::Revoking(_), Ok(_)) => self.revoke(),
            (State::Revoking(_), Err(error)) if is_own_404(&error) => self.revoke(),
            (State::Deleting | State::Listing, Err(error)) if is_own_404(&error) => {
                Command::Finish(Ok(Removed::Account))
            }
            (_, Err(error)) => Command::Finish(Err(error)),
            (State::Deleting, Ok(_)) => Command::Finish(Ok(Removed::Account)),
            (State::Listing, Ok(_)) => Command::Finish(Err(ApiError::unreadable())),
        }
    }

    fn revoke(&mut self) -> Command {
        let next = match &mut self.state {
            State::Revoking(keys) => keys.pop_front(),
            State::Deleting | State::Listing => None,
        };
        let account = self.account;
        next.map_or(Command::Finish(Ok(Removed::KeysOnly)), |key| {
            Command::Call(Request::RevokeKey { account, key })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::ApiKey;
    use crate::error::Effect;

    const ACCOUNT: AccountId = AccountId(5);

    fn error(class: Class) -> ApiError {
        let (method, route, said) = ("DELETE", "/api/service-accounts/{id}", String::new());
        let own_word = class == Class::NotFound;
        ApiError { class, effect: Effect::None, method, route, status: None, own_word, said }
    }

    fn keys() -> Reply {
        let key = |id| ApiKey { id: KeyId(id), name: "a".to_owned(), key: None, created_at: None };
        Reply::Keys(vec![key(1), key(2)].into())
    }

    #[test]
    fn what_is_not_there_is_removed() {
        for answer in [Ok(Reply::Done), Err(error(Class::NotFound))] {
            let (mut removal, _) = RemoveAccount::begin(ACCOUNT);
            assert_eq!(removal.step(answer), Command::Finish(Ok(Removed::Account)));
        }
        let (mut removal, _) = RemoveAccount::begin(ACCOUNT);
        let denied = error(Class::Denied);
        assert_eq!(removal.step(Err(denied.clone())), Command::Finish(Err(denied)));
    }

    #[test]
    fn where_the_route_is_missing_every_key_is_revoked() {
        let (mut removal, _) = RemoveAccount::begin(ACCOUNT);
        let list = removal.step(Err(error(Class::TooOld)));
        assert_eq!(list, Command::Call(Request::ListKeys { account: ACCOUNT }));
        let revoke = |id| Command::Call(Request::RevokeKey { account: ACCOUNT, key: KeyId(id) });
        assert_eq!(removal.step(Ok(keys())), revoke(1));
        assert_eq!(removal.step(Err(error(Class::NotFound))), revoke(2));
        assert_eq!(removal.step(Ok(Reply::Done)), Command::Finish(Ok(Removed::KeysOnly)));
    }

    #[test]
    fn a_list_of_another_shape_does_not_count_as_removed() {
        let (mut removal, _) = RemoveAccount::begin(ACCOUNT);
        removal.step(Err(error(Class::TooOld)));
        let expected = Command::Finish(Err(ApiError::unreadable()));
        assert_eq!(removal.step(Ok(Reply::Done)), expected);
    }
}
