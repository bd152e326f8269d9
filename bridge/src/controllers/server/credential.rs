//! The key to a server: the one that was handed in, else one of our own.
//!
//! `own` keeps ours: it is proved in each pass, made by the one bootstrap, made anew where the server
//! does not know it any more, and replaced when a person or a setting asks for it. `decision` says
//! what has to be done, as a pure function; `order` carries core's credential machine out and
//! records before each step that cannot be taken back. No key is ever written anywhere but into the
//! bridge's own Secrets.

use kube::ResourceExt;
use terdut_core::api::Request;
use terdut_core::error::{ApiError, Class};
use terdut_core::model::install::Install;
use terdut_core::record::{Checkpoint, InstanceRecord};
use terdut_core::secret::SecretString;

use super::report::Seen;
use crate::access;
use crate::access::Refused;
use crate::context::Context;
use crate::controllers::halt::Halt;
use crate::crd::TerdutServer;
use crate::engine::Next;
use crate::kube::KubeError;
use crate::servers::{Admitted, Link};
use crate::status::from_error;

mod decision;
mod handed_in;
mod order;
mod own;

pub(super) use order::Records;

/// Sees to it that there is a key that works.
pub(super) async fn keep(
    context: &Context,
    server: &TerdutServer,
    install: &Install,
    seen: &mut Seen,
) -> Result<(), Halt> {
    take_up(context, server).await?; // the record of a retained server of this name
    match access::handed_in(server) {
        Some(reference) => handed_in::keep(context, server, reference, seen).await,
        None => Box::pin(own::keep(context, server, install, seen)).await,
    }
}

/// Makes the record of a retained server of this name this one's.
async fn take_up(context: &Context, server: &TerdutServer) -> Result<(), KubeError> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let uid = server.uid().unwrap_or_default();
    let Some(found) = context.secrets.known::<InstanceRecord>(&namespace, &name).await? else {
        return Ok(());
    };
    if !found.record.retained {
        return Ok(());
    }
    // The checkpoint first: once the record is ours, nobody looks for what was left beside it.
    let left = context.secrets.known::<Checkpoint>(&namespace, &name).await?;
    if let Some(left) = left.filter(|left| left.record.owner_uid == found.record.owner_uid) {
        let checkpoint = Checkpoint { owner_uid: uid.clone(), ..left.record };
        context.secrets.replace(&namespace, &name, &checkpoint, &left.version).await?;
    }
    let record = InstanceRecord { owner_uid: uid, retained: false, ..found.record };
    context.secrets.replace(&namespace, &name, &record, &found.version).await?;
    context.wake.teams_of_server(&namespace, &name);
    Ok(())
}

/// What a server says to a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// It works.
    Works,
    /// The server itself does not know it.
    Unknown,
}

/// The way to the server, if it may be asked now.
fn way(context: &Context, server: &TerdutServer) -> Result<(Link, Admitted), Halt> {
    let link = context.servers.link(server).map_err(|_| Halt::from(Refused::NoServer))?;
    let admitted = link.admit().map_err(|down| Halt::from(Refused::Down(down)))?;
    Ok((link, admitted))
}

/// One request with the key, past every remembered answer.
async fn prove((link, admitted): (&Link, &Admitted), token: &SecretString) -> Result<Proof, Halt> {
    match link.instance_caller(admitted, token).call_fresh(Request::ListTeams).await {
        Ok(_) => Ok(Proof::Works),
        Err(error) if is_unknown(&error) => Ok(Proof::Unknown),
        Err(error) => Err(failed(&error, "use its key")),
    }
}

/// Whether the server itself says that it does not know the key.
fn is_unknown(error: &ApiError) -> bool {
    error.class == Class::Denied && error.status == Some(401) && error.own_word
}

/// A request to the server failed; `doing` follows "Cannot".
fn failed(error: &ApiError, doing: &'static str) -> Halt {
    tracing::debug!(%error, "a request to a server failed");
    Halt::Because { state: from_error(error, doing), next: Next::retry(error.class) }
}
