//! Drives core's credential machine.

use std::future::Future;

use terdut_core::credential::{Command, Event, Facts, Machine, Outcome};

use crate::caller::Caller;

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
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Call { key, request } => {
                // Each list is a proof here; none may come from memory.
                Event::Replied(caller.with_key(key.as_ref()).call_fresh(request).await)
            }
            Command::Store(facts) => {
                store(facts).await;
                Event::Stored
            }
            Command::Finish(outcome) => return outcome,
        };
    }
}
