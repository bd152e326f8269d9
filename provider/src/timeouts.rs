//! `timeouts`: how long a whole operation may take.
//!
//! Every resource has the attribute. The limit ends an operation as the host's stop does
//! (`context.rs`): nothing new is sent, and what was made so far is answered.

use std::time::Duration;

use terdut_core::model::{Timeouts, TimeoutsInput};
use terdut_core::problem::Findings;
use terdut_core::value::GoDuration;
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::schema::Attribute;
use terdut_plugin::value::Value;

use crate::attributes::input;
use crate::equality::same;
use crate::report;

terdut_plugin::model! {
    /// How long operations may take.
    pub struct TimeoutsModel {
        pub create: Attr<String>,
        pub update: Attr<String>,
        pub delete: Attr<String>,
    }
}

/// The limit of one operation.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    attribute: &'static str,
    span: GoDuration,
}

impl Limit {
    /// Of an action, which has one timeout.
    pub fn of_action(span: Duration) -> Self {
        let nanos = i64::try_from(span.as_nanos()).unwrap_or(i64::MAX);
        Self { attribute: "timeout", span: GoDuration::from_nanos(nanos) }
    }

    /// How long it is.
    pub fn span(self) -> Duration {
        self.span.to_std()
    }

    /// What to add to an error once it is over.
    pub fn exceeded(self) -> Diagnostic {
        Diagnostic::warning(
            "The time is over",
            format!("The operation was ended because it took longer than {self}."),
        )
    }
}

/// With the attribute that sets it.
impl std::fmt::Display for Limit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ({})", self.attribute, self.span)
    }
}

/// The attribute.
pub fn attribute() -> Attribute {
    let one = |name, what| {
        Attribute::string(name)
            .optional()
            .empty_is_null()
            .equal_by(same::<GoDuration>)
            .describe(format!("How long {what} may take, retries included. Default: `5m`."))
    };
    let all = [one("create", "a create"), one("update", "an update"), one("delete", "a delete")];
    Attribute::single("timeouts", all)
        .optional()
        .empty_is_null()
        .describe("How long operations may take: Go durations, 1s to 24h.")
}

/// Checks all of them.
pub fn validate(model: &Attr<TimeoutsModel>, diagnostics: &mut Diagnostics) {
    let mut found = Findings::default();
    limits(model, &mut found);
    report::findings(&found, diagnostics);
}

/// Of a create.
pub fn create(model: &Attr<TimeoutsModel>) -> Limit {
    let span = limits(model, &mut Findings::default()).create;
    Limit { attribute: "timeouts.create", span }
}

/// Of an update.
pub fn update(model: &Attr<TimeoutsModel>) -> Limit {
    let span = limits(model, &mut Findings::default()).update;
    Limit { attribute: "timeouts.update", span }
}

/// Of a delete.
pub fn delete(model: &Attr<TimeoutsModel>) -> Limit {
    let span = limits(model, &mut Findings::default()).delete;
    Limit { attribute: "timeouts.delete", span }
}

/// Of a read, an import or a data source, which cannot be set.
pub fn read() -> Limit {
    Limit { attribute: "what a read may take", span: Timeouts::default().create }
}

/// The attribute of any resource's model.
pub fn of(model: &Value) -> Attr<TimeoutsModel> {
    use terdut_plugin::model::FromValue;
    let value = model.attribute("timeouts").cloned().unwrap_or_default();
    Attr::from_value(value).unwrap_or_default()
}

/// An empty text is none.
fn limits(model: &Attr<TimeoutsModel>, found: &mut Findings) -> Timeouts {
    let model = model.known().cloned().unwrap_or_default();
    let set = |attribute: &Attr<String>| {
        if attribute.as_deref() == Some("") { input(&Attr::Null) } else { input(attribute) }
    };
    let (create, update, delete) = (set(&model.create), set(&model.update), set(&model.delete));
    TimeoutsInput { create, update, delete }.validate(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(create: &str) -> Attr<TimeoutsModel> {
        Attr::Known(TimeoutsModel { create: create.into(), ..TimeoutsModel::default() })
    }

    #[test]
    fn what_is_not_set_takes_five_minutes() {
        assert_eq!(create(&Attr::Null).span(), Duration::from_mins(5));
        assert_eq!(update(&model("1h")).span(), Duration::from_mins(5));
        assert_eq!(create(&model("90s")).span(), Duration::from_secs(90));
    }

    #[test]
    fn a_bad_one_is_told_at_its_place() {
        let mut told = Diagnostics::new();
        validate(&model("25h"), &mut told);
        let paths: Vec<_> = told.iter().filter_map(|one| one.path.clone()).collect();
        assert_eq!(paths.len(), 1);
        assert_eq!(paths[0].to_string(), "timeouts.create");
        validate(&model(""), &mut Diagnostics::new());
    }

    #[test]
    fn the_end_names_the_attribute() {
        let told = create(&model("90s")).exceeded();
        assert!(told.detail.contains("timeouts.create (1m30s)"), "{}", told.detail);
    }
}
