//! Ephemeral `terdut_service_account_key`: a key for this run only.
//!
//! Opening first revokes what earlier runs left on the account, then mints; closing revokes. The key
//! is in no plan and no state. A key whose answer is lost is looked up, revoked, and another one is
//! minted, as for every key; what may be left all the same is told, and a later run revokes it by
//! its age.

use std::time::{SystemTime, UNIX_EPOCH};

use terdut_client::Caller;
use terdut_client::execute::{create, remove};
use terdut_core::api::{ApiKey, Request};
use terdut_core::create::{NewKey, Outcome};
use terdut_core::ephemeral::{is_left_behind, is_suffix, key_name};
use terdut_core::error::{ApiError, Class};
use terdut_core::explain::Doing;
use terdut_core::ids::{AccountId, KeyId};
use terdut_core::model::Kind;
use terdut_core::value::{EPHEMERAL_AGE, GoDuration};
use terdut_plugin::attr::Attr;
use terdut_plugin::diagnostics::{Diagnostic, Diagnostics};
use terdut_plugin::ephemeral::EphemeralResource;
use terdut_plugin::model::Sensitive;
use terdut_plugin::resource::{Context, Private};
use terdut_plugin::schema::{Attribute, Schema};

use crate::attributes::{parsed, said};
use crate::context::{ProviderData, caller};
use crate::object::lookup;
use crate::{report, timeouts};

const NAME: &str = "terdut_service_account_key";
const DEFAULT_AGE: &str = "2h";
const MEMORY: &str = "key";

terdut_plugin::model! {
    /// A key for one run.
    pub struct EphemeralKeyModel {
        pub service_account_id: Attr<String>,
        pub name_suffix: Attr<String>,
        pub max_age: Attr<String>,
        pub id: Attr<String>,
        pub token: Attr<Sensitive>,
    }
}

/// See the module.
#[derive(Debug)]
pub(super) struct EphemeralKey;

impl EphemeralResource for EphemeralKey {
    type Model = EphemeralKeyModel;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        NAME
    }

    fn schema(&self) -> Schema {
        Schema::new(
            "A key of a service account for this run only: it is made when the run begins, revoked \
             when it ends, and in no plan and no state. A run that is killed leaves its key; the \
             next one of the account revokes keys named `tf-ephemeral-…` that are older than \
             `max_age`.",
        )
        .attributes(attributes())
    }

    fn validate(&self, config: &EphemeralKeyModel, diagnostics: &mut Diagnostics) {
        if let Some(text) = config.service_account_id.known() {
            diagnostics.take(account(text));
        }
        if let Some(text) = said(&config.name_suffix).filter(|text| !is_suffix(text)) {
            diagnostics.error_at(
                "name_suffix",
                "Invalid name_suffix",
                format!("{text:?}: write up to 64 letters, digits, dots, dashes or underscores."),
            );
        }
        diagnostics.take(max_age(&config.max_age));
    }

    async fn open(
        &self,
        context: &Context<ProviderData>,
        config: EphemeralKeyModel,
        private: &mut Private,
        diagnostics: &mut Diagnostics,
    ) -> Option<EphemeralKeyModel> {
        let opened = open(context, config, diagnostics).await;
        let (model, held) = diagnostics.take(opened)?;
        private.set(MEMORY, &held);
        Some(model)
    }

    async fn close(
        &self,
        context: &Context<ProviderData>,
        private: &Private,
        diagnostics: &mut Diagnostics,
    ) {
        let Some((account, key)) = private.get::<(i64, i64)>(MEMORY) else { return };
        let (account, key) = (AccountId(account), KeyId(key));
        let caller = match caller(context, timeouts::read()) {
            Ok(caller) => caller,
            Err(problem) => return diagnostics.push(problem),
        };
        if let Err(error) = revoke(&caller, account, key).await {
            diagnostics.push(not_revoked(account, key, &error));
        }
    }
}

fn attributes() -> [Attribute; 5] {
    [
        Attribute::string("service_account_id")
            .required()
            .describe("Id of the service account that the key is of."),
        Attribute::string("name_suffix").optional().empty_is_null().describe(
            "What the key's name ends with, so that people see whose it is: before it come \
                 `tf-ephemeral-`, the second since 1970 and a random number.",
        ),
        Attribute::string("max_age").optional().empty_is_null().describe(
            "How old a key that a killed run left behind must be to be revoked: longer than any \
             run, 10m to 720h. Default: `2h`.",
        ),
        Attribute::string("id").computed().describe("Id of the key."),
        Attribute::string("token").computed().sensitive().describe("The key."),
    ]
}

