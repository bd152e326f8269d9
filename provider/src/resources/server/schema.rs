//! The schema of `terdut_server`: types and texts from core's spec, behaviours from here.
//!
//! What core decides at plan (what is renewed, which name is the default) is no behaviour of an
//! attribute: `plan.rs` writes it.

use terdut_core::model::server::ServerSpec;
use terdut_core::value::{Name, ServerUrl};
use terdut_plugin::schema::{Attribute, Schema};

use crate::attributes::id;
use crate::equality::same;
use crate::projection::Spec;
use crate::timeouts;

pub(super) fn schema() -> Schema {
    let spec = Spec::of::<ServerSpec>();
    Schema::new(spec.description())
        .attribute(id("The server's URL at creation."))
        .attributes(spec.attributes(refine))
        .attributes(results())
        .attribute(timeouts::attribute())
}

fn refine(path: &str, attribute: Attribute) -> Attribute {
    match path {
        "url" => attribute.equal_by(same::<ServerUrl>),
        "admin_token" | "bootstrap.password" => attribute.sensitive(),
        "admin_token_wo" | "bootstrap.password_wo" => attribute.sensitive().write_only(),
        "service_account_name" => attribute.keep().equal_by(same::<Name>),
        _ => attribute,
    }
}

fn results() -> Vec<Attribute> {
    let text = |name, description| Attribute::string(name).computed().keep().describe(description);
    vec![
        text("service_account_id", "Id of the service account that the token is of."),
        text("token", "The instance key. Feed it to the default provider.").sensitive(),
        text("token_key_id", "Id of the token."),
        text("previous_key_id", "Id of the token before it, valid until the next rotation."),
        text(
            "bootstrap_token",
            "The bootstrap's admin key; null unless `keep_bootstrap_token` is true.",
        )
        .sensitive(),
        Attribute::bool("bootstrapped")
            .computed()
            .keep()
            .describe("Whether this resource bootstrapped the server. Null after an import."),
    ]
}
