//! What is measured: our provider, two others, and Terraform without any.

use std::path::PathBuf;

use terdut_tests::harness::Binary;

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// `terraform_data`, which Terraform itself holds: no provider process, no request.
    Nothing,
    /// `terraform_data` without any field: the least that Terraform can do for an object.
    Bare,
    /// `terraform-provider-terdut`.
    Ours,
    /// `bench/peers/go`, on terraform-plugin-framework.
    GoPeer,
    /// `bench/peers/tf-provider`, on the crate of that name.
    TfProviderPeer,
}

impl Subject {
    /// Everything, in the order in which they take turns.
    pub(crate) const ALL: [Self; 5] =
        [Self::Nothing, Self::Bare, Self::Ours, Self::GoPeer, Self::TfProviderPeer];
    /// Those that are a program.
    pub(crate) const PROVIDERS: [Self; 3] = [Self::Ours, Self::GoPeer, Self::TfProviderPeer];

    /// Its name for a person.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "terraform_data",
            Self::Bare => "bare terraform_data",
            Self::Ours => "terdut",
            Self::GoPeer => "Go peer",
            Self::TfProviderPeer => "tf-provider peer",
        }
    }

    /// All their names.
    pub(crate) fn names(subjects: &[Self]) -> String {
        subjects.iter().map(|subject| subject.name()).collect::<Vec<_>>().join(", ")
    }

    /// What the keys of its figures begin with.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Nothing => "terraform_data_",
            Self::Bare => "bare_terraform_data_",
            Self::Ours => "",
            Self::GoPeer => "go_peer_",
            Self::TfProviderPeer => "tf_provider_peer_",
        }
    }

    /// The last part of its source, `ryuvia/NAME`.
    pub(crate) const fn source(self) -> &'static str {
        match self {
            Self::Nothing | Self::Bare | Self::Ours => "terdut",
            Self::GoPeer => "framework",
            Self::TfProviderPeer => "peer",
        }
    }

    /// The program. Without a provider, ours lies there and is not used.
    ///
    /// # Panics
    /// If its variable is not set: `cargo xtask bench provider` sets it.
    pub(crate) fn binary(self) -> Binary {
        let at = |variable: &str| {
            let path =
                std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
            Binary::at(PathBuf::from(path))
        };
        match self {
            Self::Nothing | Self::Bare | Self::Ours => Binary::provider(),
            Self::GoPeer => at("TERDUT_GO_PEER_BINARY"),
            Self::TfProviderPeer => at("TERDUT_TF_PROVIDER_PEER_BINARY"),
        }
    }

    /// Its size in bytes.
    pub(crate) fn bytes(self) -> u64 {
        let path = self.binary().path().to_owned();
        std::fs::metadata(path).expect("the program is there").len()
    }
}
