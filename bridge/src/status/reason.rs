//! Every reason that a condition may have.
//!
//! People filter and alert on these words: one may be added, none renamed.

use std::fmt;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Why a condition is as it is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $($(#[$doc])* $name,)*
        }

        impl Reason {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// As a condition says it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}

reasons! {
    /// The spec is applied.
    Applied,
    /// It is there and works.
    Available,
    /// A key has to be handed in.
    WaitingForCredential,
    /// The Secret that was named is not marked as a credential for this server.
    CredentialNotPermitted,
    /// The server was bootstrapped, and the answer with its key is lost.
    BootstrapStateLost,
    /// The server refuses that our account makes itself another key.
    RotationDenied,
    /// A credential that was handed in is not ours to rotate.
    RotationNotPossible,
    /// The database, or the Secret with its password, is not there.
    DatabaseMissing,
    /// The database's password is another than when the server was last rolled out.
    PasswordChangedSinceStart,
    /// The server's Deployment has no replica that is available.
    DeploymentUnavailable,
    /// The cluster has no HTTPRoute kind.
    RouteKindMissing,
    /// An object of the name is there and not ours.
    ForeignObject,
    /// The bridge has no rights in the namespace.
    NamespaceNotGranted,
    /// The server is not there yet, or not ready.
    WaitingForServer,
    /// The server does not allow the reference, or does not exist.
    RefNotPermitted,
    /// The server is being deleted, or gone.
    ServerDeleting,
    /// Another object owns the team.
    NameClaimed,
    /// The name is taken on the server.
    NameTaken,
    /// The server does not allow a team of another namespace to take over an existing team.
    AdoptionNotPermitted,
    /// The team is not there yet, or not ready.
    WaitingForTeam,
    /// An older object rules the team.
    TeamAlreadyHasRule,
    /// A person who is named does not exist on the server.
    UnknownUser,
    /// The Secret with the webhook's address is gone.
    WebhookSecretLost,
    /// The server's side cannot be deleted yet.
    DeletionBlocked,
    /// The server does not answer.
    Unreachable,
    /// The server refuses our key.
    Denied,
    /// The server lacks what is needed.
    ServerTooOld,
    /// The server, or core, refuses what the manifest says.
    Invalid,
    /// The object is paused.
    Paused,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
