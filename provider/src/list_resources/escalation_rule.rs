//! The list of escalation rules: of each team that has one. A rule goes by its team's name, and by
//! its id where only that is known: a team's own key may not list teams.

use std::ops::ControlFlow;
use std::pin::pin;

use futures::TryStreamExt;
use terdut_client::Caller;
use terdut_core::error::ApiError;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedEscalationRule;
use terdut_plugin::schema::Attribute;

use super::below::{Place, ahead, places};
use super::filter::{Filter, narrowing};
use super::{Catalogue, Shelf};
use crate::object::Object;
use crate::resources::escalation_rule::EscalationRuleObject;

impl Catalogue for EscalationRuleObject {
    fn filters() -> Vec<Attribute> {
        let own = "it is the rule of the team of this id. A team's key lists only with its own \
                   team's, and without settings by name.";
        vec![narrowing("team_id", own)]
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let team = filter.team.filter(|_| !filter.is_by_name());
        let fits = |place: &Place| {
            filter.team.is_none_or(|wanted| wanted == place.team)
                && place.name.as_ref().is_none_or(|name| filter.fits(name))
        };
        let places = places(caller, team).await?.into_iter().filter(fits).collect();
        let rules = ahead(places, async |place| {
            Self::find(caller, &of(place.team)).await.map(|rule| (place, rule))
        });
        let mut rules = pin!(rules);
        while let Some((place, rule)) = rules.try_next().await? {
            // A team that has gone meanwhile has no rule, as one that never had any.
            let Some(rule) = rule else { continue };
            let name = place.name.unwrap_or_else(|| format!("team {}", place.team));
            if shelf.add(name, &rule).await.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn of(team: TeamId) -> ObservedEscalationRule {
    ObservedEscalationRule {
        team,
        repeat_count: 0,
        fallback_topic: String::new(),
        levels: Vec::new(),
    }
}
