//! A key that a person handed in. It is used as it is: never replaced, never revoked.

use kube::ResourceExt;
use terdut_core::api::Request;
use terdut_core::error::{ApiError, Class};
use terdut_core::record::CheckpointState;

use super::order::Records;
use super::{Proof, prove, way};
use crate::context::Context;
use crate::controllers::ending::find;
use crate::controllers::halt::Halt;
use crate::controllers::server::report::Seen;
use crate::controllers::wishes::{reference, rotation};
use crate::crd::names::annotation;
use crate::crd::{Kind, SecretKey, TerdutServer};
use crate::events::{EventReason, EventType};
use crate::kube::KubeError;
use crate::secrets::HandedIn;
use crate::servers::{Admitted, Link};
use crate::status::{Reason, State};

/// Uses the key in that Secret.
pub(super) async fn keep(
    context: &Context,
    server: &TerdutServer,
    (secret, key): (&str, &str),
    seen: &mut Seen,
) -> Result<(), Halt> {
    let (namespace, name) = (server.namespace().unwrap_or_default(), server.name_any());
    let token = match context.secrets.handed_in(secret, key, (&namespace, &name)).await? {
        HandedIn::Token(token) => token,
        HandedIn::Missing => return Err(missing(seen, secret, key)),
        HandedIn::NotPermitted => return Err(not_permitted(seen, secret, &namespace, &name)),
    };
    seen.bootstrapped = Some(State::yes(Reason::Available, "A key was handed in."));
    seen.credentials = Some(SecretKey { name: secret.to_owned(), key: key.to_owned() });
    let records = Records::open(context, server).await?;
    rotate(context, server, records.record().held.rotated.as_deref(), seen).await;
    if !seen.serves {
        return Ok(());
    }
    let (link, admitted) = way(context, server)?;
    match prove((&link, &admitted), &token).await? {
        Proof::Works => Ok(put_away(context, server, (&link, &admitted), records).await?),
        Proof::Unknown => Err(waiting(
            seen,
            Reason::WaitingForCredential,
            format!(
                "The server does not know the key in the Secret {secret}. Put one in there that it \
                 knows."
            ),
        )),
    }
}

fn missing(seen: &mut Seen, secret: &str, key: &str) -> Halt {
    let message = format!(
        "There is no Secret {secret} with the key {key} in the bridge's namespace. The server is \
         not bootstrapped instead: that can be done only once."
    );
    waiting(seen, Reason::WaitingForCredential, message)
}

fn not_permitted(seen: &mut Seen, secret: &str, namespace: &str, name: &str) -> Halt {
    let message = format!(
        "The Secret {secret} is not marked as a credential for this server. It needs the label \
         terdut.ryuvia.com/credential: \"true\" and the annotation {}: {namespace}/{name}.",
        annotation::SERVER
    );
    waiting(seen, Reason::CredentialNotPermitted, message)
}

fn waiting(seen: &mut Seen, reason: Reason, message: String) -> Halt {
    seen.bootstrapped = Some(State::no(reason, message.clone()));
    Halt::retry(reason, message, Class::Denied)
}

/// Puts away what a bootstrap has left, now that there is a key. Its admin key is revoked if that
/// works at once.
async fn put_away(
    context: &Context,
    server: &TerdutServer,
    (link, admitted): (&Link, &Admitted),
    mut records: Records<'_>,
) -> Result<(), KubeError> {
    let state = records.checkpoint().map(|checkpoint| checkpoint.state.clone());
    if let Some(CheckpointState::Holding { user, key, token }) = state {
        let caller = link.keyless(admitted).with_key(Some(&token));
        let revoked = caller.call(Request::RevokeUserKey { user, key }).await;
        if revoked.is_err_and(|error| !is_gone(&error)) {
            let note = format!(
                "The bootstrap's admin key {key} of user {user} was not revoked. Revoke it with an \
                 admin session."
            );
            let (events, about) = (&context.events, reference(server));
            let reason = EventReason::AdminKeyNotRevoked;
            events.publish(&about, EventType::Warning, reason, "Revoke", &note).await;
        }
    }
    records.drop_checkpoint().await
}

fn is_gone(error: &ApiError) -> bool {
    error.class == Class::NotFound || error.status == Some(401)
}

/// A person asked for another key than the one that they handed in. `granted` is the wish that a
/// key of our own fulfilled before.
async fn rotate(context: &Context, server: &TerdutServer, granted: Option<&str>, seen: &mut Seen) {
    if rotation(server).is_none_or(|asked| granted == Some(asked)) {
        return;
    }
    let message = format!(
        "The key was handed in and is not the bridge's to replace. Put a new one into that Secret, \
         then take the annotation {} off.",
        annotation::ROTATE_CREDENTIALS
    );
    let known = find(server.conditions(), "Degraded");
    if known.is_none_or(|known| known.reason != Reason::RotationNotPossible.as_str()) {
        let (events, about) = (&context.events, reference(server));
        let reason = EventReason::RotationNeeded;
        events.publish(&about, EventType::Warning, reason, "Rotate", &message).await;
    }
    seen.degraded = Some(State::yes(Reason::RotationNotPossible, message));
}
