//! What must never be in a plan.
//!
//! Run by whoever carries a plan out, before its first step: a second look that knows nothing of
//! how the plan was made.

use super::{Action, Ownership, Plan, Policy, Step};

/// A rule that a plan breaks: a fault of ours, never of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// Deletes while a wish is taken back under retain.
    #[error("something would be deleted although it is to be retained")]
    DeletesRetained,
    /// Takes over or deletes what is not recorded as ours, without leave.
    #[error("something that is not ours would be taken over or deleted")]
    TakesForeign,
    /// Revokes a key before its successor is there.
    #[error("a key would be revoked before its successor is made")]
    RevokesFirst,
    /// Deletes where nothing is to be deleted, or makes where nothing is to be made.
    #[error("a step does not belong to what the plan does")]
    StrayStep,
    /// A later step refers to an object that no step makes.
    #[error("a step is about an object that is not made before it")]
    MissingObject,
}

/// Checks a plan. `wanted` says whether there is a wish at all.
pub fn lint(plan: &Plan, wanted: bool, owner: Ownership, policy: Policy) -> Result<(), Broken> {
    let deletes = plan.steps.iter().any(Step::is_delete);
    let takes = deletes || plan.action == Action::Adopt;
    if deletes && !wanted && policy.retain {
        return Err(Broken::DeletesRetained);
    }
    let may_take = match owner {
        Ownership::Recorded => true,
        Ownership::Found => wanted && policy.adopt_existing,
        Ownership::Shared => false,
    };
    if takes && !may_take {
        return Err(Broken::TakesForeign);
    }
    if revokes_first(&plan.steps) {
        return Err(Broken::RevokesFirst);
    }
    if plan.steps.iter().any(|step| !belongs(plan.action, step)) {
        return Err(Broken::StrayStep);
    }
    if plan.steps.iter().enumerate().any(|(position, step)| dangles(step, &plan.steps[..position]))
    {
        return Err(Broken::MissingObject);
    }
    Ok(())
}

fn revokes_first(steps: &[Step]) -> bool {
    let position = |wanted: fn(&Step) -> bool| steps.iter().position(wanted);
    let minted = position(|step| matches!(step, Step::MintKey { .. }));
    let revoked = position(|step| matches!(step, Step::RevokeKey { .. }));
    matches!((minted, revoked), (Some(minted), Some(revoked)) if revoked < minted)
}

fn belongs(action: Action, step: &Step) -> bool {
    match action {
        Action::NoOp | Action::Refuse => false,
        Action::Create => !step.is_delete(),
        Action::Adopt | Action::Update => !step.is_delete() && !step.is_create(),
        Action::Replace => true,
        Action::Delete => step.is_delete(),
    }
}

fn dangles(step: &Step, before: &[Step]) -> bool {
    use super::Ref;
    let made = |kind: fn(&Step) -> bool| before.iter().any(kind);
    match step {
        Step::SetGroups { team: Ref::Made, .. } => {
            !made(|step| matches!(step, Step::CreateTeam { .. }))
        }
        Step::SetTopic { user: Ref::Made, .. } => {
            !made(|step| matches!(step, Step::CreateUser { .. }))
        }
        _ => false,
    }
}
