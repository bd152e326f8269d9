//! One operation on a server: whom it calls, and until when.
//!
//! The client gets neither the provider's URL nor its token. Nothing new is sent after the host's
//! stop or the operation's limit; what was made so far is answered.

use terdut_client::execute::carry_out_order;
use terdut_client::{Caller, ClaimGuard};
use terdut_core::claims::Claim;
use terdut_core::credential::{Machine, Order, Outcome};
use terdut_core::model::Kind;
use terdut_core::value::{InvalidServerUrl, ServerUrl};
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::resource::Context;

use super::model::ServerModel;
use super::notes;
use crate::context::{ProviderData, caller_with};
use crate::timeouts::Limit;

pub(super) struct Work<'a> {
    context: &'a Context<ProviderData>,
    limit: Limit,
    pub(super) caller: Caller,
}

impl<'a> Work<'a> {
    /// Work on the server of that URL.
    pub(super) fn new(
        context: &'a Context<ProviderData>,
        url: &Attr<String>,
        limit: Limit,
    ) -> Result<Self, Diagnostics> {
        let url: ServerUrl =
            url.as_deref().unwrap_or_default().parse().map_err(|error| invalid(&error))?;
        let client = context.data().client_of(&url)?;
        Ok(Self { context, limit, caller: caller_with(context, client, limit) })
    }

    /// The server's URL.
    pub(super) fn server(&self) -> &ServerUrl {
        self.caller.client().server()
    }

    /// Keeps the secrets of a configuration or state out of the log.
    pub(super) fn hide(&self, model: &ServerModel) {
        let person = model.bootstrap.known();
        let passwords = person.into_iter().flat_map(|it| [&it.password_wo, &it.password]);
        let keys = [&model.admin_token_wo, &model.admin_token, &model.token];
        let secrets = keys.into_iter().chain([&model.bootstrap_token]).chain(passwords);
        for secret in secrets.filter_map(Attr::known) {
            self.context.data().hide(secret.expose());
        }
    }

    /// Keeps others of this process from making an account of that name meanwhile. `None`: the
    /// work was stopped first.
    pub(super) async fn claim(&self, order: &Order) -> Option<ClaimGuard> {
        let claim = Claim {
            server: self.server().to_string(),
            parent: None,
            kind: Kind::ServiceAccount,
            name: order.account.name.clone(),
        };
        self.caller.wait(self.context.data().claims().take(claim)).await
    }

    /// Steps the machine to its end and tells its warnings.
    pub(super) async fn carry_out(
        &self,
        mut machine: Machine,
        diagnostics: &mut Diagnostics,
    ) -> Outcome {
        // Terraform stores nothing before the apply answers: the machine's own facts are the
        // record.
        let outcome = carry_out_order(&self.caller, &mut machine, |_| std::future::ready(())).await;
        let warnings = outcome.warnings.iter();
        diagnostics.extend(warnings.map(|warning| notes::warning(self.server(), warning)));
        let stopped = self.caller.is_stopped() && !self.context.stop().is_cancelled();
        if outcome.failure.is_some() && stopped {
            diagnostics.push(self.limit.exceeded());
        }
        outcome
    }
}

fn invalid(error: &InvalidServerUrl) -> Diagnostics {
    Diagnostic::error("Invalid URL", format!("{error}.")).at("url").into()
}
