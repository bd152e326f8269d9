//! Finding one object in a list by its id or its name.
//!
//! Used by imports and data sources. Two of one name are an error with their ids, never a choice.

use std::fmt::Display;
use std::str::FromStr;

use crate::import_id::Pick;
use crate::model::Kind;
use crate::problem::{Path, Problem};
use crate::value::Name;
use crate::{api, ids};

/// What can be looked up.
pub trait Listed {
    /// Its id.
    type Id: Copy + Ord + Display + FromStr<Err = ids::InvalidId> + Send + Sync;
    /// Its kind.
    const KIND: Kind;
    /// Its id.
    fn id(&self) -> Self::Id;
    /// Its name.
    fn name(&self) -> &str;
}

macro_rules! listed {
    ($($fact:ident { $kind:ident, $id:ident, $name:ident })+) => {$(
        impl Listed for api::$fact {
            type Id = ids::$id;
            const KIND: Kind = Kind::$kind;

            fn id(&self) -> ids::$id {
                self.id
            }

            fn name(&self) -> &str {
                &self.$name
            }
        }
    )+};
}

listed! {
    Team { Team, TeamId, name }
    User { User, UserId, username }
    Switch { DeadmanSwitch, SwitchId, name }
    Integration { AlertSource, IntegrationId, name }
    Account { ServiceAccount, AccountId, name }
    ApiKey { ServiceAccountKey, KeyId, name }
}

/// Why there is not exactly one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// None.
    #[error("there is no {} {wanted}", kind.noun())]
    None {
        /// The kind.
        kind: Kind,
        /// What was looked for.
        wanted: String,
    },
    /// More than one has the name.
    #[error("more than one {} is {wanted}: ids {}", kind.noun(), ids.join(", "))]
    Many {
        /// The kind.
        kind: Kind,
        /// What was looked for.
        wanted: String,
        /// Their ids.
        ids: Vec<String>,
    },
}

impl LookupError {
    /// What a Terraform user is told.
    pub fn problem(&self) -> Problem {
        let (noun, summary, hint) = match self {
            Self::None { kind, .. } => {
                let hint = "Check the spelling, and that the token may see it.";
                (kind.noun(), "not found", hint)
            }
            Self::Many { kind, .. } => (kind.noun(), "not unique", "Use the id instead."),
        };
        let summary = format!("The {noun} is {summary}");
        Problem::new(Path::root(), summary, format!("On the server, {self}.")).hint(hint)
    }
}

/// The one that is meant.
pub fn find<'a, T: Listed>(list: &'a [T], pick: &Pick<T::Id>) -> Result<&'a T, LookupError> {
    match pick {
        Pick::Id(id) => by_id(list, *id),
        Pick::Name(name) => by_name(list, name),
    }
}

/// The one of that id.
pub fn by_id<T: Listed>(list: &[T], id: T::Id) -> Result<&T, LookupError> {
    let none = || LookupError::None { kind: T::KIND, wanted: format!("with the id {id}") };
    list.iter().find(|item| item.id() == id).ok_or_else(none)
}

/// The one of that name.
pub fn by_name<'a, T: Listed>(list: &'a [T], name: &Name) -> Result<&'a T, LookupError> {
    let found: Vec<_> = list.iter().filter(|item| name.is(item.name())).collect();
    let wanted = || format!("named {:?}", name.as_str());
    match found.as_slice() {
        [one] => Ok(one),
        [] => Err(LookupError::None { kind: T::KIND, wanted: wanted() }),
        many => {
            let ids = many.iter().map(|item| item.id().to_string()).collect();
            Err(LookupError::Many { kind: T::KIND, wanted: wanted(), ids })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::TeamId;

    fn team(id: i64, name: &str) -> api::Team {
        let name = name.to_owned();
        api::Team { id: TeamId(id), name, oidc_member_group: None, oidc_owner_group: None }
    }

    #[test]
    fn two_of_one_name_are_an_error_with_their_ids() {
        let list = [team(1, "a"), team(2, " a "), team(3, "b")];
        let name = |text: &str| Pick::Name(text.parse().unwrap());
        assert_eq!(find(&list, &name("b")).unwrap().id, TeamId(3));
        assert_eq!(find(&list, &Pick::Id(TeamId(2))).unwrap().name, " a ");
        let many = find(&list, &name("a")).unwrap_err();
        assert_eq!(many.to_string(), "more than one team is named \"a\": ids 1, 2");
        let none = find(&list, &Pick::Id(TeamId(9))).unwrap_err().problem();
        assert_eq!(none.detail, "On the server, there is no team with the id 9.");
    }
}
