//! `terdut_alert_source`: where a team's alerts come in.
//!
//! Its key and webhook URL are shown once, so they live in the state; those of an imported or
//! adopted one stay null.

use terdut_client::Caller;
use terdut_client::execute::{Found, Made};
use terdut_core::error::ApiError;
use terdut_core::model::{
    AlertSource, AlertSourceInput, AlertSourceSpec, DEFAULT_KIND, DesiredAlertSource, Kind,
    ObservedAlertSource,
};
use terdut_core::problem::Findings;
use terdut_core::value::Name;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::model::Sensitive;
use terdut_plugin::schema::{Attribute, Schema};

use crate::attributes::{
    adopt_existing, id, input, or_default, parsed, rotate_when_changed, team_id,
};
use crate::equality::same;
use crate::object::{Object, lookup};
use crate::projection::Spec;
use crate::rotation::{Rotation, rotates};
use crate::timeouts::{self, TimeoutsModel};

terdut_plugin::model! {
    /// An alert source.
    pub struct AlertSourceModel {
        pub id: Attr<String>,
        pub team_id: Attr<String>,
        pub kind: Attr<String>,
        pub name: Attr<String>,
        pub rotate_when_changed: Rotation,
        pub webhook_url: Attr<Sensitive>,
        pub key: Attr<Sensitive>,
        pub adopt_existing: Attr<bool>,
        pub timeouts: Attr<TimeoutsModel>,
    }
}

/// See the module.
#[derive(Debug)]
pub struct AlertSourceObject;

impl Object for AlertSourceObject {
    type Model = AlertSourceModel;
    type Core = AlertSource;

    const PATH: &'static [(&'static str, Kind)] =
        &[("team_id", Kind::Team), ("id", Kind::AlertSource)];
    const REPLACED_BY: Option<&'static str> = Some(
        "Another kind or team makes a new source with a new key; another name changes it in place. \
         In the same team `create_before_destroy` needs another name.",
    );

    fn schema() -> Schema {
        let spec = Spec::of::<AlertSourceSpec>();
        Schema::new(spec.description())
            .attribute(id("Id of the alert source."))
            .attribute(team_id())
            .attributes(spec.attributes(|path, attribute| match path {
                "name" => attribute.equal_by(same::<Name>),
                _ => attribute,
            }))
            .attribute(rotate_when_changed())
            .attribute(shown_once("webhook_url", "What Alertmanager posts to. It holds the key."))
            .attribute(shown_once("key", "The key in the webhook URL."))
            .attribute(adopt_existing())
            .attribute(timeouts::attribute())
    }

    fn desired(model: &AlertSourceModel, findings: &mut Findings) -> Option<DesiredAlertSource> {
        let team_id = input(&model.team_id);
        AlertSourceInput { team_id, kind: input(&model.kind), name: input(&model.name) }
            .validate(findings)
    }

    fn stored(state: &AlertSourceModel) -> Option<ObservedAlertSource> {
        Some(ObservedAlertSource {
            team: parsed(&state.team_id)?,
            id: parsed(&state.id)?,
            kind: or_default(&state.kind, DEFAULT_KIND),
            name: state.name.clone().unwrap_or_default(),
        })
    }

    fn fill(state: &mut AlertSourceModel, observed: &ObservedAlertSource) {
        state.id.set(observed.id.to_string());
        state.team_id.set(observed.team.to_string());
        state.kind.set(observed.kind.clone());
        state.name.set(observed.name.clone());
    }

    async fn find(
        caller: &Caller,
        stored: &ObservedAlertSource,
    ) -> Result<Option<ObservedAlertSource>, ApiError> {
        let team = stored.team;
        let list = lookup::sources(caller, team);
        let source = lookup::in_team(caller, team, list, stored.id).await?;
        Ok(source.map(|source| ObservedAlertSource::from_fact(team, &source)))
    }

    fn found(found: Found, wanted: &AlertSourceModel) -> Option<ObservedAlertSource> {
        let team = parsed(&wanted.team_id)?;
        match found {
            Found::Source(source) => Some(ObservedAlertSource::from_fact(team, &source)),
            _ => None,
        }
    }

    fn settle(state: &mut AlertSourceModel, made: Option<Made>) {
        if let Some(Made::Source(made)) = made {
            state.webhook_url.set(Sensitive::new(made.url.expose()));
            state.key.set(Sensitive::new(made.key.expose()));
        }
    }

    fn rotates(prior: &AlertSourceModel, planned: &AlertSourceModel) -> bool {
        rotates(&prior.rotate_when_changed, &planned.rotate_when_changed)
    }

    fn imported(diagnostics: &mut Diagnostics) {
        diagnostics.warning(
            "The key of the alert source is not known",
            "terdut shows the key and the webhook URL once, when the source is made. Both stay \
             null for this imported source; a change of rotate_when_changed between two values \
             makes a new source with a new key.",
        );
    }
}

fn shown_once(name: &str, what: &str) -> Attribute {
    let text = format!("{what} terdut shows it once: after an import or an adoption it is null.");
    Attribute::string(name).computed().keep().sensitive().describe(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state() -> AlertSourceModel {
        AlertSourceModel {
            id: "7".into(),
            team_id: "42".into(),
            kind: "alertmanager".into(),
            name: "prod".into(),
            key: Attr::Known(Sensitive::new("k-0123")),
            webhook_url: Attr::Known(Sensitive::new("https://terdut.example.org/k-0123")),
            ..AlertSourceModel::default()
        }
    }

    #[test]
    fn what_the_server_lists_never_touches_the_key() {
        for before in [state(), AlertSourceModel { key: Attr::Null, ..state() }] {
            let mut after = before.clone();
            let mut observed = AlertSourceObject::stored(&before).unwrap();
            observed.name = "other".to_owned();
            AlertSourceObject::fill(&mut after, &observed);
            assert_eq!(after, AlertSourceModel { name: "other".into(), ..before });
        }
    }

    #[test]
    fn what_was_taken_over_keeps_no_key() {
        let mut adopted = AlertSourceModel { key: Attr::Null, webhook_url: Attr::Null, ..state() };
        AlertSourceObject::settle(&mut adopted, None);
        assert!(adopted.key == Attr::Null && adopted.webhook_url == Attr::Null);
    }

    #[test]
    fn an_import_says_once_that_the_key_is_not_known() {
        let mut told = Diagnostics::new();
        AlertSourceObject::imported(&mut told);
        assert_eq!(told.iter().count(), 1);
        assert!(!told.has_errors());
    }

    #[test]
    fn another_kind_than_alertmanager_is_a_warning() {
        let mut findings = Findings::default();
        let model = AlertSourceModel { kind: "webhook".into(), ..state() };
        assert!(AlertSourceObject::desired(&model, &mut findings).is_some());
        assert_eq!((findings.errors.len(), findings.warnings.len()), (0, 1));
    }
}
