//! Drives core's credential machine.

use std::convert::Infallible;
use std::future::Future;

use futures::FutureExt;
use terdut_core::credential::{Command, Event, Facts, Machine, Outcome};
use terdut_core::error::Effect;

use crate::caller::{Caller, is_read};

/// Steps the machine until it ends. `store` must have recorded the facts when its future is ready:
/// the machine goes on only then.
pub async fn carry_out_order<F>(
    caller: &Caller,
    machine: &mut Machine,
    mut store: impl FnMut(Facts) -> F,
) -> Outcome
where
    F: Future<Output = ()>,
{
    let store = |facts| store(facts).map(Ok::<(), Infallible>);
    let Ok(outcome) = carry_out_order_durably(caller, machine, store).await;
    outcome
}

/// The same with a record that may fail. Then nothing more is asked for: what was recorded last is
/// what the next machine starts from.
pub async fn carry_out_order_durably<F, E>(
    caller: &Caller,
    machine: &mut Machine,
    mut store: impl FnMut(Facts) -> F,
) -> Result<Outcome, E>
where
    F: Future<Output = Result<(), E>>,
{
    let mut lost = false;
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Call { key, request } => {
                let caller = caller.with_key(key.as_ref());
                // Each list is a proof here; none may come from memory. A stop leaves those a
                // moment that say what came of a request whose answer is lost.
                let reply = if lost && is_read(&request) {
                    caller.call_closing(request).await
                } else {
                    caller.call_fresh(request).await
                };
                lost |= reply.as_ref().is_err_and(|error| error.effect == Effect::Unknown);
                Event::Replied(reply)
            }
            Command::Store(facts) => {
                store(facts).await?;
                Event::Stored
            }
            Command::Finish(outcome) => return Ok(outcome),
        };
    }
}
