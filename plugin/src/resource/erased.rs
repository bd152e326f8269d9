//! Resources as the engine sees them: values instead of models.
//!
//! Converters only. What a plan or an answer has to look like is the engine's to say.

use serde_json::Value as Json;

use super::entry::ResourceEntry;
use super::{
    Context, Create, Delete, ImportBy, MoveSource, Outcome, Plan, Private, Read, Resource, Update,
};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::model::{FromValue, ToValue, overlay};
use crate::offered::{Boxed, Offered, offered};
use crate::path::AttributePath;
use crate::schema::IdentitySchema;
use crate::value::Value;

/// An outcome with the state as a value.
#[derive(Debug)]
pub(crate) struct ErasedOutcome {
    pub(crate) state: Option<Value>,
    pub(crate) private: Private,
    pub(crate) diagnostics: Diagnostics,
}

/// What a plan hook came to.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) state: Value,
    pub(crate) private: Private,
    pub(crate) replace: Vec<AttributePath>,
    pub(crate) diagnostics: Diagnostics,
}

/// A resource without its model's type.
pub(crate) trait AnyResource<D>: Offered {
    fn plan(
        &self,
        context: &Context<D>,
        config: Value,
        prior: Option<Value>,
        planned: Value,
        private: Private,
    ) -> Planned;
    fn plan_delete<'a>(&'a self, context: &'a Context<D>, prior: Value) -> Boxed<'a, Diagnostics>;
    fn create<'a>(
        &'a self,
        context: &'a Context<D>,
        config: Value,
        planned: Value,
        private: Private,
    ) -> Boxed<'a, ErasedOutcome>;
    fn read<'a>(
        &'a self,
        context: &'a Context<D>,
        state: Value,
        private: Private,
    ) -> Boxed<'a, ErasedOutcome>;
    fn update<'a>(
        &'a self,
        context: &'a Context<D>,
        values: [Value; 3],
        private: Private,
    ) -> Boxed<'a, ErasedOutcome>;
    fn delete<'a>(
        &'a self,
        context: &'a Context<D>,
        prior: Value,
        private: Private,
    ) -> Boxed<'a, ErasedOutcome>;
    fn import<'a>(
        &'a self,
        context: &'a Context<D>,
        by: ImportBy,
    ) -> Option<Boxed<'a, Result<Value, Diagnostics>>>;
    fn identity_schema(&self) -> Option<&IdentitySchema>;
    fn identity(&self, data: &D, state: &Value) -> Option<Value>;
    fn upgrade(&self, version: i64, state: Json) -> Result<Json, Diagnostics>;
    fn move_state(&self, source: MoveSource) -> Result<Option<Json>, Diagnostics>;
}

offered!(ResourceEntry<R: Resource>, resource, Model);

impl<R: Resource> AnyResource<R::Data> for ResourceEntry<R> {
    fn plan(
        &self,
        context: &Context<R::Data>,
        config: Value,
        prior: Option<Value>,
        planned: Value,
        private: Private,
    ) -> Planned {
        match Self::typed_plan(config, prior, &planned, private.clone()) {
            Ok(mut plan) => {
                let before = plan.planned.to_value();
                self.resource.plan(context, &mut plan);
                let mut planned = planned;
                overlay(&mut planned, &before, plan.planned.into_value());
                Planned {
                    state: planned,
                    private: plan.private,
                    replace: plan.replace,
                    diagnostics: plan.diagnostics,
                }
            }
            Err(diagnostics) => {
                Planned { state: planned, private, replace: Vec::new(), diagnostics }
            }
        }
    }

