//! One object, by id or by name.

use terdut_core::import_id::Pick;
use terdut_core::lookup::{self, Listed};
use terdut_core::model::Model as CoreModel;
use terdut_core::value::Name;
use terdut_plugin::data_source::DataSource;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use super::{Browse, One, in_team, listed, of_schema, record, shown, team_attribute, text};
use crate::context::ProviderData;
use crate::report;

impl<O: Browse> DataSource for One<O> {
    type Model = Value;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        <O::Core as CoreModel>::KIND.resource_type()
    }

    fn schema(&self) -> Schema {
        of_schema::<O>("Looks one up, by `id` or by `name`.", attributes::<O>())
    }

    fn validate(&self, config: &Value, diagnostics: &mut Diagnostics) {
        let open = |name| config.attribute(name).is_some_and(Value::is_unknown);
        let set = |name| text(config, name).is_some();
        // What is not known yet may turn out to be null.
        let undecided = open("id") || open("name");
        if set("id") == set("name") && !undecided {
            diagnostics.error_at(
                "name",
                "Set id or name",
                "The object is looked up by exactly one of them.",
            );
        }
        if let Err(told) = pick::<O>(config) {
            diagnostics.push(told);
        }
    }

    async fn read(
        &self,
        context: &Context<ProviderData>,
        config: Value,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        diagnostics.take(look_up::<O>(context, &config).await)
    }
}

/// The resource's attributes; id and name are what is looked for.
fn attributes<O: Browse>() -> Vec<Attribute> {
    let mut attributes = shown::<O>();
    let asked =
        |name: &str| ["id", "name"].contains(&name) || (name == "team_id" && in_team::<O>());
    attributes.retain(|attribute| !asked(attribute.name()));
    let noun = <O::Core as CoreModel>::KIND.noun();
    let key = |name, what: &str| {
        Attribute::string(name).optional_computed().describe(format!("{what} of the {noun}."))
    };
    attributes.extend([key("id", "Id"), key("name", "Name")]);
    attributes.extend(in_team::<O>().then(team_attribute));
    attributes
}

async fn look_up<O: Browse>(
    context: &Context<ProviderData>,
    config: &Value,
) -> Result<Value, Diagnostics> {
    let pick = pick::<O>(config)?.ok_or_else(nothing_asked)?;
    let (team, list) = listed::<O>(context, config).await?;
    let fact = lookup::find(&list, &pick).map_err(|error| report::error(&error.problem()))?;
    let mut found = record::<O>(fact, team, &shown::<O>()).ok_or_else(nothing_asked)?;
    if let Value::Object(members) = &mut found {
        members.insert("name".to_owned(), Value::from(fact.name()));
    }
    Ok(found)
}

type Id<O> = <<O as Browse>::Fact as Listed>::Id;

/// What is asked for, if it is known.
fn pick<O: Browse>(config: &Value) -> Result<Option<Pick<Id<O>>>, Diagnostic> {
    if let Some(text) = text(config, "id") {
        let invalid = |error| Diagnostic::error("Invalid id", format!("{error}.")).at("id");
        return text.parse().map(|id| Some(Pick::Id(id))).map_err(invalid);
    }
    let Some(text) = text(config, "name") else { return Ok(None) };
    let invalid = |error| Diagnostic::error("Invalid name", format!("{error}.")).at("name");
    text.parse::<Name>().map(|name| Some(Pick::Name(name))).map_err(invalid)
}

fn nothing_asked() -> Diagnostic {
    Diagnostic::error("Set id or name", "The object is looked up by exactly one of them.")
        .at("name")
}
