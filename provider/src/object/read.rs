//! Reading: what the server says becomes the state.

use terdut_client::Caller;
use terdut_core::explain::Doing;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::model::{Model, ToValue};
use terdut_plugin::resource::{Context, Outcome, Private, Read};
use terdut_plugin::value::Value;

use super::apply::{BESIDE, PENDING, without_id};
use super::{Object, Observed, kind, label, names};
use crate::context::{ProviderData, caller};
use crate::{report, timeouts};

/// Reads an object. While a setting is not known, everything stays as it is.
pub(super) async fn read<O: Object>(
    context: &Context<ProviderData>,
    request: Read<O::Model>,
) -> Outcome<O::Model> {
    let Read { mut state, mut private } = request;
    if context.data().is_unknown() {
        return Outcome::state(state, private);
    }
    let caller = match caller(context, timeouts::read()) {
        Ok(caller) => caller,
        Err(missing) => return Outcome::failed(missing, private),
    };
    let Some(stored) = O::stored(&state) else {
        return Outcome::failed(without_id::<O>(), private);
    };
    match O::find(&caller, &stored).await {
        Ok(Some(observed)) => {
            let mut told = first_look::<O>(&state);
            let identity = names::identity::<O>(&observed);
            context.data().names().seen(&identity);
            if O::NAMES_REPEAT {
                context.data().names().hold(identity);
                told.extend(beside::<O>(context, &caller, &observed, &mut private).await);
            }
            O::fill(&mut state, &observed);
            // What a create could not finish shows from here on.
            private.remove(PENDING);
            Outcome::state(state, private).tell(told)
        }
        Ok(None) => Outcome::gone(),
        Err(error) => {
            let doing = Doing::reading(kind::<O>(), &label(&state));
            Outcome::failed(report::api(&doing, &error), private)
        }
    }
}

/// Those that had the name before the object was made, are still there and are nobody's here. Told
/// once: they may be held elsewhere.
async fn beside<O: Object>(
    context: &Context<ProviderData>,
    caller: &Caller,
    observed: &Observed<O>,
    private: &mut Private,
) -> Option<Diagnostic> {
    let mut ids: Vec<String> = private.get(BESIDE)?;
    if ids.is_empty() {
        return None;
    }
    // Where they cannot be listed now, the next read asks again.
    let there = O::namesakes(caller, observed).await.ok()?;
    // Emptied, not removed: a host that handed private data over is owed some.
    private.set(BESIDE, &Vec::<String>::new());
    let names = context.data().names();
    ids.retain(|id| there.contains(id) && !names.is_held(&names::sibling::<O>(observed, id)));
    (!ids.is_empty()).then(|| others_of_the_name::<O>(&ids))
}

fn others_of_the_name<O: Object>(ids: &[String]) -> Diagnostic {
    Diagnostic::warning(
        format!("Others have the same name as the new {}", kind::<O>().noun()),
        format!(
            "They were there before it was made, and nothing was done to them: ids {}. Remove by \
             hand those that nobody holds: an apply that was cut short may have left one.",
            ids.join(", ")
        ),
    )
}

/// What an import cannot give. After one, nothing is there but ids.
fn first_look<O: Object>(state: &O::Model) -> Diagnostics {
    let mut told = Diagnostics::new();
    if is_stub::<O>(state) {
        O::imported(&mut told);
    }
    told
}

pub(super) fn is_stub<O: Object>(state: &O::Model) -> bool {
    let value = state.to_value();
    let is_id = |name: &str| name == "id" || O::PATH.iter().any(|(id, _)| *id == name);
    let names = O::Model::attribute_names().iter();
    names.filter(|name| !is_id(name)).all(|name| value.attribute(name).is_none_or(Value::is_null))
}
