//! `terdut_on_call`: who is on call today. The server has one schedule, and nobody may be on it.

use terdut_core::api::{Reply, Request, ScheduleEntry};
use terdut_core::explain::Doing;
use terdut_core::model::Kind;
use terdut_plugin::data_source::DataSource;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use crate::context::{ProviderData, caller};
use crate::{report, timeouts};

/// See the module.
#[derive(Debug)]
pub(super) struct OnCall;

impl DataSource for OnCall {
    type Model = Value;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        "terdut_on_call"
    }

    fn schema(&self) -> Schema {
        let computed = |name, what| Attribute::string(name).computed().describe(what);
        Schema::new(
            "Tells who is on call today, by the server's clock. All attributes are null while \
             nobody is.",
        )
        .attribute(computed("user_id", "Id of the user who is on call."))
        .attribute(computed("username", "Log-in name of the user who is on call."))
        .attribute(computed("date", "The day that this is about, as `2026-01-31`."))
    }

    async fn read(
        &self,
        context: &Context<ProviderData>,
        _config: Value,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        diagnostics.take(look_up(context).await)
    }
}

async fn look_up(context: &Context<ProviderData>) -> Result<Value, Diagnostics> {
    let caller = caller(context, timeouts::read())?;
    let doing = Doing::new("looking up", Kind::User, "on call");
    let entry = match caller.call(Request::OnCall).await {
        Ok(Reply::OnCall(entry)) => entry,
        Ok(_) => None,
        Err(error) => return Err(report::api(&doing, &error).into()),
    };
    Ok(shown(entry.as_ref()))
}

fn shown(entry: Option<&ScheduleEntry>) -> Value {
    let text = |of: fn(&ScheduleEntry) -> String| entry.map_or(Value::Null, |it| of(it).into());
    Value::object([
        ("user_id", text(|entry| entry.user_id.to_string())),
        ("username", text(|entry| entry.username.clone())),
        ("date", text(|entry| entry.date.clone())),
    ])
}
