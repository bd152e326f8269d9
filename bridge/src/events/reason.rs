//! The reasons of Events that are not a condition's reason: what the bridge did.

/// Why an Event was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventReason {
    /// The server's one bootstrap was made.
    Bootstrapped,
    /// The bootstrap's admin key could not be revoked.
    AdminKeyNotRevoked,
    /// There is neither a password nor OIDC: no person can log in.
    NobodyCanLogIn,
    /// A key was made.
    KeyMinted,
    /// A key was replaced.
    KeyRotated,
    /// A key could not be revoked.
    KeyNotRevoked,
    /// A key should be replaced by a person.
    RotationNeeded,
    /// An object was made on the server.
    Created,
    /// An object that was there is managed from now on.
    Adopted,
    /// An object was changed on the server.
    Updated,
    /// An object was changed by deleting it and making it anew.
    Recreated,
    /// What somebody else had changed was put back.
    DriftRepaired,
    /// An object was deleted on the server.
    Deleted,
    /// An object was left on the server as its deletion policy says.
    Retained,
    /// An object was left on the server as an annotation says.
    Abandoned,
    /// The Secret with a source's key is gone, and the key with it.
    WebhookSecretLost,
    /// The server no longer permits this namespace.
    ConsentRevoked,
    /// A deletion waits for something.
    DeletionBlocked,
    /// A Kubernetes object of somebody else was taken over.
    TakenOver,
}

impl EventReason {
    /// The name that is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bootstrapped => "Bootstrapped",
            Self::AdminKeyNotRevoked => "AdminKeyNotRevoked",
            Self::NobodyCanLogIn => "NobodyCanLogIn",
            Self::KeyMinted => "KeyMinted",
            Self::KeyRotated => "KeyRotated",
            Self::KeyNotRevoked => "KeyNotRevoked",
            Self::RotationNeeded => "RotationNeeded",
            Self::Created => "Created",
            Self::Adopted => "Adopted",
            Self::Updated => "Updated",
            Self::Recreated => "Recreated",
            Self::DriftRepaired => "DriftRepaired",
            Self::Deleted => "Deleted",
            Self::Retained => "Retained",
            Self::Abandoned => "Abandoned",
            Self::WebhookSecretLost => "WebhookSecretLost",
            Self::ConsentRevoked => "ConsentRevoked",
            Self::DeletionBlocked => "DeletionBlocked",
            Self::TakenOver => "TakenOver",
        }
    }
}
