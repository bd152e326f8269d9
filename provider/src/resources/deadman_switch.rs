//! `terdut_deadman_switch`: an alert for a heartbeat that stops.
//!
//! terdut cannot change one: every change of meaning replaces it.

use terdut_client::Caller;
use terdut_client::execute::Found;
use terdut_core::error::ApiError;
use terdut_core::model::{
    DEFAULT_SEVERITY, DeadmanSwitch, DeadmanSwitchInput, DeadmanSwitchSpec, DesiredDeadmanSwitch,
    Kind, ObservedDeadmanSwitch,
};
use terdut_core::problem::Findings;
use terdut_core::value::{GoDuration, Matcher, Name};
use terdut_plugin::attr::Attr;
use terdut_plugin::schema::Schema;

use crate::attributes::{adopt_existing, id, input, or_default, parsed, team_id};
use crate::equality::same;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// A dead man's switch.
    pub struct DeadmanSwitchModel {
        pub id: Attr<String>,
        pub team_id: Attr<String>,
        pub name: Attr<String>,
        pub matcher: Attr<String>,
        pub timeout: Attr<String>,
        pub severity: Attr<String>,
        pub adopt_existing: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct DeadmanSwitchObject;

impl Object for DeadmanSwitchObject {
    type Model = DeadmanSwitchModel;
    type Core = DeadmanSwitch;

    const PATH: &'static [(&'static str, Kind)] =
        &[("team_id", Kind::Team), ("id", Kind::DeadmanSwitch)];
    const REPLACED_BY: Option<&'static str> = Some(
        "terdut cannot change one: another name, matcher, timeout, severity or team deletes it and \
         makes it again. Meanwhile nothing is watched, and in the same team `create_before_destroy` \
         needs another name.",
    );

    fn schema() -> Schema {
        let spec = Spec::of::<DeadmanSwitchSpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the dead man's switch."))
            .attribute(team_id())
            .attributes(spec.attributes(|path, attribute| match path {
                "name" => attribute.equal_by(same::<Name>),
                "matcher" => attribute.equal_by(same::<Matcher>),
                "timeout" => attribute.equal_by(same::<GoDuration>),
                _ => attribute,
            }))
            .attribute(adopt_existing())
            .attribute(timeouts::attribute())
    }

    fn desired(
        model: &DeadmanSwitchModel,
        findings: &mut Findings,
    ) -> Option<DesiredDeadmanSwitch> {
        let wanted = DeadmanSwitchInput {
            team_id: input(&model.team_id),
            name: input(&model.name),
            matcher: input(&model.matcher),
            timeout: input(&model.timeout),
            severity: input(&model.severity),
        };
        wanted.validate(findings)
    }

    fn stored(state: &DeadmanSwitchModel) -> Option<ObservedDeadmanSwitch> {
        Some(ObservedDeadmanSwitch {
            team: parsed(&state.team_id)?,
            id: parsed(&state.id)?,
            name: state.name.clone().unwrap_or_default(),
            matcher: state.matcher.clone().unwrap_or_default(),
            timeout: state.timeout.clone().unwrap_or_default(),
            severity: or_default(&state.severity, DEFAULT_SEVERITY),
        })
    }

    fn fill(state: &mut DeadmanSwitchModel, observed: &ObservedDeadmanSwitch) {
        state.id.set(observed.id.to_string());
        state.team_id.set(observed.team.to_string());
        state.name.set(observed.name.clone());
        state.matcher.set(observed.matcher.clone());
        state.timeout.set(observed.timeout.clone());
        state.severity.set(observed.severity.clone());
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedDeadmanSwitch,
    ) -> Result<Option<ObservedDeadmanSwitch>, ApiError> {
        let team = stored.team;
        let list = lookup::switches(caller, team);
        let switch = lookup::in_team(caller, team, list, stored.id).await?;
        Ok(switch.map(|switch| ObservedDeadmanSwitch::from_fact(team, &switch)))
    }

    fn found(found: Found, wanted: &DeadmanSwitchModel) -> Option<ObservedDeadmanSwitch> {
        let team = parsed(&wanted.team_id)?;
        match found {
            Found::Switch(switch) => Some(ObservedDeadmanSwitch::from_fact(team, &switch)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use terdut_core::plan::{self, Action, Ownership, Plan, Policy};

    use super::*;

    fn state() -> DeadmanSwitchModel {
        DeadmanSwitchModel {
            id: "7".into(),
            team_id: "42".into(),
            name: "watchdog".into(),
            matcher: "alertname=Watchdog,env=prod".into(),
            timeout: "1h30m0s".into(),
            severity: "critical".into(),
            ..DeadmanSwitchModel::default()
        }
    }

    fn planned(wanted: &DeadmanSwitchModel) -> Plan {
        let desired = DeadmanSwitchObject::desired(wanted, &mut Findings::default());
        let stored = DeadmanSwitchObject::stored(&state());
        let ours = Ownership::Recorded;
        let policy = Policy::default();
        plan::plan::<DeadmanSwitch>(desired.as_ref(), stored.as_ref(), ours, policy)
    }

    #[test]
    fn another_spelling_and_the_default_severity_change_nothing() {
        let respelt = DeadmanSwitchModel {
            name: " watchdog ".into(),
            matcher: "env=prod, alertname=Watchdog".into(),
            timeout: "90m".into(),
            severity: Attr::Null,
            ..state()
        };
        assert_eq!(planned(&respelt).action, Action::NoOp);
    }

    #[test]
    fn every_change_replaces_and_says_what_is_not_watched() {
        for (field, wanted) in [
            ("team_id", DeadmanSwitchModel { team_id: "43".into(), ..state() }),
            ("name", DeadmanSwitchModel { name: "other".into(), ..state() }),
            ("matcher", DeadmanSwitchModel { matcher: "a=b".into(), ..state() }),
            ("timeout", DeadmanSwitchModel { timeout: "2h".into(), ..state() }),
            ("severity", DeadmanSwitchModel { severity: "info".into(), ..state() }),
            ("matcher", DeadmanSwitchModel { matcher: Attr::Unknown, ..state() }),
        ] {
            let plan = planned(&wanted);
            let fields: Vec<_> = plan.replace.iter().map(|change| change.field).collect();
            assert_eq!((plan.action, fields), (Action::Replace, vec![field]));
            let text: String = plan.warnings.iter().map(|one| one.summary.as_str()).collect();
            assert!(text.starts_with("Not watched"), "{text}");
            let told = DeadmanSwitchObject::REPLACED_BY.unwrap_or_default();
            assert!(told.contains(field.trim_end_matches("_id")), "{field} is not told");
        }
    }
}
