//! A key of our own: proved, made, finished, replaced.

use kube::ResourceExt;
use terdut_core::api::Request;
use terdut_core::credential::{Audience, Failure, FirstPerson, Order, Outcome, Rotate, Warning};
use terdut_core::error::{Class, Effect};
use terdut_core::model::install::Install;
use terdut_core::record::{CheckpointState, Held, InstanceRecord, SecretKind, secret_name};

use super::decision::{Known, Task, decide};
use super::order::{Records, carry_out};
use super::{Proof, failed, prove, way};
use crate::context::Context;
use crate::controllers::ending::find;
use crate::controllers::halt::Halt;
use crate::controllers::server::report::Seen;
use crate::controllers::wishes::{attempt, due_rotation, reference, rotation};
use crate::crd::{Kind, SecretKey, TerdutServer};
use crate::engine::Next;
use crate::events::{EventReason, EventType};
use crate::servers::{Admitted, Link};
use crate::status::{Reason, State, from_error};

/// What is said of a rotation that was refused before, if a pass between has said something else.
const DENIED: &str = "The bridge's key: the server has refused to make another one. The one in use \
                      stays; a new value of the annotation asks again.";

/// One pass over the key of one server.
struct Keeping<'a> {
    context: &'a Context,
    server: &'a TerdutServer,
    install: &'a Install,
    link: Link,
    admitted: Admitted,
    proof: Option<Proof>,
}

/// Sees to it that there is a key that works.
pub(super) async fn keep(
    context: &Context,
    server: &TerdutServer,
    install: &Install,
    seen: &mut Seen,
) -> Result<(), Halt> {
    let records = Records::open(context, server).await?;
    let held = records.record().held;
    note(server, &held, seen);
    if !seen.serves {
        return Ok(());
    }
    let (link, admitted) = way(context, server)?;
    let proof = match &held.token {
        Some(token) => Some(prove((&link, &admitted), token).await?),
        None => None,
    };
    if proof == Some(Proof::Unknown) {
        records.is_latest().await?; // another replica may have replaced the key
    }
    let now = context.clock.wall().as_second();
    let due = due_rotation(server, now);
    let oldest = context.settings.rotate_credentials_after;
    let known = Known {
        held: &held,
        proof,
        checkpoint: records.checkpoint().map(|checkpoint| &checkpoint.state),
        due: &due,
        wish: held.is_due(rotation(server), now, oldest),
    };
    let task = decide(known);
    let keeping = Keeping { context, server, install, link, admitted, proof };
    keeping.carry_out(task, records, seen).await
}

/// What the records say, before the server is asked.
fn note(server: &TerdutServer, held: &Held, seen: &mut Seen) {
    if held.token.is_none() {
        let message = "The server is bootstrapped as soon as it answers.";
        seen.bootstrapped = Some(State::no(Reason::DeploymentUnavailable, message));
        return;
    }
    let namespace = server.namespace().unwrap_or_default();
    let name = secret_name(SecretKind::InstanceCredentials, &namespace, &server.name_any());
    seen.bootstrapped = Some(State::yes(Reason::Available, "The bridge has a key of its own."));
    seen.credentials = Some(SecretKey { name, key: "token".to_owned() });
}

