//! A list of objects.

use terdut_core::lookup::Listed;
use terdut_core::model::Model as CoreModel;
use terdut_plugin::data_source::DataSource;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use super::{Browse, Many, in_team, listed, of_schema, record, shown, team_attribute, text};
use crate::context::ProviderData;

impl<O: Browse> DataSource for Many<O> {
    type Model = Value;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        O::PLURAL
    }

    fn schema(&self) -> Schema {
        let noun = <O::Core as CoreModel>::KIND.noun();
        let prefix = Attribute::string("name_prefix").optional().empty_is_null();
        let list = Attribute::list(O::LIST, shown::<O>()).computed();
        let mut attributes = vec![
            prefix.describe(format!("Lists only each {noun} whose name begins with this.")),
            list.describe("What was found, in the order of the ids."),
        ];
        attributes.extend(in_team::<O>().then(team_attribute));
        of_schema::<O>("Lists all, or those whose name begins with `name_prefix`.", attributes)
    }

    async fn read(
        &self,
        context: &Context<ProviderData>,
        config: Value,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        diagnostics.take(list::<O>(context, config).await)
    }
}

async fn list<O: Browse>(
    context: &Context<ProviderData>,
    mut config: Value,
) -> Result<Value, Diagnostics> {
    let (team, list) = listed::<O>(context, &config).await?;
    let prefix = text(&config, "name_prefix").unwrap_or_default().trim_start().to_owned();
    let mut facts: Vec<_> =
        list.iter().filter(|fact| fact.name().trim().starts_with(&prefix)).collect();
    facts.sort_by_key(|fact| fact.id());
    let shown = shown::<O>();
    let records = facts.into_iter().filter_map(|fact| record::<O>(fact, team, &shown)).collect();
    if let Value::Object(members) = &mut config {
        members.insert(O::LIST.to_owned(), Value::List(records));
    }
    Ok(config)
}
