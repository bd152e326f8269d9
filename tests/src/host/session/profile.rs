//! Which host is played: what it can do and how it starts a provider.

use terdut_proto::tfplugin6 as proto;

/// The abilities of a host.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is one ability of a host")]
pub struct Profile {
    /// A name for messages.
    pub name: &'static str,
    /// The version it states.
    pub terraform_version: String,
    /// The capabilities it sends, if it knows of such.
    pub capabilities: Option<proto::ClientCapabilities>,
    /// It asks for metadata.
    pub metadata: bool,
    /// It asks for identities.
    pub identity: bool,
    /// It hands the planned identity to the create half of a replacement.
    pub planned_identity_as_prior: bool,
    /// It names its protocol versions when it starts a provider.
    pub sends_versions: bool,
    /// It sends a certificate and expects one.
    pub sends_certificate: bool,
}

impl Profile {
    /// Terraform 1.12 and later.
    pub fn modern() -> Self {
        Self {
            name: "modern",
            terraform_version: "1.14.0".to_owned(),
            capabilities: Some(proto::ClientCapabilities {
                deferral_allowed: false,
                write_only_attributes_allowed: true,
            }),
            metadata: true,
            identity: true,
            planned_identity_as_prior: true,
            sends_versions: true,
            sends_certificate: true,
        }
    }

    /// `OpenTofu` 1.12.
    pub fn opentofu() -> Self {
        Self {
            name: "opentofu",
            terraform_version: "1.12.6".to_owned(),
            planned_identity_as_prior: false,
            ..Self::modern()
        }
    }

    /// Terraform 1.5: protocol 6.3, no capabilities, no identity, no write-only attributes.
    pub fn terraform_1_5() -> Self {
        Self {
            name: "terraform 1.5",
            terraform_version: "1.5.7".to_owned(),
            capabilities: None,
            metadata: false,
            identity: false,
            planned_identity_as_prior: false,
            ..Self::modern()
        }
    }

    /// A wrapper that starts providers by hand: neither protocol versions nor a certificate.
    pub fn bare() -> Self {
        Self {
            name: "bare",
            sends_versions: false,
            sends_certificate: false,
            ..Self::terraform_1_5()
        }
    }

    /// Every profile.
    pub fn all() -> [Self; 4] {
        [Self::modern(), Self::opentofu(), Self::terraform_1_5(), Self::bare()]
    }

    /// Whether it keeps write-only values out of the state.
    pub fn allows_write_only(&self) -> bool {
        self.capabilities.is_some_and(|can| can.write_only_attributes_allowed)
    }
}
