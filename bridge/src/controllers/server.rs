//! TerdutServer: a terdut server that the bridge runs, and the key to it.
//!
//! Steps of a pass are one file each: `wanted` (what the manifest asks for), `database` (the facts
//! about it), `existing` and `objects` (what has to be applied), `apply`, `availability`,
//! `credential` (the key), `report` (what the conditions say), `removal`. What is already so costs
//! no write. A server never waits for its teams, and it touches no object that is not its own
//! without a word from a person.

use std::sync::Arc;

use terdut_core::model::install::Install;

use super::halt::Halt;
use super::wishes::{is_deleting, is_paused};
use crate::context::Context;
use crate::crd::TerdutServer;
use crate::engine::{Controller, Next, Pass};

mod apply;
mod availability;
mod credential;
mod database;
mod existing;
mod objects;
mod removal;
mod report;
mod wanted;

use report::Seen;

/// The controller of servers.
#[derive(Debug)]
pub struct ServerController {
    context: Arc<Context>,
}

impl ServerController {
    /// A controller.
    pub fn new(context: Arc<Context>) -> Self {
        Self { context }
    }
}

impl Controller for ServerController {
    type Object = TerdutServer;

    async fn reconcile(&self, server: Arc<TerdutServer>, _: &Pass) -> Next {
        let (context, server) = (self.context.as_ref(), server.as_ref());
        if is_deleting(server) {
            return removal::remove(context, server).await;
        }
        if is_paused(server) {
            return report::pause(context, server).await;
        }
        let mut seen = Seen::default();
        let ended = reconcile(context, server, &mut seen).await;
        report::end(context, server, seen, ended).await
    }
}

/// One pass over a server that is wanted.
async fn reconcile(context: &Context, server: &TerdutServer, seen: &mut Seen) -> Result<(), Halt> {
    let install = wanted::install(server)?; // pure: what is wrong with the manifest comes first
    wanted::granted(context, server)?; // pure: whether the bridge may work in the namespace
    let server = &wanted::hold(context, server).await?; // IO: the finalizer, before anything is made
    run(context, server, &install, seen).await?; // the objects that run it
    credential::keep(context, server, &install, seen).await // the key to it
}

/// Sees to it that the server runs as the manifest says.
async fn run(
    context: &Context,
    server: &TerdutServer,
    install: &Install,
    seen: &mut Seen,
) -> Result<(), Halt> {
    let database = database::look(context, server, install, seen).await?; // IO: where it is
    let existing = existing::look(context, server, install, &database).await?; // IO: what is there
    let objects = objects::wanted(server, install, &database, &existing); // pure
    let steps = objects::decide(server, &objects, &existing)?; // pure: whose it is, what differs
    let deployment = apply::carry_out(context, server, steps, &existing).await?; // IO
    database::judge(&database, &objects, seen); // pure: whether the password is another
    availability::judge(deployment.as_ref(), &existing, seen); // pure: whether it serves
    objects::judge(&objects, &existing, seen); // pure: whether all that is wanted can be
    Ok(())
}
