//! Plan, apply and destroy of one address.
//!
//! Plan asks everything twice and wants the same answer; apply plans once more with the wholly
//! known configuration and holds that against the first plan.

use serde_json::Value as Json;

use super::World;
use super::outcome::{Action, ApplyOutcome, PlanOutcome, action_of, outcome};
use crate::host::rules::{Rule, Violations, result, state};
use crate::host::session::{Diagnostic, Failure, Held, Planned};
use crate::host::value::Value;

/// A plan with all that apply needs of it.
struct Change {
    action: Action,
    /// The object as it is, null for none.
    prior: Held,
    /// What the last plan call said: for a replacement that of the create half.
    planned: Planned,
    outcome: PlanOutcome,
}

impl World {
    /// Plans a configuration at an address; keeps nothing.
    pub async fn plan(
        &self,
        address: &str,
        type_name: &str,
        config: &Json,
    ) -> Result<PlanOutcome, Failure> {
        Ok(self.change(address, type_name, config).await?.outcome)
    }

    /// Plans and applies a configuration at an address.
    pub async fn apply(
        &mut self,
        address: &str,
        type_name: &str,
        config: &Json,
    ) -> Result<ApplyOutcome, Failure> {
        self.apply_resolved(address, type_name, config, config).await
    }

    /// Plans one configuration and applies another: the same one with its unknowns filled in.
    pub async fn apply_resolved(
        &mut self,
        address: &str,
        type_name: &str,
        planned: &Json,
        known: &Json,
    ) -> Result<ApplyOutcome, Failure> {
        let change = self.change(address, type_name, planned).await?;
        self.carry_out(address, type_name, change, known).await
    }

    async fn change(
        &self,
        address: &str,
        type_name: &str,
        config: &Json,
    ) -> Result<Change, Failure> {
        let mut warnings = self.session.validate(type_name, config).await?;
        let schema = self.session.schemas().resource(type_name);
        let config = self.session.config(type_name, schema, config);
        let (prior, said) =
            self.look(address, type_name).await?.unwrap_or_else(|| (Held::nothing(), Vec::new()));
        warnings.extend(said);
        if self.is_tainted(address) && !prior.state.is_null() {
            return self.change_tainted(type_name, prior, &config, warnings).await;
        }
        let planned = self.plan_twice(type_name, &prior, &config, false).await?;
        warnings.extend(planned.warnings.clone());
        let write_only = state::write_only_set(schema, &config);
        let (action, replace) = action_of(&prior.state, &planned, |path| write_only.contains(path));
        if action != Action::Replace {
            let outcome = outcome(action, &replace, &prior.state, &planned.held.state, warnings);
            return Ok(Change { action, prior, planned, outcome });
        }
        let fresh = self.replacement(&planned.held);
        let second = self.plan_twice(type_name, &fresh, &config, true).await?;
        let outcome = outcome(action, &replace, &prior.state, &second.held.state, warnings);
        Ok(Change { action, prior, planned: second, outcome })
    }

    /// The create half of a replacement starts from nothing but the private data of the plan.
    fn replacement(&self, planned: &Held) -> Held {
        let keeps = self.session.profile().planned_identity_as_prior;
        let identity = if keeps { planned.identity.clone() } else { Value::Null };
        Held { state: Value::Null, private: planned.private.clone(), identity }
    }

    async fn change_tainted(
        &self,
        type_name: &str,
        prior: Held,
        config: &Value,
        mut warnings: Vec<Diagnostic>,
    ) -> Result<Change, Failure> {
        let planned = self.plan_twice(type_name, &Held::nothing(), config, true).await?;
        warnings.extend(planned.warnings.clone());
        let action = Action::Replace;
        let outcome = outcome(action, &[], &prior.state, &planned.held.state, warnings);
        Ok(Change { action, prior, planned, outcome })
    }

    /// Asks the same twice and wants the same answer.
    async fn plan_twice(
        &self,
        type_name: &str,
        prior: &Held,
        config: &Value,
        may_be_unknown: bool,
    ) -> Result<Planned, Failure> {
        let first = self.session.plan(type_name, prior, config, may_be_unknown).await?;
        let second = self.session.plan(type_name, prior, config, may_be_unknown).await?;
        let mut violations = Violations::default();
        let same = first.held.state == second.held.state
            && first.replace == second.replace
            && first.held.identity == second.held.identity;
        if !same {
            let found = format!("was {:?}, then {:?}", first.held.state, second.held.state);
            violations.add_root(Rule::PlanDeterministic, &found);
        }
        violations.expect_none(&format!("plan {type_name} twice"));
        Ok(first)
    }

    async fn carry_out(
        &mut self,
        address: &str,
        type_name: &str,
        change: Change,
        known: &Json,
    ) -> Result<ApplyOutcome, Failure> {
        let schema = self.session.schemas().resource(type_name);
        let config = self.session.config(type_name, schema, known);
        assert!(config.is_wholly_known(), "the suite applies an unknown configuration");
        let tainted = self.is_tainted(address);
        self.keep(address, type_name, &change.prior, tainted);
        let diagnostics = match change.action {
            Action::Delete => unreachable!("a configuration never plans a delete"),
            Action::NoOp => Vec::new(),
            Action::Create | Action::Update => {
                self.write(address, type_name, &change, &change.prior, &config).await?
            }
            Action::Replace if self.create_before_destroy => {
                self.replace_create_first(address, type_name, &change, &config).await?
            }
            Action::Replace => {
                let mut said =
                    self.delete(address, type_name, &change.prior, &change.planned.held).await?;
                let nothing = Held::nothing();
                said.extend(self.write(address, type_name, &change, &nothing, &config).await?);
                said
            }
        };
        let state = self.state(address).cloned().unwrap_or(Json::Null);
        Ok(ApplyOutcome { plan: change.outcome, state, diagnostics })
    }

