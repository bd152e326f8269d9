//! What has to be done so that what is there becomes what is wanted.
//!
//! [`plan`] is pure and leaves no choice to whoever carries it out. `terraform plan` shows its
//! differences (there, observed is the refreshed state), apply carries its steps out (there,
//! observed are fresh facts), and the bridge will do both. [`lint`] checks what must never be in it.

mod difference;
mod lint;
mod refusal;
mod step;

#[cfg(test)]
mod tests;

pub use difference::{Change, Differences};
pub use lint::{Broken, lint};
pub use refusal::Refusal;
pub use step::{Context, Ref, Step, StepError};

use crate::model::Model;
use crate::problem::{Path, Problem};

/// What a plan does on the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing: both mean the same, or nothing may be done.
    NoOp,
    /// Makes it.
    Create,
    /// Takes over what was found by name, and updates what differs.
    Adopt,
    /// Changes it in place.
    Update,
    /// Deletes it and makes it again.
    Replace,
    /// Removes it.
    Delete,
    /// Does nothing and says why.
    Refuse,
}

/// Whether what is there is known to be ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// A record (Terraform: the state) says that we made or took it.
    Recorded,
    /// It was found by its name.
    Found,
    /// Another resource of the same configuration made it, or took it over. Two would fight over
    /// it, and to delete it would take it from the other: it is neither adopted nor deleted.
    Shared,
}

/// What is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// What was found by its name may be taken over.
    pub adopt_existing: bool,
    /// Nothing is deleted when the wish is taken back.
    pub retain: bool,
    /// A new key is asked for ([`crate::model::rotates`]).
    pub rotate: bool,
}

/// The way from what is there to what is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// On the whole.
    pub action: Action,
    /// One after another. Empty while something that they need is unknown.
    pub steps: Vec<Step>,
    /// What forces a replacement, and why.
    pub replace: Vec<Change>,
    /// What is changed in place.
    pub updates: Vec<&'static str>,
    /// What a person should know before it is carried out.
    pub warnings: Vec<Problem>,
    /// Why nothing is done, for [`Action::Refuse`].
    pub refusal: Option<Refusal>,
}

impl Plan {
    fn new(action: Action, steps: Vec<Step>) -> Self {
        let (replace, updates, warnings) = (Vec::new(), Vec::new(), Vec::new());
        Self { action, steps, replace, updates, warnings, refusal: None }
    }

    fn refuse(refusal: Refusal) -> Self {
        Self { refusal: Some(refusal), ..Self::new(Action::Refuse, Vec::new()) }
    }

    fn because(self, differences: Differences) -> Self {
        Self { replace: differences.replace, updates: differences.updates, ..self }
    }

    fn warn(mut self, warning: Option<(&str, &str)>) -> Self {
        let problem = |(summary, detail)| Problem::new(Path::root(), summary, detail);
        self.warnings.extend(warning.map(problem));
        self
    }
}

/// The plan for one object: wanted or not, there or not.
pub fn plan<M: Model>(
    desired: Option<&M::Desired>,
    observed: Option<&M::Observed>,
    ownership: Ownership,
    policy: Policy,
) -> Plan {
    match (desired, observed) {
        (None, None) => Plan::new(Action::NoOp, Vec::new()),
        (None, Some(observed)) => remove::<M>(observed, ownership, policy),
        (Some(desired), None) => Plan::new(Action::Create, create::<M>(desired)),
        (Some(desired), Some(observed)) => match ownership {
            Ownership::Recorded => change::<M>(desired, observed, policy),
            Ownership::Found => adopt::<M>(desired, observed, policy),
            Ownership::Shared => share::<M>(desired, observed, policy),
        },
    }
}

fn remove<M: Model>(observed: &M::Observed, ownership: Ownership, policy: Policy) -> Plan {
    match ownership {
        _ if policy.retain => Plan::new(Action::NoOp, Vec::new()),
        Ownership::Recorded => Plan::new(Action::Delete, M::delete(observed)),
        Ownership::Found => Plan::refuse(Refusal::not_ours::<M>(observed)),
        Ownership::Shared => leave::<M>(observed),
    }
}

/// With `create_before_destroy`, what was taken over by its name is the old one.
fn leave<M: Model>(observed: &M::Observed) -> Plan {
    let (noun, name) = (M::KIND.noun(), M::label(observed));
    let detail = format!(
        "The {noun} {name:?} still had the name when its successor was made, and adopt_existing \
         took it over. It was kept. To have a new object, remove create_before_destroy or \
         adopt_existing from this resource."
    );
    let summary = "Not deleted: its successor is the same object";
    Plan::new(Action::NoOp, Vec::new()).warn(Some((summary, &detail)))
}

fn create<M: Model>(desired: &M::Desired) -> Vec<Step> {
    M::known(desired).map(|known| known.create()).unwrap_or_default()
}

fn change<M: Model>(desired: &M::Desired, observed: &M::Observed, policy: Policy) -> Plan {
    let mut differences = M::differences(desired, observed);
    differences.rotate(policy.rotate);
    if !differences.replace.is_empty() {
        replace::<M>(desired, observed).because(differences)
    } else if !differences.updates.is_empty() {
        let steps = update::<M>(desired, observed, &differences);
        Plan::new(Action::Update, steps).because(differences)
    } else {
        Plan::new(Action::NoOp, Vec::new())
    }
}

fn update<M: Model>(
    desired: &M::Desired,
    observed: &M::Observed,
    differences: &Differences,
) -> Vec<Step> {
    M::known(desired).map(|known| known.update(observed, differences)).unwrap_or_default()
}

fn replace<M: Model>(desired: &M::Desired, observed: &M::Observed) -> Plan {
    let steps = M::known(desired).map(|known| {
        let (delete, create) = (M::delete(observed), known.create());
        if M::SUCCESSOR_FIRST { [create, delete].concat() } else { [delete, create].concat() }
    });
    Plan::new(Action::Replace, steps.unwrap_or_default()).warn(M::REPLACE_WARNING)
}

fn adopt<M: Model>(desired: &M::Desired, observed: &M::Observed, policy: Policy) -> Plan {
    let differences = M::differences(desired, observed);
    if M::TAKES_UP_SAME && differences.is_empty() {
        Plan::new(Action::NoOp, Vec::new())
    } else if !policy.adopt_existing {
        Plan::refuse(Refusal::taken::<M>(observed))
    } else if differences.replace.is_empty() {
        let steps = update::<M>(desired, observed, &differences);
        Plan::new(Action::Adopt, steps).because(differences).warn(M::ADOPT_WARNING)
    } else if M::ADOPTS_BY_REPLACING {
        replace::<M>(desired, observed).because(differences)
    } else {
        Plan::refuse(Refusal::differs::<M>(observed, differences.replace))
    }
}

/// What keeps it from being adopted at all is told first.
fn share<M: Model>(desired: &M::Desired, observed: &M::Observed, policy: Policy) -> Plan {
    let alone = adopt::<M>(desired, observed, policy);
    if alone.refusal.is_some() { alone } else { Plan::refuse(Refusal::shared::<M>(observed)) }
}
