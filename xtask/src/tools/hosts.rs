//! The public hosts that outside programs are downloaded from, each once.
//!
//! Read by `tools::download` only. A mirror is nobody's business here: whoever has one sets a
//! program's variable or fills the cache folder.

/// Terraform's releases.
pub(super) const TERRAFORM: &str = "https://releases.hashicorp.com/terraform";
/// `OpenTofu`'s releases.
pub(super) const OPENTOFU: &str = "https://github.com/opentofu/opentofu/releases/download";
/// etcd's releases.
pub(super) const ETCD: &str = "https://github.com/etcd-io/etcd/releases/download";
/// The programs of Kubernetes.
pub(super) const KUBERNETES: &str = "https://dl.k8s.io/release";
/// Helm's releases.
pub(super) const HELM: &str = "https://get.helm.sh";
/// tfplugindocs' releases.
pub(super) const PLUGIN_DOCS: &str =
    "https://github.com/hashicorp/terraform-plugin-docs/releases/download";
