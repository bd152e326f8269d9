//! Carries out what core decides: its plans, its create machine, its credential machine.
//!
//! Called by the provider's resources and the bridge's controllers. It makes no decision of its own:
//! what comes next is always core's word, and what happened is reported back as facts, also when it
//! ended half-way: whatever was made is in the [`Progress`], beside what failed.

mod create;
mod credential;
mod progress;
mod removal;
mod step;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::future::{Ready, ready};

use terdut_core::plan::{Action, Ownership, Plan, Policy, lint};

use crate::caller::Caller;
use crate::claims::Claims;
use create::{Halt, Making};

pub use create::{create, create_durable};
pub use credential::{carry_out_order, carry_out_order_durably};
pub use progress::{Failed, Found, Made, Progress, Why};
pub use removal::remove;

/// A plan with what it was made for.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Whether the object is wanted at all.
    pub wanted: bool,
    /// Whose it is.
    pub ownership: Ownership,
    /// What is allowed.
    pub policy: Policy,
}

/// Carries out a plan, step by step, until the first one that fails.
pub async fn carry_out(caller: &Caller, claims: &Claims, order: Order<'_>) -> Progress {
    let unasked = |_| -> Ready<Result<(), Infallible>> { ready(Ok(())) };
    let Ok(progress) = run(caller, claims, order, Making::remembered(unasked)).await;
    progress
}

/// The same with a record of what is about to be made, as [`create_durable`] keeps it. If that
/// fails, nothing was made; a plan that replaces an object has then removed the old one.
pub async fn carry_out_durably<F, E>(
    caller: &Caller,
    claims: &Claims,
    order: Order<'_>,
    before: Option<BTreeSet<i64>>,
    record: impl FnMut(BTreeSet<i64>) -> F,
) -> Result<Progress, E>
where
    F: Future<Output = Result<(), E>>,
{
    run(caller, claims, order, Making::durable(before, record)).await
}

async fn run<R, F, E>(
    caller: &Caller,
    claims: &Claims,
    order: Order<'_>,
    mut making: Making<R>,
) -> Result<Progress, E>
where
    R: FnMut(BTreeSet<i64>) -> F,
    F: Future<Output = Result<(), E>>,
{
    let mut progress = Progress::default();
    let steps = &order.plan.steps;
    if let Err(broken) = lint(order.plan, order.wanted, order.ownership, order.policy) {
        progress.failed =
            Some(Failed { index: 0, step: steps.first().cloned(), why: broken.into() });
        return Ok(progress);
    }
    // Only a plan that starts from nothing may end with something that was there before.
    let adopt = order.policy.adopt_existing && order.plan.action == Action::Create;
    for (index, step) in steps.iter().enumerate() {
        let carried = if step.is_create() {
            create::step(caller, claims, step, adopt, &mut making, &mut progress).await
        } else {
            step::send(caller, step, &mut progress).await.map_err(Halt::Failed)
        };
        match carried {
            Ok(()) if progress.found.is_some() => return Ok(progress),
            Ok(()) => {}
            Err(Halt::Unrecorded(error)) => return Err(error),
            Err(Halt::Failed(why)) => {
                progress.failed = Some(Failed { index, step: Some(step.clone()), why });
                return Ok(progress);
            }
        }
    }
    Ok(progress)
}

/// The pause before the same is posted again, doubled each time.
async fn pause(caller: &Caller, attempt: u32) {
    let base = caller.client().retry_base();
    let length = base.saturating_mul(2_u32.saturating_pow(attempt.min(6)));
    let jittered = length.mul_f64(rand::random_range(0.0..=1.0));
    caller.wait(tokio::time::sleep(jittered)).await;
}
