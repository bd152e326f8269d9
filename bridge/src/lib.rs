//! The Kubernetes bridge.
