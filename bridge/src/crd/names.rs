//! Every name that the bridge writes into Kubernetes objects.

/// The API group.
pub const GROUP: &str = "terdut.ryuvia.com";
/// The version.
pub const VERSION: &str = "v1alpha1";
/// Both, as manifests say it.
pub const API_VERSION: &str = "terdut.ryuvia.com/v1alpha1";
/// Holds an object until the server's side is cleaned up.
pub const FINALIZER: &str = "terdut.ryuvia.com/cleanup";
/// Owns what is applied.
pub const MANAGER: &str = "terdut-bridge";
/// Owns statuses.
pub const STATUS_MANAGER: &str = "terdut-bridge-status";

/// Annotations.
pub mod annotation {
    /// `disabled` pauses.
    pub const RECONCILE: &str = "terdut.ryuvia.com/reconcile";
    /// A new value asks for a pass now.
    pub const RECONCILE_AT: &str = "terdut.ryuvia.com/reconcile-at";
    /// How often this object is re-read; every 10s at most, or as often as all are.
    pub const RESYNC_INTERVAL: &str = "terdut.ryuvia.com/resync-interval";
    /// A new value rotates.
    pub const ROTATE_CREDENTIALS: &str = "terdut.ryuvia.com/rotate-credentials";
    /// Permits taking over the object of that name.
    pub const TAKE_OVER: &str = "terdut.ryuvia.com/take-over";
    /// `abandon` ends a deletion that is blocked.
    pub const ON_DELETE: &str = "terdut.ryuvia.com/on-delete";
    /// A child's record.
    pub const RECORD: &str = "terdut.ryuvia.com/record";
    /// Whose a rendered object was.
    pub const RETAINED_BY: &str = "terdut.ryuvia.com/retained-by";
    /// On a rendered object: a digest of what was applied last.
    pub const APPLIED: &str = "terdut.ryuvia.com/applied";
    /// For which server a credential was handed in.
    pub const SERVER: &str = "terdut.ryuvia.com/server";
    /// Of which object a Secret in the bridge's namespace is: `namespace/name`.
    pub const OF: &str = "terdut.ryuvia.com/of";
}

/// Labels.
pub mod label {
    /// Marks a Secret with a credential that is handed in.
    pub const CREDENTIAL: &str = "terdut.ryuvia.com/credential";
    /// What a Secret in the bridge's namespace is for.
    pub const SECRET: &str = "terdut.ryuvia.com/secret";
    /// Who manages an object, by Kubernetes' own convention.
    pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";
}
