//! The definitions of the custom resources (CRDs).
//!
//! Projected from the kinds' types, so that what a field is called, means and may hold stands in one
//! place, core. This adds what only an API server needs: bounds on everything, rules that one object
//! alone can break, columns. It writes no default: a manifest that is applied twice shows no
//! difference. `deploy/crds` holds what it makes.

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::names::{GROUP, VERSION};
use super::{
    Kind, TerdutAlertSource, TerdutAlertSourceSpec, TerdutDeadmanSwitch, TerdutDeadmanSwitchSpec,
    TerdutEscalationRule, TerdutEscalationRuleSpec, TerdutServer, TerdutServerSpec, TerdutTeam,
    TerdutTeamSpec,
};

mod columns;
mod conditions;
mod rules;
mod structural;

#[cfg(test)]
mod tests;

use rules::Rule;
use structural::Projection;

/// All five, the server first.
pub fn all() -> Vec<Value> {
    vec![
        document::<TerdutServer, TerdutServerSpec>("tserver", &columns::server(), &rules::server()),
        document::<TerdutTeam, TerdutTeamSpec>("tteam", &columns::team(), &rules::team()),
        document::<TerdutEscalationRule, TerdutEscalationRuleSpec>(
            "trule",
            &columns::escalation_rule(),
            &rules::escalation_rule(),
        ),
        document::<TerdutDeadmanSwitch, TerdutDeadmanSwitchSpec>(
            "tswitch",
            &columns::deadman_switch(),
            &rules::deadman_switch(),
        ),
        document::<TerdutAlertSource, TerdutAlertSourceSpec>(
            "tsource",
            &columns::alert_source(),
            &rules::alert_source(),
        ),
    ]
}

/// The schema of the objects that a document defines.
pub fn of_objects(document: &Value) -> &Value {
    &document["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
}

fn document<K, Spec>(short: &str, columns: &Value, rules: &[Rule]) -> Value
where
    K: Kind<Status: JsonSchema>,
    Spec: JsonSchema,
{
    let plural = K::plural(&());
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "kind": K::KIND,
                "listKind": format!("{}List", K::KIND),
                "plural": plural,
                "singular": K::KIND.to_lowercase(),
                "shortNames": [short],
                "categories": ["terdut"],
            },
            "versions": [{
                "name": VERSION,
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "additionalPrinterColumns": columns,
                "schema": {"openAPIV3Schema": root::<K, Spec>(rules)},
            }],
        },
    })
}

/// The schema of a whole object.
fn root<K, Spec>(rules: &[Rule]) -> Value
where
    K: Kind<Status: JsonSchema>,
    Spec: JsonSchema,
{
    let spec = Projection::of::<Spec>(rules).whole();
    let mut status = Projection::of::<K::Status>(&[]).whole();
    status["properties"]["conditions"] = conditions::schema(&status["properties"]["conditions"]);
    let mut root = json!({
        "description": spec["description"],
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": spec,
            "status": status,
        },
    });
    rules::attach(&mut root, rules, rules::ROOT);
    root
}
