//! Core's plan, shown by Terraform.
//!
//! The schema's behaviours have made the planned values already. Core says what cannot be changed
//! in place, why, and what a person should know before.

use terdut_core::model::Model as CoreModel;
use terdut_core::plan::{self, Action, Ownership, Policy};
use terdut_core::problem::Findings;
use terdut_plugin::diagnostics::Diagnostic;
use terdut_plugin::model::Model;
use terdut_plugin::resource::Plan;
use terdut_plugin::value::Value;

use super::{Object, Observed, kind};

/// Adds to a plan what core says about the change.
pub(super) fn plan<O: Object>(plan: &mut Plan<O::Model>) {
    let Some(prior) = plan.prior.as_ref() else { return };
    let Some(stored) = O::stored(prior) else { return };
    let policy = Policy { rotate: O::rotates(prior, &plan.planned), ..Policy::default() };
    let Some(decided) = decide::<O>(&plan.planned, &stored, policy) else { return };
    for change in &decided.replace {
        plan.replace(change.field);
    }
    if decided.action == Action::Replace {
        plan.diagnostics.push(replaced::<O>(&decided));
    }
}

/// What core decides for an object that is known to be ours. Nothing, where the values are not
/// valid: validation has told that.
pub(super) fn decide<O: Object>(
    planned: &O::Model,
    stored: &Observed<O>,
    policy: Policy,
) -> Option<plan::Plan> {
    let desired = O::desired(planned, &mut Findings::default())?;
    Some(plan::plan::<O::Core>(Some(&desired), Some(stored), Ownership::Recorded, policy))
}

/// One warning: what is lost, which attributes force it, and why.
pub(super) fn replaced<O: Object>(decided: &plan::Plan) -> Diagnostic {
    let reasons: Vec<_> = decided
        .replace
        .iter()
        .map(|change| {
            let doubt =
                if change.certain { "" } else { ", and its value is only known after apply" };
            format!("{} ({}{doubt})", change.field, change.why)
        })
        .collect();
    let why = format!("Replaced because of {}.", reasons.join(", "));
    let lost = decided.warnings.first().map(|problem| (problem.summary.clone(), problem.text()));
    let general = || (format!("The {} is replaced", kind::<O>().noun()), String::new());
    let (summary, detail) = lost.unwrap_or_else(general);
    Diagnostic::warning(summary, format!("{detail} {why}").trim_start())
}

/// Whether the configuration permits to take over what is there.
pub(super) fn adopts(model: &impl Model) -> bool {
    model.to_value().attribute("adopt_existing").and_then(Value::as_bool).unwrap_or(false)
}

/// The id by which an object is known below what it belongs to: the last part of its import id.
pub(super) fn own_id<O: Object>(observed: &Observed<O>) -> String {
    let id = <O::Core as CoreModel>::import_id(observed);
    id.rsplit('/').next().unwrap_or_default().to_owned()
}