    async fn replace_create_first(
        &mut self,
        address: &str,
        type_name: &str,
        change: &Change,
        config: &Value,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let deposed = format!("{address} (deposed)");
        let tainted = self.is_tainted(address);
        self.keep(&deposed, type_name, &change.prior, tainted);
        self.state.remove(address);
        let written = self.write(address, type_name, change, &Held::nothing(), config).await;
        if written.is_err() && self.state(address).is_none() {
            self.state.remove(&deposed);
            self.keep(address, type_name, &change.prior, tainted);
        }
        let mut said = written?;
        said.extend(self.delete(&deposed, type_name, &change.prior, &change.planned.held).await?);
        Ok(said)
    }

    /// The last plan and the apply of a create or an update.
    async fn write(
        &mut self,
        address: &str,
        type_name: &str,
        change: &Change,
        prior: &Held,
        config: &Value,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let creates = prior.state.is_null();
        self.validate_value(type_name, config).await?;
        let last = self.session.plan(type_name, prior, config, creates).await?;
        self.check_last_plan(type_name, change, prior, config, &last);
        let (new, said) = self.session.apply(type_name, prior, config, &last.held).await;
        match (&said, new.state.is_null()) {
            (Err(_), true) => {}
            (result, _) => {
                let tainted = result.is_err() && creates;
                self.keep(address, type_name, &new, tainted);
            }
        }
        said
    }

    async fn validate_value(&self, type_name: &str, config: &Value) -> Result<(), Failure> {
        let json = crate::host::json::to_json(config);
        self.session.validate(type_name, &json).await.map(|_| ())
    }

    fn check_last_plan(
        &self,
        type_name: &str,
        change: &Change,
        prior: &Held,
        config: &Value,
        last: &Planned,
    ) {
        let mut violations = Violations::default();
        let schema = self.session.schemas().resource(type_name);
        let write_only = state::write_only_set(schema, config);
        let (action, _) = action_of(&prior.state, last, |path| write_only.contains(path));
        let fits = match change.action {
            Action::Replace => action == Action::Create,
            Action::Update => matches!(action, Action::Update | Action::NoOp),
            other => action == other,
        };
        if !fits {
            let found = format!("was {:?}, but now {action:?}", change.action);
            violations.add_root(Rule::PlanAction, &found);
        }
        let planned = &change.planned.held.state;
        result::check_kept(Rule::PlanFinal, planned, &last.held.state, &mut violations);
        violations.expect_none(&format!("the last plan of {type_name}"));
    }

    /// The delete of an object with the private data that a plan gave.
    async fn delete(
        &mut self,
        address: &str,
        type_name: &str,
        prior: &Held,
        planned: &Held,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let none = Held {
            state: Value::Null,
            private: planned.private.clone(),
            identity: prior.identity.clone(),
        };
        let (new, said) = self.session.apply(type_name, prior, &Value::Null, &none).await;
        if said.is_ok() {
            self.state.remove(address);
        } else if !new.state.is_null() {
            let tainted = self.is_tainted(address);
            self.keep(address, type_name, &new, tainted);
        }
        said
    }

    /// Plans the destruction of an address; keeps nothing.
    pub async fn plan_destroy(&self, address: &str) -> Result<PlanOutcome, Failure> {
        Ok(self.destruction(address).await?.1)
    }

    /// The same without a look at the object, as with `-refresh=false`.
    ///
    /// # Panics
    /// If nothing is stored there.
    pub async fn plan_destroy_as_stored(&self, address: &str) -> Result<Vec<Diagnostic>, Failure> {
        let stored = self.state.get(address).expect("something is stored");
        let held = stored.upgraded(&self.session).await?;
        let planned = self.session.plan(&stored.type_name, &held, &Value::Null, false).await?;
        Ok(planned.warnings)
    }

    /// Destroys what is stored at an address; an object that is gone needs no call.
    pub async fn destroy(&mut self, address: &str) -> Result<ApplyOutcome, Failure> {
        let (change, plan) = self.destruction(address).await?;
        let Some((type_name, prior, planned)) = change else {
            self.state.remove(address);
            return Ok(ApplyOutcome { plan, state: Json::Null, diagnostics: Vec::new() });
        };
        let diagnostics = self.delete(address, &type_name, &prior, &planned).await?;
        Ok(ApplyOutcome { plan, state: Json::Null, diagnostics })
    }

    async fn destruction(
        &self,
        address: &str,
    ) -> Result<(Option<(String, Held, Held)>, PlanOutcome), Failure> {
        let none = outcome(Action::NoOp, &[], &Value::Null, &Value::Null, Vec::new());
        let Some(type_name) = self.state.get(address).map(|stored| stored.type_name.clone()) else {
            return Ok((None, none));
        };
        let Some((prior, mut warnings)) = self.look(address, &type_name).await? else {
            return Ok((None, none));
        };
        let planned = if self.session.schemas().capabilities.plan_destroy {
            let planned = self.session.plan(&type_name, &prior, &Value::Null, false).await?;
            warnings.extend(planned.warnings);
            planned.held
        } else {
            prior.clone()
        };
        let plan = outcome(Action::Delete, &[], &prior.state, &Value::Null, warnings);
        Ok((Some((type_name, prior, planned)), plan))
    }
}
