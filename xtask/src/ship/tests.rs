//! One recipe for the image and for the release, and no path of this machine in it.

use super::command::named_well;
use super::*;

#[test]
fn the_image_is_built_with_the_same_flags_at_the_paths_that_all_builds_claim() {
    let text = std::fs::read_to_string(shell::root().join("deploy/Dockerfile")).unwrap();
    let has = |start: &str| text.lines().any(|line| line.starts_with(start));
    let flags = format!("ENV RUSTFLAGS=\"{}\" ", FLAGS.join(" "));
    assert!(has(&flags), "{flags} is not in {text}");
    assert!(has(&format!("WORKDIR {SOURCE}")), "{text}");
    // The compiler that `FROM` names, whatever rust-toolchain.toml says.
    let toolchain = text.find("\nENV RUSTUP_TOOLCHAIN=$RUST_VERSION\n").expect("no toolchain");
    assert!(toolchain < text.find("RUN cargo build").unwrap(), "{text}");
    let cargo_home_of_the_image = "/usr/local/cargo";
    assert_eq!(DOWNLOADS, cargo_home_of_the_image);
    assert!(TARGET.starts_with(SOURCE) && text.contains(" cargo build --locked --release "));
}

#[test]
fn every_path_of_the_place_is_renamed_also_one_with_a_space() {
    let place = Place {
        source: "/home/ann/my work".into(),
        target: "/home/ann/my work/target".into(),
        downloads: "/home/ann/.cargo".into(),
        library: Library { path: "/home/ann/rust".into(), name: "/rustc/5980761".to_owned() },
    };
    let cargo = cargo("x86_64-unknown-linux-musl", &place);
    let (_, flags) = cargo.get_envs().find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS").unwrap();
    let flags: Vec<_> = flags.unwrap().to_str().unwrap().split('\u{1f}').collect();
    assert_eq!(
        flags[FLAGS.len()..],
        [
            "--remap-path-prefix=/home/ann/my work=/source",
            "--remap-path-prefix=/home/ann/my work/target=/source/target",
            "--remap-path-prefix=/home/ann/.cargo=/usr/local/cargo",
            "--remap-path-prefix=/home/ann/rust=/rustc/5980761",
        ]
    );
}

#[test]
fn a_program_of_another_name_or_version_is_not_built() {
    let version = env!("CARGO_PKG_VERSION");
    let linux: Platform = "x86_64-unknown-linux-musl".parse().unwrap();
    let windows: Platform = "x86_64-pc-windows-gnu".parse().unwrap();
    let good = format!("terraform-provider-terdut_v{version}");
    named_well(&good, linux).unwrap();
    named_well(&format!("{good}-SNAPSHOT-0123abc"), linux).unwrap();
    named_well(&format!("{good}.exe"), windows).unwrap();
    for bad in ["terraform-provider-terdut", "terraform-provider-terdut_v99.0.0", "x"] {
        assert!(named_well(bad, linux).is_err(), "{bad}");
    }
    assert!(named_well(&format!("{good}1"), linux).is_err());
    assert!(named_well(&good, windows).is_err());
}

#[test]
fn an_unknown_platform_is_refused_with_those_that_are_known() {
    let error = "sparc64-unknown-linux-gnu".parse::<Platform>().unwrap_err().to_string();
    assert!(error.contains("aarch64-apple-darwin"), "{error}");
}

/// What makes the bytes of a release, besides the source: the versions that all must name.
const ZIG: &str = "ziglang==0.17.1";
const ZIGBUILD: &str = "0.23.4";
const GORELEASER: &str = "goreleaser/v2@v2.14.3";

#[test]
fn every_recipe_names_the_same_compilers() {
    let minor = env!("CARGO_PKG_RUST_VERSION");
    let rust = format!("{minor}.0");
    let image = format!("FROM rust:{minor}-");
    let (ci, release) = (".github/workflows/ci.yml", ".github/workflows/release.yml");
    for (file, wanted) in [
        ("deploy/Dockerfile", vec![&*image]),
        (ci, vec![&*rust, GORELEASER]),
        (release, vec![&*rust, GORELEASER, ZIG, ZIGBUILD]),
        (".ci/run", vec![ZIG, ZIGBUILD]),
        ("docs/releasing.md", vec![&*rust, ZIG, ZIGBUILD]),
    ] {
        let text = std::fs::read_to_string(shell::root().join(file)).unwrap();
        for version in wanted {
            assert!(text.contains(version), "{file} does not name {version}");
        }
    }
}
