//! What belongs to teams: one team's, or each team's. Some are asked ahead of their turn, or a
//! thousand teams would take a thousand times as long as one; what is found stays in order.
//!
//! A team that goes while its turn comes has nothing any more; that is no error, and it is said
//! only by the list of teams.

use std::collections::BTreeMap;

use futures::stream::{self, Stream, StreamExt};
use terdut_client::Caller;
use terdut_core::api::{Reply, Request, Team};
use terdut_core::error::ApiError;
use terdut_core::ids::TeamId;
use terdut_core::presence::is_own_404;

use crate::object::lookup;

/// How many questions are on their way at once.
const AT_ONCE: usize = 8;

/// A team whose objects are listed. Its name is known where all teams are.
pub(super) struct Place {
    pub(super) team: TeamId,
    pub(super) name: Option<String>,
}

impl Place {
    /// How an object in it is called: by its name, with the team's where there may be several.
    pub(super) fn label(&self, name: &str) -> String {
        match &self.name {
            Some(team) => format!("{}/{}", team.trim(), name.trim()),
            None => name.trim().to_owned(),
        }
    }
}

/// The team that is given, or all of them in the order of ids. One that is given is not looked up:
/// its own key may not list teams.
pub(super) async fn places(caller: &Caller, team: Option<TeamId>) -> Result<Vec<Place>, ApiError> {
    if let Some(team) = team {
        return Ok(vec![Place { team, name: None }]);
    }
    let teams = lookup::teams(caller).await?;
    let place = |team: Team| Place { team: team.id, name: Some(team.name) };
    Ok(sorted(teams.iter().cloned(), |team| team.id).into_iter().map(place).collect())
}

/// A list of one of all teams; nothing if the team has gone meanwhile.
pub(super) async fn unless_gone<T: Default>(
    caller: &Caller,
    place: &Place,
    listed: Result<T, ApiError>,
) -> Result<T, ApiError> {
    match listed {
        Err(error) if place.name.is_some() && is_own_404(&error) => {
            match caller.call_fresh(Request::ListTeams).await? {
                Reply::Teams(teams) if teams.iter().all(|team| team.id != place.team) => {
                    Ok(T::default())
                }
                _ => Err(error),
            }
        }
        listed => listed,
    }
}

/// The answers about each of them in their order. No more is asked than a few ahead of what was
/// taken: a list that has enough leaves it.
pub(super) fn ahead<I, F: Future>(
    items: Vec<I>,
    ask: impl FnMut(I) -> F,
) -> impl Stream<Item = F::Output> {
    stream::iter(items).map(ask).buffered(AT_ONCE)
}

/// In the order of ids.
pub(super) fn sorted<T, K: Ord>(items: impl Iterator<Item = T>, id: impl Fn(&T) -> K) -> Vec<T> {
    items.map(|item| (id(&item), item)).collect::<BTreeMap<_, _>>().into_values().collect()
}
