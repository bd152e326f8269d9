//! What is on a server, as a configuration or as manifests that take it up as it is.
//!
//! The subcommands `export` of both programs call it with what the client read. It is pure: the
//! same [`Inventory`] gives the same bytes. An object is written only if the text means just what
//! is there, by the same validation and comparison as a plan's; what cannot be written so is
//! [`LeftOut`], with its reason, and never dropped in silence. It holds no secret, since the server
//! shows none.

mod document;
mod fit;
mod hcl;
mod inventory;
mod manifests;
mod names;
mod selection;
mod terraform;
mod text;
mod yaml;

#[cfg(test)]
mod tests;

pub use document::{Document, File, LeftOut, is_an_exports};
pub use inventory::{AccountInventory, Inventory, TeamInventory};
pub use manifests::{ManifestOptions, manifests};
pub use names::{InvalidKubernetesName, kubernetes_name};
pub use selection::{KINDS, Selection, UnknownKind, kind_named};
pub use terraform::{TerraformOptions, terraform};
