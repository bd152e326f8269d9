//! A key that a person handed in. It is used as it is: never replaced, never revoked.

use kube::ResourceExt;
use terdut_core::error::Class;

use super::{Proof, prove, way};
use crate::context::Context;
use crate::controllers::ending::find;
use crate::controllers::halt::Halt;
use crate::controllers::server::report::Seen;
use crate::controllers::wishes::reference;
use crate::crd::names::annotation;
use crate::crd::{Kind, SecretKey, TerdutServer};
use crate::events::{EventReason, EventType};
use crate::secrets::HandedIn;
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
    rotate(context, server, seen).await;
    if !seen.serves {
        return Ok(());
    }
    let (link, admitted) = way(context, server)?;
    match prove((&link, &admitted), &token).await? {
        Proof::Works => Ok(()),
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

/// A person asked for another key than the one that they handed in.
async fn rotate(context: &Context, server: &TerdutServer, seen: &mut Seen) {
    if !server.annotations().contains_key(annotation::ROTATE_CREDENTIALS) {
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
