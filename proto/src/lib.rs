//! The wire types of the Terraform plugin protocol, generated from the `.proto` files beside this
//! source.
//!
//! `terdut-plugin` serves these services, the strict host of the tests calls them. Nothing here is
//! written by hand except this file: no logic, no conversions. `cargo xtask gen` renews the
//! generated files, `cargo xtask gen --check` proves them fresh.
//!
//! `bytes` fields are [`bytes::Bytes`](prost::bytes::Bytes), maps are ordered (`BTreeMap`), and
//! every method of [`tfplugin6::provider_server::Provider`] has a default body which answers
//! `UNIMPLEMENTED`, as a host expects from a provider that lacks an ability.

/// Protocol 6: package `tfplugin6`, service `Provider`.
pub mod tfplugin6 {
    #![allow(missing_docs, unreachable_pub, missing_debug_implementations)]
    #![allow(clippy::all, clippy::pedantic, clippy::restriction)]
    include!("generated/tfplugin6.rs");
}

/// What every go-plugin process serves beside its own service: package `plugin`.
pub mod plugin {
    #![allow(missing_docs, unreachable_pub, missing_debug_implementations)]
    #![allow(clippy::all, clippy::pedantic, clippy::restriction)]
    include!("generated/plugin.rs");
}
