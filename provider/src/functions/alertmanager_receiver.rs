//! `alertmanager_receiver`: the receiver that sends to an alert source's webhook.

use serde_json::json;
use terdut_core::value::ServerUrl;
use terdut_core::yaml;
use terdut_plugin::function::{Function, FunctionError, Signature};
use terdut_plugin::ty::Type;
use terdut_plugin::value::Value;

use super::{text, text_at};

#[derive(Debug)]
pub(super) struct AlertmanagerReceiver;

impl Function for AlertmanagerReceiver {
    fn name(&self) -> &'static str {
        "alertmanager_receiver"
    }

    fn signature(&self) -> Signature {
        Signature {
            summary: "An Alertmanager receiver for a webhook's URL",
            description: "Makes the receiver that sends alerts to an alert source, resolved ones \
                          too: `receiver`, an object with the fields of Alertmanager's \
                          configuration (for `yamlencode` within a greater whole), and `yaml`, the \
                          same as one item of the list `receivers`. The URL holds the key: give it \
                          as the sensitive `webhook_url`, and the result is sensitive too.",
            parameters: vec![
                text("name", "The receiver's name, as routes call it."),
                text("webhook_url", "The webhook's URL, as `terdut_alert_source.am.webhook_url`."),
            ],
            variadic: None,
            result: Type::object([("receiver", receiver_type()), ("yaml", Type::String)]),
        }
    }

    fn call(&self, arguments: Vec<Value>) -> Result<Value, FunctionError> {
        let (name, url) = (text_at(&arguments, 0)?, text_at(&arguments, 1)?);
        if name.trim().is_empty() {
            return Err(FunctionError::at(0, "a receiver needs a name"));
        }
        // The URL is not repeated: it holds the key.
        let is_url = url.parse::<ServerUrl>().is_ok();
        if !is_url {
            return Err(FunctionError::at(1, "this is not the URL of a webhook: http or https"));
        }
        let webhook =
            Value::object([("url", Value::string(url)), ("send_resolved", Value::Bool(true))]);
        let receiver = Value::object([
            ("name", Value::string(name)),
            ("webhook_configs", Value::List(vec![webhook])),
        ]);
        Ok(Value::object([("receiver", receiver), ("yaml", Value::string(yaml(name, url)))]))
    }
}

fn receiver_type() -> Type {
    let webhook = Type::object([("url", Type::String), ("send_resolved", Type::Bool)]);
    Type::object([("name", Type::String), ("webhook_configs", Type::list(webhook))])
}

/// A string in JSON's form is not always one in YAML: readers fold or refuse line breaks and
/// control characters that JSON leaves as they are.
fn yaml(name: &str, url: &str) -> String {
    let webhook = json!({ "url": url, "send_resolved": true });
    yaml::document(&json!([{ "name": name, "webhook_configs": [webhook] }]))
}
