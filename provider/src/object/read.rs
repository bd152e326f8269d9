//! Reading: what the server says becomes the state.

use terdut_core::explain::Doing;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::model::{Model, ToValue};
use terdut_plugin::resource::{Context, Outcome, Read};
use terdut_plugin::value::Value;

use super::apply::{PENDING, without_id};
use super::{Object, kind, label, names};
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
            let told = first_look::<O>(&state);
            let identity = names::identity::<O>(&observed);
            context.data().names().seen(&identity);
            if O::NAMES_REPEAT {
                context.data().names().hold(identity);
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