    fn plan_delete<'a>(
        &'a self,
        context: &'a Context<R::Data>,
        prior: Value,
    ) -> Boxed<'a, Diagnostics> {
        Box::pin(async move {
            let mut diagnostics = Diagnostics::new();
            if let Some(prior) = diagnostics.take(R::Model::from_value(prior)) {
                self.resource.plan_delete(context, &prior, &mut diagnostics).await;
            }
            diagnostics
        })
    }

    fn create<'a>(
        &'a self,
        context: &'a Context<R::Data>,
        config: Value,
        planned: Value,
        private: Private,
    ) -> Boxed<'a, ErasedOutcome> {
        Box::pin(async move {
            let models = [config, planned].map(R::Model::from_value);
            match models {
                [Ok(config), Ok(planned)] => {
                    let request = Create { config, planned, private };
                    self.resource.create(context, request).await.into()
                }
                models => ErasedOutcome::unfit(models, private),
            }
        })
    }

    fn read<'a>(
        &'a self,
        context: &'a Context<R::Data>,
        state: Value,
        private: Private,
    ) -> Boxed<'a, ErasedOutcome> {
        Box::pin(async move {
            match R::Model::from_value(state) {
                Ok(state) => self.resource.read(context, Read { state, private }).await.into(),
                error => ErasedOutcome::unfit([error], private),
            }
        })
    }

    fn update<'a>(
        &'a self,
        context: &'a Context<R::Data>,
        values: [Value; 3],
        private: Private,
    ) -> Boxed<'a, ErasedOutcome> {
        Box::pin(async move {
            match values.map(R::Model::from_value) {
                [Ok(config), Ok(prior), Ok(planned)] => {
                    let request = Update { config, prior, planned, private };
                    self.resource.update(context, request).await.into()
                }
                models => ErasedOutcome::unfit(models, private),
            }
        })
    }

    fn delete<'a>(
        &'a self,
        context: &'a Context<R::Data>,
        prior: Value,
        private: Private,
    ) -> Boxed<'a, ErasedOutcome> {
        Box::pin(async move {
            match R::Model::from_value(prior) {
                Ok(prior) => self.resource.delete(context, Delete { prior, private }).await.into(),
                error => ErasedOutcome::unfit([error], private),
            }
        })
    }

    fn import<'a>(
        &'a self,
        context: &'a Context<R::Data>,
        by: ImportBy,
    ) -> Option<Boxed<'a, Result<Value, Diagnostics>>> {
        let import = self.import?;
        let stub = import(&self.resource, context, by);
        Some(Box::pin(async move { stub.await.map(ToValue::into_value) }))
    }

    fn identity_schema(&self) -> Option<&IdentitySchema> {
        self.identity.as_ref().map(|(schema, _)| schema)
    }

    fn identity(&self, data: &R::Data, state: &Value) -> Option<Value> {
        let (_, identity) = self.identity.as_ref()?;
        let state = R::Model::from_value(state.clone()).ok()?;
        identity(&self.resource, data, &state)
    }

    fn upgrade(&self, version: i64, state: Json) -> Result<Json, Diagnostics> {
        let current = self.schema.state_version();
        if version == current {
            return Ok(state);
        }
        let unreadable = || {
            let name = self.name();
            Diagnostic::error(
                "State of another version",
                format!(
                    "This {name} was written with schema version {version}; this provider \
                         reads version {current}. Use the provider version that wrote it, or \
                         import the object again."
                ),
            )
        };
        let upgrade = self.upgrade.filter(|_| version < current).ok_or_else(unreadable)?;
        upgrade(&self.resource, version, state)
    }

    fn move_state(&self, source: MoveSource) -> Result<Option<Json>, Diagnostics> {
        self.move_state.map_or(Ok(None), |move_state| move_state(&self.resource, source))
    }
}

impl<R: Resource> ResourceEntry<R> {
    fn typed_plan(
        config: Value,
        prior: Option<Value>,
        planned: &Value,
        private: Private,
    ) -> Result<Plan<R::Model>, Diagnostics> {
        Ok(Plan {
            config: R::Model::from_value(config)?,
            prior: prior.map(R::Model::from_value).transpose()?,
            planned: R::Model::from_value(planned.clone())?,
            private,
            diagnostics: Diagnostics::new(),
            replace: Vec::new(),
        })
    }
}

impl ErasedOutcome {
    /// Values that do not fit the model: the schema and the model disagree.
    fn unfit<M, E: Into<Diagnostics>>(
        models: impl IntoIterator<Item = Result<M, E>>,
        private: Private,
    ) -> Self {
        let mut diagnostics = Diagnostics::new();
        for error in models.into_iter().filter_map(Result::err) {
            diagnostics.extend(error.into());
        }
        Self { state: None, private, diagnostics }
    }
}

impl<M: ToValue> From<Outcome<M>> for ErasedOutcome {
    fn from(outcome: Outcome<M>) -> Self {
        Self {
            state: outcome.state.map(ToValue::into_value),
            private: outcome.private,
            diagnostics: outcome.diagnostics,
        }
    }
}
