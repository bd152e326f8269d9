//! The public registries: where hosts get a provider from, and so the names they know it by.
//!
//! The one place that spells their hosts. Called by `serve` (for `--debug`), by `MoveResourceState`
//! and by the tests' harness.

/// Terraform's registry.
pub const TERRAFORM: &str = "registry.terraform.io";
/// `OpenTofu`'s registry.
pub const OPENTOFU: &str = "registry.opentofu.org";
/// All of them.
pub const HOSTS: [&str; 2] = [TERRAFORM, OPENTOFU];

/// The full addresses of a provider that is published as `source` (namespace and type).
pub fn addresses(source: &str) -> [String; 2] {
    HOSTS.map(|host| format!("{host}/{source}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_has_one_address_in_each_registry() {
        let expected = ["registry.terraform.io/a/b", "registry.opentofu.org/a/b"];
        assert_eq!(addresses("a/b"), expected);
    }
}