/// What is to be closed: the account and the key.
type Held = (i64, i64);

async fn open(
    context: &Context<ProviderData>,
    config: EphemeralKeyModel,
    diagnostics: &mut Diagnostics,
) -> Result<(EphemeralKeyModel, Held), Diagnostics> {
    let text = config.service_account_id.known().map(String::as_str).unwrap_or_default();
    let (account, age) = (account(text)?, max_age(&config.max_age)?);
    let caller = caller(context, timeouts::read())?;
    sweep(&caller, account, age, diagnostics).await?;
    let name = key_name(now(), rand::random(), said(&config.name_suffix));
    let made = mint(context, &caller, NewKey { account, name }, diagnostics).await?;
    let token = made.key.as_ref().map(|key| {
        context.data().hide(key.expose());
        Sensitive::new(key.expose())
    });
    let model = EphemeralKeyModel { id: made.id.to_string().into(), token: token.into(), ..config };
    Ok((model, (account.0, made.id.0)))
}

/// Revokes what earlier runs left behind. That it cannot be done is no reason not to run.
async fn sweep(
    caller: &Caller,
    account: AccountId,
    age: GoDuration,
    diagnostics: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let keys = match lookup::keys(caller, account).await {
        Ok(keys) => keys,
        Err(error) if matches!(error.class, Class::Denied | Class::TooOld) => {
            diagnostics.push(unlisted(account, &error));
            return Ok(());
        }
        Err(error) => return Err(report::api(&doing("listing keys of", account), &error)),
    };
    let now = now();
    for key in keys.iter().filter(|key| is_left_behind(key, now, age)) {
        if let Err(error) = revoke(caller, account, key.id).await {
            diagnostics.push(not_revoked(account, key.id, &error));
        }
    }
    Ok(())
}

async fn mint(
    context: &Context<ProviderData>,
    caller: &Caller,
    new: NewKey,
    diagnostics: &mut Diagnostics,
) -> Result<ApiKey, Diagnostic> {
    let left = format!(
        " If the key {:?} was made, nobody holds it; a later run with a key of service account {} \
         revokes it once it is older than max_age.",
        new.name, new.account
    );
    match create(caller, context.data().claims(), new, false).await {
        Outcome::Made { made, warnings, .. } => {
            for warning in &warnings {
                diagnostics.push(report::warning(warning));
            }
            Ok(made)
        }
        // Names of keys are never taken.
        Outcome::Found(key) => Ok(key),
        Outcome::Failed(failure) => {
            let mut problem = failure.problem();
            if failure.may_have_made() {
                problem.detail.push_str(&left);
            }
            Err(report::error(&problem))
        }
    }
}

async fn revoke(caller: &Caller, account: AccountId, key: KeyId) -> Result<(), ApiError> {
    remove(caller, Request::RevokeKey { account, key }).await.map(drop)
}

fn not_revoked(account: AccountId, key: KeyId, error: &ApiError) -> Diagnostic {
    let told = report::api(&Doing::deleting(Kind::ServiceAccountKey, &key.to_string()), error);
    let detail = format!(
        "The key {key} of service account {account} still works: {} A later run revokes it by its \
         age.",
        told.detail
    );
    Diagnostic::warning("An ephemeral key was not revoked", detail)
}

fn unlisted(account: AccountId, error: &ApiError) -> Diagnostic {
    let told = report::api(&doing("listing keys of", account), error);
    let detail = format!(
        "Keys that earlier runs left on service account {account} were not looked for: {}",
        told.detail
    );
    Diagnostic::warning("Old ephemeral keys were not looked for", detail)
}

fn doing(verb: &'static str, account: AccountId) -> Doing {
    Doing::new(verb, Kind::ServiceAccount, account.to_string())
}

fn account(text: &str) -> Result<AccountId, Diagnostic> {
    parsed(&Attr::Known(text.to_owned())).ok_or_else(|| {
        let text = format!("{text:?} is not the id of a service account.");
        Diagnostic::error("Invalid service_account_id", text).at("service_account_id")
    })
}

fn max_age(text: &Attr<String>) -> Result<GoDuration, Diagnostic> {
    let text = said(text).unwrap_or(DEFAULT_AGE);
    let age = text.parse::<GoDuration>().and_then(|age| age.within(EPHEMERAL_AGE));
    age.map_err(|error| Diagnostic::error("Invalid max_age", format!("{error}.")).at("max_age"))
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
