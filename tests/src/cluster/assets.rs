//! The programs of a control plane and helm, as far as this machine has them.

use std::path::PathBuf;

use crate::harness::{missing, on_path};

/// Where each program is.
#[derive(Debug, Clone)]
pub(super) struct Assets {
    pub(super) etcd: PathBuf,
    pub(super) api_server: PathBuf,
    pub(super) controller_manager: PathBuf,
    pub(super) kubectl: PathBuf,
}

impl Assets {
    /// Looks in `KUBEBUILDER_ASSETS`, then on PATH; says what is missing, and fails where nothing
    /// may be skipped.
    pub(super) fn find() -> Option<Self> {
        Some(Self {
            etcd: program("etcd")?,
            api_server: program("kube-apiserver")?,
            controller_manager: program("kube-controller-manager")?,
            kubectl: program("kubectl")?,
        })
    }
}

/// Helm: `HELM`, else on PATH; says if it is missing, and fails where nothing may be skipped.
pub fn helm() -> Option<PathBuf> {
    let named = std::env::var_os("HELM").filter(|value| !value.is_empty()).map(PathBuf::from);
    let found = named.or_else(|| on_path("helm"));
    if found.is_none() {
        missing("helm was found neither by HELM nor on PATH");
    }
    found
}

fn program(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("KUBEBUILDER_ASSETS").filter(|value| !value.is_empty());
    let named = folder.map(|folder| PathBuf::from(folder).join(name)).filter(|path| path.is_file());
    let found = named.or_else(|| on_path(name));
    if found.is_none() {
        missing(&format!("{name} was found neither in KUBEBUILDER_ASSETS nor on PATH"));
    }
    found
}
