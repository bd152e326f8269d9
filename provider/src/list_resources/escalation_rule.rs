//! The list of escalation rules: of each team that has one. A rule goes by its team's name.

use std::ops::ControlFlow;

use terdut_client::Caller;
use terdut_core::api::Team;
use terdut_core::error::ApiError;
use terdut_core::ids::TeamId;
use terdut_core::model::ObservedEscalationRule;
use terdut_plugin::schema::Attribute;

use super::below::sorted;
use super::filter::{Filter, narrowing};
use super::{Catalogue, Shelf};
use crate::object::{Object, lookup};
use crate::resources::escalation_rule::EscalationRuleObject;

impl Catalogue for EscalationRuleObject {
    fn filters() -> Vec<Attribute> {
        vec![narrowing("team_id", "it is the rule of the team of this id.")]
    }

    async fn walk(
        caller: &Caller,
        filter: &Filter,
        shelf: &mut Shelf<'_, Self>,
    ) -> Result<ControlFlow<()>, ApiError> {
        let teams = lookup::teams(caller).await?;
        let fits = |team: &&Team| {
            filter.fits(&team.name) && filter.team.is_none_or(|wanted| wanted == team.id)
        };
        for team in sorted(teams.iter().filter(fits), |team| team.id) {
            // A team that has gone meanwhile has no rule, as one that never had any.
            let Some(rule) = Self::find(caller, &of(team.id)).await? else { continue };
            if shelf.add(team.name.clone(), &rule).await.is_break() {
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
