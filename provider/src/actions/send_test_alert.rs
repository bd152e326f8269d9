//! `terdut_send_test_alert`: an alert through an alert source's webhook, to see that alerts arrive.
//!
//! It sends as Alertmanager does, with the key in the URL and no other. Then, where the provider's
//! own url and token can read alerts, it waits until the alert is on the server. The URL is in no
//! message, error or log.

mod configuration;
mod work;

use std::time::{SystemTime, UNIX_EPOCH};

use terdut_core::test_alert::TestAlert;
use terdut_core::value::ServerUrl;
use terdut_plugin::action::{Action, Progress};
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::Schema;

use crate::context::ProviderData;
use configuration::{TestAlertModel, Wanted, schema, webhook_url};
use work::Work;

/// See the module.
#[derive(Debug)]
pub(super) struct SendTestAlert;

impl Action for SendTestAlert {
    type Model = TestAlertModel;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        "terdut_send_test_alert"
    }

    fn schema(&self) -> Schema {
        schema()
    }

    fn validate(&self, config: &TestAlertModel, diagnostics: &mut Diagnostics) {
        configuration::check(config, diagnostics);
    }

    fn plan(
        &self,
        _: &Context<ProviderData>,
        config: &TestAlertModel,
        diagnostics: &mut Diagnostics,
    ) {
        let url = config.webhook_url.known().and_then(|url| webhook_url(url.expose()).ok());
        if url.as_ref().is_some_and(ServerUrl::is_plain) {
            diagnostics.warning_at(
                "webhook_url",
                "The key can be read on the way",
                "The webhook is plain http, so that the key in its URL is sent unencrypted. Use \
                 https, or a tunnel to this machine.",
            );
        }
    }

    async fn invoke(
        &self,
        context: &Context<ProviderData>,
        config: TestAlertModel,
        progress: &Progress,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(wanted) = diagnostics.take(Wanted::of(&config)) else { return };
        let (id, now) = id_and_now();
        let alert = TestAlert::new(id, now, wanted.labels.clone(), wanted.annotations.clone());
        let Some(work) = diagnostics.take(Work::new(context, &wanted, alert, progress)) else {
            return;
        };
        work.run(&wanted, diagnostics).await;
    }
}

/// A number that no other test has, and the second since 1970.
fn id_and_now() -> (u64, u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let nanos = u64::try_from(now.as_nanos() & u128::from(u64::MAX)).unwrap_or_default();
    // Two that are sent at once by one process differ by the clock, by two processes by their ids.
    (nanos ^ u64::from(std::process::id()).rotate_right(20), now.as_secs())
}
