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

/// Whether an address is that of a provider which is published as `source`, on whatever host: a
/// public registry or a private one. By its changelog, early versions of OpenTofu 1.12 named another
/// registry than the one that a state came from.
pub(crate) fn leads_to(address: &str, source: &str) -> bool {
    address.split_once('/').is_some_and(|(host, rest)| !host.is_empty() && rest == source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_provider_has_one_address_in_each_registry() {
        let expected = ["registry.terraform.io/a/b", "registry.opentofu.org/a/b"];
        assert_eq!(addresses("a/b"), expected);
    }

    #[test]
    fn a_provider_is_known_by_namespace_and_type_alone() {
        for address in
            addresses("a/b").iter().map(String::as_str).chain(["tf.example.com:8443/a/b"])
        {
            assert!(leads_to(address, "a/b"), "{address}");
        }
        for address in ["", "a/b", "/a/b", "host/b/a", "host/xa/b", "host/a/b/c", "host/other/a/b"]
        {
            assert!(!leads_to(address, "a/b"), "{address}");
        }
    }
}
