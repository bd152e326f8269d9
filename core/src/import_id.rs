//! Import ids: `42`, `42/7`, `name=Platform`, `name=Platform/name=prod-watchdog`.
//!
//! Parsed by the provider's imports. An id is digits only; in a name, `%` and `/` are written `%25`
//! and `%2F`, and any other `%XX` is refused rather than guessed at.

use std::fmt;
use std::str::FromStr;

use crate::ids::InvalidId;
use crate::value::{InvalidName, Name};

/// One part of an import id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pick<I> {
    /// By id.
    Id(I),
    /// By name; looked up.
    Name(Name),
}

/// A text that is no import id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidImportId {
    /// Too few or too many parts.
    #[error("{text:?} is not an import id of this kind: write {form}")]
    Shape {
        /// What was given.
        text: String,
        /// How it is written.
        form: &'static str,
    },
    /// A part that is neither digits nor `name=…`.
    #[error("{text:?} is neither an id (digits only) nor name=…")]
    Part {
        /// The part.
        text: String,
        /// What is wrong with it as an id.
        #[source]
        source: InvalidId,
    },
    /// What stands after `name=` is no name.
    #[error("{text:?} does not hold a name after name=")]
    Name {
        /// The part.
        text: String,
        /// What is wrong with it.
        #[source]
        source: InvalidName,
    },
    /// A `%` that is not part of `%25` or `%2F`.
    #[error("{text:?} holds a % that is neither %25 (a percent sign) nor %2F (a slash)")]
    Escape {
        /// The part.
        text: String,
    },
}

/// An import id of one part: a team, a user, a service account, a team's escalation rule.
pub fn single<I>(text: &str) -> Result<Pick<I>, InvalidImportId>
where
    I: FromStr<Err = InvalidId>,
{
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [part] => pick(part),
        _ => Err(shape(text, "the id, as 42, or name=NAME with %25 for % and %2F for /")),
    }
}

/// An import id of two parts: what it belongs to, and itself.
pub fn nested<P, C>(text: &str) -> Result<(Pick<P>, Pick<C>), InvalidImportId>
where
    P: FromStr<Err = InvalidId>,
    C: FromStr<Err = InvalidId>,
{
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [parent, child] => Ok((pick(parent)?, pick(child)?)),
        _ => Err(shape(text, "two parts, as 42/7 or name=PARENT/name=NAME")),
    }
}

fn shape(text: &str, form: &'static str) -> InvalidImportId {
    InvalidImportId::Shape { text: text.to_owned(), form }
}

fn pick<I: FromStr<Err = InvalidId>>(part: &str) -> Result<Pick<I>, InvalidImportId> {
    let Some(name) = part.strip_prefix("name=") else {
        let invalid = |source| InvalidImportId::Part { text: part.to_owned(), source };
        return part.parse().map(Pick::Id).map_err(invalid);
    };
    let name = decode(name).ok_or_else(|| InvalidImportId::Escape { text: part.to_owned() })?;
    let invalid = |source| InvalidImportId::Name { text: part.to_owned(), source };
    name.parse().map(Pick::Name).map_err(invalid)
}

fn decode(text: &str) -> Option<String> {
    let mut pieces = text.split('%');
    let mut decoded = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let letter = match piece.get(..2)? {
            "25" => '%',
            "2F" | "2f" => '/',
            _ => return None,
        };
        decoded.push(letter);
        decoded.push_str(&piece[2..]);
    }
    Some(decoded)
}

impl<I: fmt::Display> fmt::Display for Pick<I> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(formatter),
            Self::Name(name) => {
                let name = name.as_str().replace('%', "%25").replace('/', "%2F");
                write!(formatter, "name={name}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ids::{SwitchId, TeamId};

    fn name(text: &str) -> Name {
        text.parse().unwrap()
    }

    #[test]
    fn ids_and_names_may_be_mixed() {
        assert_eq!(single("42"), Ok(Pick::Id(TeamId(42))));
        assert_eq!(single::<TeamId>("name=Plat form"), Ok(Pick::Name(name("Plat form"))));
        let team = Pick::<TeamId>::Name(name("a/b%"));
        assert_eq!(nested("name=a%2fb%25/7"), Ok((team, Pick::Id(SwitchId(7)))));
    }

    #[test]
    fn each_fault_is_named() {
        for (text, part) in [
            ("42/7", "write the id"),
            ("", "digits only"),
            ("Platform", "neither an id"),
            ("name=", "after name="),
            ("name=50%", "neither %25"),
            ("name=a%20b", "neither %25"),
            ("name=%é", "neither %25"),
        ] {
            let said = single::<TeamId>(text).unwrap_err().to_string();
            assert!(said.contains(part), "{text:?}: {said}");
        }
        assert!(nested::<TeamId, SwitchId>("7").is_err());
        assert!(nested::<TeamId, SwitchId>("1/2/3").is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(text in "[^\\p{C}]{1,40}") {
            prop_assume!(text.parse::<Name>().is_ok());
            let pick = Pick::<TeamId>::Name(name(&text));
            prop_assert_eq!(single(&pick.to_string()), Ok(pick));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            let _ = single::<TeamId>(&text);
            let _ = nested::<TeamId, SwitchId>(&text);
        }
    }
}
