//! `terdut_server_manifests`: what a terdut server is run by, for Kubernetes and for anything else
//! that runs containers.
//!
//! Its arguments are core's [`InstallSpec`], and core renders it as for the bridge. It calls no
//! API, so that all of it is known in a plan whose configuration is known. No output holds a
//! secret, only the names of Secrets.

mod faults;
mod shown;
#[cfg(test)]
mod tests;

use terdut_core::model::install::InstallSpec;
use terdut_plugin::data_source::DataSource;
use terdut_plugin::diagnostics::Diagnostics;
use terdut_plugin::resource::Context;
use terdut_plugin::schema::{Attribute, Schema};
use terdut_plugin::value::Value;

use crate::context::ProviderData;
use crate::projection::Spec;

/// Of whom nothing is rendered: what the bridge does besides running the server.
const OF_THE_BRIDGE: [&str; 3] = ["allowed_teams", "bootstrap", "credentials_secret_ref"];

/// What the server and its objects are called where nothing is said.
const NAME: &str = "terdut";
/// Where the objects are then.
const NAMESPACE: &str = "default";

/// Where whole configurations stand.
const EXAMPLES: &str = "https://github.com/ryuvia/terraform-provider-terdut/tree/main/examples";

/// See the module.
#[derive(Debug)]
pub(super) struct ServerManifests;

impl DataSource for ServerManifests {
    type Model = Value;
    type Data = ProviderData;

    fn type_name(&self) -> &'static str {
        "terdut_server_manifests"
    }

    fn schema(&self) -> Schema {
        Schema::new(format!(
            "Renders what a terdut server is run by: the Kubernetes objects that terdut-bridge \
             would make, and the container's environment for other ways to run it. It asks no \
             server: everything is known in a plan whose arguments are known. `terdut_server` \
             bootstraps the server that runs then.\n\nWhole configurations: \
             [examples/kubernetes]({EXAMPLES}/kubernetes) and [examples/docker]({EXAMPLES}/docker).",
        ))
        .attributes(place())
        .attributes(spec().attributes(refine))
        .attributes(outputs())
    }

    fn validate(&self, config: &Value, diagnostics: &mut Diagnostics) {
        faults::validate(config, diagnostics);
    }

    async fn read(
        &self,
        _context: &Context<ProviderData>,
        config: Value,
        diagnostics: &mut Diagnostics,
    ) -> Option<Value> {
        // The host has validated it; the warnings were told then.
        let mut told = Diagnostics::new();
        let server = faults::validate(&config, &mut told);
        if server.is_none() {
            diagnostics.extend(told);
        }
        Some(shown::with_outputs(config, &server?))
    }
}

fn spec() -> Spec {
    Spec::of::<InstallSpec>().as_input()
}

fn place() -> [Attribute; 2] {
    let text = |name, what: &str, default| {
        let described = format!("{what} Default: `{default}`.");
        Attribute::string(name).optional().empty_is_null().describe(described)
    };
    [
        text("name", "Name of the server and of each of its objects.", NAME),
        text("namespace", "Namespace of the objects.", NAMESPACE),
    ]
}

fn refine(path: &str, attribute: Attribute) -> Attribute {
    let more = match path {
        path if OF_THE_BRIDGE.contains(&path) => {
            "Only terdut-bridge heeds it: nothing is rendered of it here."
        }
        "database.postgres_cluster_ref.database" | "database.postgres_cluster_ref.user" => {
            "Required here, where nobody looks into the cluster."
        }
        _ => return attribute,
    };
    let described = format!("{} {more}", attribute.description());
    attribute.describe(described)
}

fn outputs() -> [Attribute; 4] {
    let text = |name, what| Attribute::string(name).computed().describe(what);
    let values = |name, what| Attribute::string_map(name).computed().describe(what);
    let secret = [text("name", "The Secret's name."), text("key", "Which of its keys.")];
    [
        values(
            "objects",
            "The Kubernetes objects as JSON. The keys depend on nothing but what there is: \
             `service_account`, `service`, `deployment`, `http_route` (with a host name and a \
             listener) and `pod_disruption_budget` (with more than one replica).",
        ),
        text("yaml", "The same objects as one YAML text."),
        values(
            "environment",
            "The container's environment, as far as it is no secret. What only Kubernetes can \
             resolve (ConfigMaps, fields of the Pod), and what refers to that or to a secret, is \
             left out.",
        ),
        Attribute::map("secret_environment", secret).computed().describe(
            "The variables whose values are secrets, with the name and the key that the \
             configuration gives for each.",
        ),
    ]
}
