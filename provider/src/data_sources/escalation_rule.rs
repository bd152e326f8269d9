//! `terdut_escalation_rule`: a team's rule. A team has one or none, so there is nothing to list.

use terdut_core::explain::Doing;
use terdut_core::ids::TeamId;
use terdut_core::model::{Kind, ObservedEscalationRule};
use terdut_plugin::data_source::DataSource;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::ToValue;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use super::{record_of, shown, team, team_attribute};
use crate::context::{ProviderData, caller};
use crate::object::Object;
use crate::resources::escalation_rule::{EscalationRuleModel, EscalationRuleObject};
use crate::{report, timeouts};

/// See the module.
#[derive(Debug)]
pub(super) struct TeamsRule;

impl DataSource for TeamsRule {
    type Model = Value;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        Kind::EscalationRule.resource_type()
    }

    fn schema(&self) -> Schema {
        let description = EscalationRuleObject::schema().description().to_owned();
        Schema::new(format!("Looks a team's rule up. {description}"))
            .attribute(team_attribute())
            .attributes(attributes().into_iter().filter(|it| it.name() != "team_id"))
    }

    async fn read(
        &self,
        context: &Context<ProviderData>,
        config: Value,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        diagnostics.take(look_up(context, &config).await)
    }
}

fn attributes() -> Vec<Attribute> {
    shown::<EscalationRuleObject>()
}

async fn look_up(context: &Context<ProviderData>, config: &Value) -> Result<Value, Diagnostics> {
    let team = team(config)?;
    let caller = caller(context, timeouts::read())?;
    let doing = Doing::new("looking up", Kind::EscalationRule, format!("the one of team {team}"));
    let rule = EscalationRuleObject::find(&caller, &asked(team)).await;
    let rule = rule.map_err(|error| report::api(&doing, &error))?.ok_or_else(|| none(team))?;
    let mut model = EscalationRuleModel::default();
    EscalationRuleObject::fill(&mut model, &rule);
    Ok(record_of(model.to_value(), &attributes()))
}

fn asked(team: TeamId) -> ObservedEscalationRule {
    ObservedEscalationRule {
        team,
        repeat_count: 0,
        fallback_topic: String::new(),
        levels: Vec::new(),
    }
}

fn none(team: TeamId) -> Diagnostic {
    let detail = format!("The team {team} has no escalation rule, or there is no such team.");
    Diagnostic::error("No escalation rule", detail).at("team_id")
}
