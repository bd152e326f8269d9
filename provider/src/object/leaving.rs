//! What a person should know before an object is deleted: what goes with it, or still refers to it,
//! and is not part of the same plan.
//!
//! The one place where a plan asks the server. It is a hint: where the server cannot be asked or
//! does not answer, there is none, and never an error.

use terdut_core::model::Model as CoreModel;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::resource::Context;

use super::outlook::Subject;
use super::{Object, kind, names};
use crate::context::{ProviderData, caller};
use crate::{report, timeouts};

/// Tells it, if there is something to tell.
pub(super) async fn plan_delete<O: Object>(
    context: &Context<ProviderData>,
    prior: &O::Model,
    diagnostics: &mut Diagnostics,
) {
    let Some(stored) = O::stored(prior) else { return };
    let data = context.data();
    data.outlook().ends(names::identity::<O>(&stored));
    let Ok(caller) = caller(context, timeouts::read()) else { return };
    let Some(found) = O::dependents(&data.looks().with(&caller), &stored).await else { return };
    let name = <O::Core as CoreModel>::label(&stored);
    let left = data.outlook().left(found, Subject { kind: kind::<O>(), name: &name }).await;
    diagnostics.extend(left.warning(kind::<O>(), &name).as_ref().map(report::warning));
}