impl Keeping<'_> {
    async fn carry_out(
        &self,
        task: Task,
        mut records: Records<'_>,
        seen: &mut Seen,
    ) -> Result<(), Halt> {
        match task {
            Task::Rest => Ok(()),
            Task::Forget => Ok(records.drop_checkpoint().await?),
            Task::Denied => {
                seen.degraded = Some(self.still_denied());
                Ok(())
            }
            Task::Rotate => self.rotate(records, seen).await,
            Task::Finish => self.finish(records, seen).await,
            Task::Bootstrap { resumed } => self.bootstrap(records, resumed, seen).await,
            Task::Refused => Err(without(seen, &Failure::WaitingForCredential)),
            Task::Lost => Err(without(seen, &Failure::BootstrapStateLost(None))),
        }
    }

    /// What was said of the refused rotation, which is still true.
    fn still_denied(&self) -> State {
        let said = find(self.server.conditions(), "Degraded")
            .filter(|condition| condition.reason == Reason::RotationDenied.as_str())
            .map_or(DENIED, |condition| &condition.message);
        State::yes(Reason::RotationDenied, said)
    }

    async fn rotate(&self, records: Records<'_>, seen: &mut Seen) -> Result<(), Halt> {
        let base = records.record();
        let order = Order { rotate: Rotate::ByHeld, ..base.order(self.nobody(), false) };
        let (outcome, mut records) = self.order(records, &base, order).await?;
        match &outcome.failure {
            None => {
                let note = "The key was replaced; the one before is revoked.";
                self.say(EventType::Normal, EventReason::KeyRotated, "Rotate", note).await;
                self.tell(&outcome.warnings).await;
                Ok(())
            }
            Some(failure @ Failure::RotationDenied { .. }) => {
                seen.degraded = Some(State::yes(Reason::RotationDenied, told(failure)));
                let now = self.context.clock.wall().as_second();
                Ok(records.put_refused(due_rotation(self.server, now)).await?)
            }
            Some(failure) => Err(halt_of(failure)),
        }
    }

    /// Goes on from what an earlier pass left.
    async fn finish(&self, records: Records<'_>, seen: &mut Seen) -> Result<(), Halt> {
        let state = records.checkpoint().map(|checkpoint| &checkpoint.state);
        let begun = matches!(state, Some(CheckpointState::Holding { .. }));
        let base = records.record();
        let person = if begun { self.person(seen).await? } else { self.nobody() };
        let rotate = if self.proof == Some(Proof::Unknown) { Rotate::Lost } else { Rotate::No };
        let order = Order { rotate, ..base.order(person, true) };
        let (outcome, records) = self.order(records, &base, order).await?;
        match &outcome.failure {
            None if begun => self.bootstrapped(records, &outcome, seen).await,
            None => Ok(()),
            Some(failure) => {
                let works = self.proof == Some(Proof::Works);
                Err(self.stopped(&records, &base, failure, works, seen))
            }
        }
    }

    /// Asks for the one bootstrap; the checkpoint comes first.
    async fn bootstrap(
        &self,
        mut records: Records<'_>,
        resumed: bool,
        seen: &mut Seen,
    ) -> Result<(), Halt> {
        let person = self.person(seen).await?;
        self.healthy().await?;
        records.put_checkpoint(CheckpointState::Empty).await?;
        // A key that the server does not know is no reason to look for its account.
        let known = records.record();
        let base = InstanceRecord { held: Held::default(), ..known.clone() };
        let order = base.order(person, resumed);
        let (outcome, mut records) = self.order(records, &base, order).await?;
        let Some(failure) = &outcome.failure else {
            return self.bootstrapped(records, &outcome, seen).await;
        };
        let attempt = attempt(self.server);
        match failure {
            Failure::WaitingForCredential => {
                records.put_checkpoint(CheckpointState::Refused(attempt)).await?;
            }
            Failure::BootstrapStateLost(_) => {
                records.put_checkpoint(CheckpointState::Lost(attempt)).await?;
            }
            // The server did not even hear of it: there is nothing to be in doubt about.
            Failure::Call { error, .. }
                if !resumed && error.effect == Effect::None && outcome.facts.admin.is_none() =>
            {
                records.drop_checkpoint().await?;
            }
            _ => {}
        }
        Err(self.stopped(&records, &known, failure, false, seen))
    }

    /// An order that ended early: with a key that works, whatever else is not done, or without one.
    fn stopped(
        &self,
        records: &Records<'_>,
        before: &InstanceRecord,
        failure: &Failure,
        works: bool,
        seen: &mut Seen,
    ) -> Halt {
        let now = records.record().held;
        if works || (now.token.is_some() && now.token != before.held.token) {
            note(self.server, &now, seen);
            return halt_of(failure);
        }
        without(seen, failure)
    }

    async fn bootstrapped(
        &self,
        mut records: Records<'_>,
        outcome: &Outcome,
        seen: &mut Seen,
    ) -> Result<(), Halt> {
        records.drop_checkpoint().await?;
        note(self.server, &records.record().held, seen);
        let note = "The server's one bootstrap was made, and the bridge has a key of its own.";
        self.say(EventType::Normal, EventReason::Bootstrapped, "Bootstrap", note).await;
        self.tell(&outcome.warnings).await;
        if !self.install.lets_somebody_in() {
            let note = "Nobody can log in: the first person has no password \
                        (spec.bootstrap.passwordSecretRef), and OIDC is not enabled (spec.oidc).";
            self.say(EventType::Warning, EventReason::NobodyCanLogIn, "Bootstrap", note).await;
        }
        Ok(())
    }

    /// Nothing is bootstrapped before it answers.
    async fn healthy(&self) -> Result<(), Halt> {
        let answer = self.link.keyless(&self.admitted).call(Request::Health).await;
        answer.map(drop).map_err(|error| failed(&error, "see whether the server is healthy"))
    }

    async fn order<'s>(
        &self,
        records: Records<'s>,
        base: &InstanceRecord,
        order: Order,
    ) -> Result<(Outcome, Records<'s>), Halt> {
        let caller = self.link.keyless(&self.admitted);
        let (outcome, records) =
            carry_out(&caller, records, base, order, rotation(self.server)).await?;
        if let Some(failure) = &outcome.failure {
            let said = failure.said().map(ToString::to_string);
            tracing::info!(%failure, said, "the key could not be brought to what is wanted");
        }
        Ok((outcome, records))
    }

    /// The first person, with the password that they get.
    async fn person(&self, seen: &mut Seen) -> Result<FirstPerson, Halt> {
        let namespace = self.server.namespace().unwrap_or_default();
        let Some(secret) = &self.install.bootstrap.password else { return Ok(self.nobody()) };
        let secrets = &self.context.secrets;
        let password = secrets.foreign_value(&namespace, &secret.name, &secret.key).await?;
        if password.is_some() {
            return Ok(FirstPerson { password, ..self.nobody() });
        }
        let message = format!(
            "There is no Secret {} with the key {} in this namespace: without the first person's \
             password the server is not bootstrapped, since that can be done only once.",
            secret.name, secret.key
        );
        seen.bootstrapped = Some(State::no(Reason::WaitingForCredential, message.clone()));
        Err(Halt::retry(Reason::WaitingForCredential, message, Class::NotFound))
    }

    /// The first person without a password.
    fn nobody(&self) -> FirstPerson {
        let person = &self.install.bootstrap;
        let (username, email) = (person.username.to_string(), person.email.to_string());
        FirstPerson { username, email, password: None }
    }

    /// Reports what is left over.
    async fn tell(&self, warnings: &[Warning]) {
        for warning in warnings {
            let reason = match warning {
                Warning::AdminKeyLeft { .. } => EventReason::AdminKeyNotRevoked,
                _ => EventReason::KeyNotRevoked,
            };
            let note = format!("{warning}. {}", warning.advice(Audience::Bridge));
            self.say(EventType::Warning, reason, "Revoke", &note).await;
        }
    }

    async fn say(&self, event_type: EventType, reason: EventReason, action: &str, note: &str) {
        let about = reference(self.server);
        self.context.events.publish(&about, event_type, reason, action, note).await;
    }
}

