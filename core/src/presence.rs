//! Whether an object is gone.
//!
//! Used by every read and delete. Gone means absent from a complete 200 list. A JSON 404 on a
//! child list means only that the team list has to be asked (with the same key). Nothing else is
//! ever "gone": not 401, 403, a router's or a proxy's 404, a cut-off body or a time-out.

use crate::api::{Account, Team};
use crate::error::{ApiError, Class};
use crate::ids::{AccountId, TeamId};

/// What a list says of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence<T> {
    /// It is there.
    Here(T),
    /// It is gone.
    Gone,
    /// The list's parent is unknown to the server: ask for the list of parents, then
    /// [`team_presence`] or [`account_presence`].
    AskParent(ApiError),
    /// Nobody can say.
    Unclear(ApiError),
}

/// What a top-level list (teams, users, service accounts) says.
pub fn in_list<T: Clone>(list: Result<&[T], ApiError>, is_it: impl Fn(&T) -> bool) -> Presence<T> {
    match list {
        Ok(list) => {
            list.iter().find(|item| is_it(item)).cloned().map_or(Presence::Gone, Presence::Here)
        }
        Err(error) => Presence::Unclear(error),
    }
}

/// What a list below a team or a service account says.
pub fn in_child_list<T: Clone>(
    list: Result<&[T], ApiError>,
    is_it: impl Fn(&T) -> bool,
) -> Presence<T> {
    match in_list(list, is_it) {
        Presence::Unclear(error) if is_own_404(&error) => Presence::AskParent(error),
        other => other,
    }
}

/// After [`Presence::AskParent`]: gone only if the team is in no complete list. `error` is what the
/// child list answered.
pub fn team_presence<T>(
    teams: Result<&[Team], ApiError>,
    team: TeamId,
    error: ApiError,
) -> Presence<T> {
    parent(teams.map(|teams| teams.iter().any(|one| one.id == team)), error)
}

/// The same for a service account's keys.
pub fn account_presence<T>(
    accounts: Result<&[Account], ApiError>,
    account: AccountId,
    error: ApiError,
) -> Presence<T> {
    parent(accounts.map(|accounts| accounts.iter().any(|one| one.id == account)), error)
}

fn parent<T>(listed: Result<bool, ApiError>, error: ApiError) -> Presence<T> {
    match listed {
        Ok(true) => Presence::Unclear(error),
        Ok(false) => Presence::Gone,
        Err(error) => Presence::Unclear(error),
    }
}

/// Whether a DELETE found nothing to delete, in the server's own words.
pub fn is_own_404(error: &ApiError) -> bool {
    error.class == Class::NotFound && error.own_word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Effect;

    fn error(class: Class, own_word: bool) -> ApiError {
        let (method, route, said) = ("GET", "/api/teams", String::new());
        ApiError { class, effect: Effect::None, method, route, status: None, own_word, said }
    }

    fn team(id: i64) -> Team {
        let name = "a".to_owned();
        Team { id: TeamId(id), name, oidc_member_group: None, oidc_owner_group: None }
    }

    #[test]
    fn only_a_complete_list_says_gone() {
        assert_eq!(in_list(Ok(&[1, 2]), |item| *item == 2), Presence::Here(2));
        assert_eq!(in_list(Ok(&[1]), |item| *item == 2), Presence::Gone);
        for class in [
            Class::Retryable,
            Class::Denied,
            Class::Invalid,
            Class::NotFound,
            Class::TooOld,
            Class::Unreachable,
            Class::Conflict,
        ] {
            let failed = error(class, class == Class::NotFound);
            let said = in_list::<i64>(Err(failed.clone()), |_| true);
            assert_eq!(said, Presence::Unclear(failed.clone()));
            let asks =
                matches!(in_child_list::<i64>(Err(failed), |_| true), Presence::AskParent(_));
            assert_eq!(asks, class == Class::NotFound, "{class}");
        }
    }

    #[test]
    fn a_404_of_a_child_list_counts_only_if_the_team_list_lacks_the_team() {
        let first = error(Class::NotFound, true);
        let ask =
            |teams: Result<&[Team], ApiError>| team_presence::<()>(teams, TeamId(1), first.clone());
        assert_eq!(ask(Ok(&[team(2)])), Presence::Gone);
        assert_eq!(ask(Ok(&[team(1)])), Presence::Unclear(first.clone()));
        let denied = error(Class::Denied, true);
        assert_eq!(ask(Err(denied.clone())), Presence::Unclear(denied));
        let proxy = in_child_list::<i64>(Err(error(Class::NotFound, false)), |_| true);
        assert!(matches!(proxy, Presence::Unclear(_)), "not the server's own word");
    }
}
