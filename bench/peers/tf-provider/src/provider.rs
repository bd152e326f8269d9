//! The provider: its settings and its one resource.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{Attribute, AttributeConstraint, AttributeType, Block, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueString};
use tf_provider::{Diagnostics, DynamicResource, Provider, map};

use crate::client::Client;
use crate::deadman_switch::SwitchResource;

/// The client, once the provider is configured.
pub type Configured = Arc<OnceLock<Client>>;

#[derive(Debug, Default)]
pub struct TerdutProvider {
    client: Configured,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Config<'a> {
    #[serde(borrow = "'a")]
    url: ValueString<'a>,
    token: ValueString<'a>,
}

#[async_trait]
impl Provider for TerdutProvider {
    type Config<'a> = Config<'a>;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let setting = |description: &str, sensitive| Attribute {
            attr_type: AttributeType::String,
            description: description.into(),
            constraint: AttributeConstraint::Optional,
            sensitive,
            ..Default::default()
        };
        let attributes = map! {
            "url" => setting("Address of the server; TERDUT_URL.", false),
            "token" => setting("Key; TERDUT_TOKEN.", true),
        };
        let description = "Manages terdut.".into();
        Some(Schema { version: 0, block: Block { attributes, description, ..Block::default() } })
    }

    async fn configure<'a>(
        &self,
        diags: &mut Diagnostics,
        _terraform_version: String,
        config: Self::Config<'a>,
    ) -> Option<()> {
        let setting = |value: ValueString<'_>, variable| match value {
            Value::Value(text) => text.into_owned(),
            _ => std::env::var(variable).unwrap_or_default(),
        };
        let url = setting(config.url, "TERDUT_URL");
        let token = setting(config.token, "TERDUT_TOKEN");
        if url.is_empty() || token.is_empty() {
            diags.root_error_short("url and token are needed");
            return None;
        }
        match Client::new(&url, &token) {
            Ok(client) => _ = self.client.set(client),
            Err(error) => diags.root_error("The client cannot be made", error.to_string()),
        }
        Some(())
    }

    fn get_resources(
        &self,
        _: &mut Diagnostics,
    ) -> Option<HashMap<String, Box<dyn DynamicResource>>> {
        Some(map! { "deadman_switch" => SwitchResource::new(Arc::clone(&self.client)) })
    }
}
