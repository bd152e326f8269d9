//! TerdutEscalationRule: a team's one escalation policy.
//!
//! A policy is put as a whole; git wins over what is there. Of two objects for one team the older
//! rules, and only the one that rules ever takes the policy away.

use std::sync::Arc;

use kube::ResourceExt;
use terdut_core::api::{Reply, Request};
use terdut_core::ids::TeamId;
use terdut_core::model::{DesiredEscalationRule, EscalationRule, Model, ObservedEscalationRule};
use terdut_core::plan::{Action, Ownership, Policy};
use terdut_core::problem::Findings;
use terdut_core::record::ChildRecord;
use terdut_core::value::Input;

use super::child::{self, Kept, Listed, Wanted, Work, ours};
use super::ending::{settled, update_of};
use super::halt::Halt;
use super::wishes::is_deleting;
use crate::context::Context;
use crate::crd::{Child, TerdutEscalationRule};
use crate::engine::{Controller, Next, ObjectKey, Pass};
use crate::events::EventReason;
use crate::status::Reason;

/// The controller of escalation rules.
#[derive(Debug)]
pub struct EscalationRuleController {
    context: Arc<Context>,
}

impl EscalationRuleController {
    /// A controller.
    pub fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}

impl Kept for TerdutEscalationRule {
    type Model = EscalationRule;

    fn asked_name(&self) -> String {
        String::new()
    }

    fn list(team: TeamId) -> Request {
        Request::GetPolicy { team }
    }

    /// At most one, whose id is the team's.
    fn listed(team: TeamId, reply: &Reply, wanted: Wanted<'_>) -> Vec<Listed<EscalationRule>> {
        let Reply::Policy(Some(policy)) = reply else { return Vec::new() };
        let observed = ObservedEscalationRule::from_fact(team, policy, &[]);
        let observed = observed.filter(|_| wanted(team.0, ""));
        let listed = |observed| Listed { id: team.0, name: String::new(), observed };
        observed.map(listed).into_iter().collect()
    }

    /// Another rule of the team may be the one that rules now. A record without an id was written
    /// before the policy was put: what is there is ours only if it says what this object says.
    fn may_remove(
        &self,
        context: &Context,
        record: &ChildRecord,
        there: &ObservedEscalationRule,
    ) -> bool {
        if ruler(context, self).is_some() {
            return false;
        }
        let known = self.spec.rule.input(Input::Given(record.team.to_string()));
        let desired = known.validate(&mut Findings::default());
        let same = |desired: &DesiredEscalationRule| {
            EscalationRule::differences(desired, there).updates.is_empty()
        };
        record.id.is_some() || desired.as_ref().is_some_and(same)
    }
}

impl Controller for EscalationRuleController {
    type Object = TerdutEscalationRule;

    async fn reconcile(&self, rule: Arc<TerdutEscalationRule>, pass: &Pass) -> Next {
        let (context, rule) = (self.context.as_ref(), rule.as_ref());
        if is_deleting(rule) {
            return child::remove(context, rule).await;
        }
        if let Some(next) = child::pause(context, rule).await {
            return next;
        }
        match reconcile(context, rule, pass).await {
            Ok(()) => settled(context, rule, |_| {}).await,
            Err(halt) => child::stop(context, rule, halt).await,
        }
    }
}

/// One pass over a rule that is wanted.
async fn reconcile(
    context: &Context,
    rule: &TerdutEscalationRule,
    pass: &Pass,
) -> Result<(), Halt> {
    desired(rule, Input::Unknown)?; // pure: what is wrong with the manifest comes first
    rules(context, rule)?; // pure: whose turn it is
    let work = child::begin(context, rule, pass).await?; // consent, then the team's key
    let desired = desired(rule, Input::Given(work.team.to_string()))?; // pure
    let there = look(&work, &desired).await?; // what is there
    put(&work, &desired, there).await // ours: as it is, or put anew
}

/// What the manifest asks for, or all that is wrong with it.
fn desired(
    rule: &TerdutEscalationRule,
    team: Input<String>,
) -> Result<DesiredEscalationRule, Halt> {
    let mut findings = Findings::default();
    let desired = rule.spec.rule.input(team).validate(&mut findings);
    desired.filter(|_| findings.is_valid()).ok_or_else(|| Halt::invalid(&findings))
}

/// Whether this object rules its team.
fn rules(context: &Context, rule: &TerdutEscalationRule) -> Result<(), Halt> {
    match ruler(context, rule) {
        Some(other) if is_older(&other, rule) => Err(Halt::waiting(
            Reason::TeamAlreadyHasRule,
            format!(
                "The TerdutEscalationRule {} is older and rules the team. Delete one of the two.",
                other.name_any()
            ),
        )),
        _ => Ok(()),
    }
}

/// The oldest other rule of the same team that is not being deleted.
fn ruler(context: &Context, rule: &TerdutEscalationRule) -> Option<Arc<TerdutEscalationRule>> {
    let team = ObjectKey::new(&rule.namespace().unwrap_or_default(), &rule.team().name);
    let rules = context.stores.escalation_rules().children_of(&team);
    let others =
        rules.into_iter().filter(|other| other.uid() != rule.uid() && !is_deleting(other.as_ref()));
    others.min_by_key(|other| age(other))
}

fn is_older(one: &TerdutEscalationRule, other: &TerdutEscalationRule) -> bool {
    age(one) < age(other)
}

fn age(rule: &TerdutEscalationRule) -> (Option<k8s_openapi::jiff::Timestamp>, String) {
    let made = rule.metadata.creation_timestamp.as_ref().map(|time| time.0);
    (made, rule.uid().unwrap_or_default())
}

/// The policy that is there. People are looked up only where the manifest names some.
async fn look(
    work: &Work<'_, TerdutEscalationRule>,
    desired: &DesiredEscalationRule,
) -> Result<Option<ObservedEscalationRule>, Halt> {
    let answer = work.ask(Request::GetPolicy { team: work.team }, false).await?;
    let Reply::Policy(Some(policy)) = answer else { return Ok(None) };
    let names = EscalationRule::known(desired).is_some_and(|rule| rule.names_users());
    let asked = if names { Some(work.ask(Request::ListUsers, false).await?) } else { None };
    let users = if let Some(Reply::Users(users)) = asked { users } else { [].into() };
    Ok(ObservedEscalationRule::from_fact(work.team, &policy, &users))
}

async fn put(
    work: &Work<'_, TerdutEscalationRule>,
    desired: &DesiredEscalationRule,
    there: Option<ObservedEscalationRule>,
) -> Result<(), Halt> {
    let record = work.record();
    let recorded = record.as_ref().is_some_and(|record| record.id.is_some());
    let plan = ours::<EscalationRule>(desired, there.as_ref());
    if record.is_none() {
        work.intend("", [].into()).await?;
    }
    if plan.action != Action::NoOp {
        work.carry_out(&plan, Ownership::Recorded, Policy::default()).await?;
    }
    if !recorded {
        work.made("", work.team.0).await?;
    }
    if there.is_some() && record.is_none() {
        let note = if plan.action == Action::NoOp {
            "The team's escalation policy was there already and is managed from now on."
        } else {
            "The team had another escalation policy; it was overwritten and is managed from now on."
        };
        work.say(EventReason::Adopted, "Adopt", note).await;
    } else if recorded && plan.action != Action::NoOp {
        let (reason, note) = update_of(&work.object());
        work.say(reason, "Update", note).await;
    }
    Ok(())
}
