//! How a terdut server is run: the spec of a `TerdutServer`, without what only Kubernetes knows.
//!
//! The bridge projects its resource's schema from [`InstallSpec`], validates with
//! [`InstallSpec::validate`] and hands the [`Install`] that comes out to [`crate::render`]. An
//! empty text, list or object is the same as an absent one, so that a manifest that writes
//! everything out means what a short one means. Nothing here holds a secret: only the names of
//! Secrets.

mod access;
mod check;
mod environment;
mod helm_values;
mod parts;
mod spec;
mod validate;
mod validated;
mod values;

#[cfg(test)]
mod tests;

pub use access::{
    AllowedNamespacesSpec, AllowedTeamsSpec, BootstrapPersonSpec, LabelRequirementSpec,
    LabelSelectorSpec, OidcSettingsSpec,
};
pub use environment::{
    ConfigMapKeySelectorSpec, EnvVarSourceSpec, EnvVarSpec, FieldSelectorSpec,
    ResourceFieldSelectorSpec, SecretKeySelectorSpec,
};
pub use helm_values::{InvalidValues, Migrated, from_helm_values};
pub use parts::{
    DatabaseSpec, DeadmanSpec, ImageSpec, NetworkingSpec, NotifySpec, PostgresClusterRef,
    SecretKeyRef, SweeperSpec,
};
pub use spec::InstallSpec;
pub use validated::{
    BootstrapPerson, DatabaseChoice, Deadman, Image, Install, Networking, Notify, Oidc,
    PostgresCluster, Sweeper,
};
pub use values::{
    DataKey, Dsn, Hostname, InvalidValue, Listener, Namespace, ObjectName, Repository, SecretKey,
    ServerName, Tag, Variable,
};
