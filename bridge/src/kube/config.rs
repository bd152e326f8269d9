//! How the Kubernetes API is reached: a file, the environment's file, or the pod's own account.

use std::path::Path;

use http::HeaderValue;
use http::header::USER_AGENT;
use kube::Config;
use kube::config::{InferConfigError, KubeConfigOptions, Kubeconfig, KubeconfigError};

/// The Kubernetes API cannot be reached with what is there.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file that was named cannot be used.
    #[error("the kubeconfig {path} cannot be used")]
    File {
        /// Which.
        path: String,
        /// Why.
        #[source]
        source: Box<KubeconfigError>,
    },
    /// Neither `KUBECONFIG` nor a service account is there.
    #[error(
        "no way to the Kubernetes API: name a file with --kubeconfig or KUBECONFIG, or run in a pod"
    )]
    Nothing(#[source] Box<InferConfigError>),
}

/// Reads it.
pub async fn load(kubeconfig: Option<&Path>) -> Result<Config, ConfigError> {
    let mut config = match kubeconfig {
        Some(path) => from_file(path).await?,
        None => Config::infer().await.map_err(|error| ConfigError::Nothing(Box::new(error)))?,
    };
    let agent = HeaderValue::from_static(concat!("terdut-bridge/", env!("CARGO_PKG_VERSION")));
    config.headers.push((USER_AGENT, agent));
    Ok(config)
}

async fn from_file(path: &Path) -> Result<Config, ConfigError> {
    let wrong =
        |source| ConfigError::File { path: path.display().to_string(), source: Box::new(source) };
    let file = Kubeconfig::read_from(path).map_err(wrong)?;
    Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await.map_err(wrong)
}
