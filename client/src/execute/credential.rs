//! Drives core's credential machine.

use std::convert::Infallible;
use std::future::Future;

use futures::FutureExt;
use terdut_core::api::{Reply, Request};
use terdut_core::credential::{Command, Event, Facts, Machine, Outcome};
use terdut_core::error::{ApiError, Class, Effect};

use super::pause;
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
    let mut repeats = Repeats::default();
    let mut event = Event::Begin;
    loop {
        event = match machine.step(event) {
            Command::Call { key, request } => {
                let caller = caller.with_key(key.as_ref());
                repeats.wait(&caller, &request).await;
                // Each list is a proof here; none may come from memory. A stop leaves those a
                // moment that say what came of a request whose answer is lost.
                let reply = if lost && is_read(&request) {
                    caller.call_closing(request.clone()).await
                } else {
                    caller.call_fresh(request.clone()).await
                };
                repeats.note(request, &reply);
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

/// How often the write that failed last was made. A gateway that is gone for a second must not use
/// up all attempts in a moment.
#[derive(Debug, Default)]
struct Repeats(Option<(Request, u32)>);

impl Repeats {
    fn of(&self, request: &Request) -> u32 {
        self.0.as_ref().filter(|(last, _)| last == request).map_or(0, |(_, times)| *times)
    }

    async fn wait(&self, caller: &Caller, request: &Request) {
        let times = self.of(request);
        if times > 0 {
            pause(caller, times).await;
        }
    }

    /// What was refused is tried with the next key, without a pause.
    fn note(&mut self, request: Request, reply: &Result<Reply, ApiError>) {
        let failed = reply.as_ref().is_err_and(|error| error.class != Class::Denied);
        if failed && !is_read(&request) {
            let times = self.of(&request) + 1;
            self.0 = Some((request, times));
        }
    }
}