/// There is no key, for this reason.
fn without(seen: &mut Seen, failure: &Failure) -> Halt {
    let halt = halt_of(failure);
    if let Halt::Because { state, .. } = &halt {
        seen.bootstrapped = Some(state.clone());
    }
    halt
}

/// What was to be done with a key failed.
fn halt_of(failure: &Failure) -> Halt {
    let failed = match failure {
        Failure::Call { error, doing } => Some((error, doing.as_str())),
        Failure::BootstrapUnanswered(error) => Some((error, "bootstrapping the server")),
        _ => None,
    };
    if let Some((error, doing)) = failed {
        let state = from_error(error, &format!("finish {doing}"));
        return Halt::Because { state, next: Next::retry(error.class) };
    }
    let named = Reason::ALL.iter().find(|reason| reason.as_str() == failure.reason());
    let reason = named.copied().unwrap_or(Reason::Invalid);
    let message = told(failure);
    match failure {
        // Only a person can end it.
        Failure::WaitingForCredential | Failure::BootstrapStateLost(_) => {
            Halt::waiting(reason, message)
        }
        _ => Halt::retry(reason, message, Class::Denied),
    }
}

fn told(failure: &Failure) -> String {
    format!("The bridge's key: {failure}. {}", failure.advice(Audience::Bridge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_a_person_reads_what_to_do() {
        for (failure, reason) in [
            (Failure::WaitingForCredential, Reason::WaitingForCredential),
            (Failure::BootstrapStateLost(None), Reason::BootstrapStateLost),
        ] {
            let mut seen = Seen::default();
            let Halt::Because { state, next } = without(&mut seen, &failure) else {
                panic!("a person has to see it")
            };
            assert_eq!((state.reason, next), (reason, Next::Waiting));
            assert!(state.message.contains("spec.credentialsSecretRef"), "{}", state.message);
            assert!(state.message.contains("empty database"), "{}", state.message);
            assert_eq!(seen.bootstrapped, Some(state));
        }
    }
}
