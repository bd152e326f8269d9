//! `.goreleaser.yml` and `cargo xtask dist` make the same files.
//!
//! The templates are filled in here as goreleaser fills them in. Where `GORELEASER` names the
//! program, it also makes a snapshot, of programs that are not built but named by this test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use super::{MANIFEST, Set, zip};
use crate::shell;
use crate::ship::{PROVIDER, Platform};

fn configuration() -> Json {
    let text = fs::read_to_string(shell::root().join(".goreleaser.yml")).unwrap();
    serde_saphyr::from_str(&text).unwrap()
}

/// A template of the configuration, filled in for a platform.
fn filled(template: &Json, platform: Platform) -> String {
    let set = Set::current().unwrap();
    let values = [
        ("ProjectName", configuration()["project_name"].as_str().unwrap().to_owned()),
        ("Version", set.version().to_owned()),
        ("Os", platform.system.to_owned()),
        ("Arch", platform.machine.to_owned()),
    ];
    let mut text = template.as_str().unwrap().to_owned();
    for (name, value) in values {
        text = text.replace(&format!("{{{{ .{name} }}}}"), &value);
    }
    assert!(!text.contains("{{"), "{text}");
    text
}

#[test]
fn goreleaser_builds_for_the_same_platforms_through_the_same_command() {
    let configuration = configuration();
    let build = &configuration["builds"][0];
    let triples: Vec<_> = build["targets"].as_array().unwrap().iter().collect();
    assert_eq!(triples, Platform::ALL.map(|platform| platform.triple));
    assert_eq!(build["command"], "ship");
    let aliases = fs::read_to_string(shell::root().join(".cargo/config.toml")).unwrap();
    assert!(aliases.contains("\nship = \"run --quiet --package xtask -- ship\"\n"), "{aliases}");
    assert_eq!(build["flags"][0], format!("--package={PROVIDER}"));
}

#[test]
fn goreleaser_names_every_file_as_the_set_does() {
    let (configuration, set) = (configuration(), Set::current().unwrap());
    let archive = &configuration["archives"][0];
    for platform in Platform::ALL {
        let named = filled(&archive["name_template"], platform);
        assert_eq!(format!("{named}.zip"), set.zip(platform));
        let program = filled(&configuration["builds"][0]["binary"], platform);
        assert_eq!(format!("{program}{}", platform.ending()), set.program(platform));
    }
    assert_eq!(archive["formats"], serde_json::json!(["zip"]));
    assert_eq!(archive["files"][0]["src"], zip::LICENCE);
    let [any, ..] = Platform::ALL;
    let checksum = &configuration["checksum"];
    assert_eq!(filled(&checksum["name_template"], any), set.sums());
    assert_eq!(checksum["ids"][0], archive["id"], "or 2.15 sums up the signature");
    let signature = configuration["signs"][0]["signature"].as_str().unwrap();
    assert_eq!(signature.replace("${artifact}", &set.sums()), set.signature());
    for list in [&checksum["extra_files"], &configuration["release"]["extra_files"]] {
        assert_eq!(list[0]["glob"], MANIFEST);
        assert_eq!(filled(&list[0]["name_template"], any), set.manifest());
    }
}

#[test]
fn goreleaser_takes_the_text_of_the_release_that_it_is_handed() {
    let disable = &configuration()["changelog"]["disable"];
    assert_eq!(disable, &Json::Null, "where it is disabled, --release-notes is not read");
    let path = shell::root().join(".github/workflows/release.yml");
    let workflow = fs::read_to_string(path).unwrap();
    let notes = "\"$RUNNER_TEMP/notes.md\"";
    assert!(workflow.contains(&format!("cargo xtask notes \"$GITHUB_REF_NAME\" > {notes}\n")));
    assert!(workflow.contains(&format!("goreleaser release --clean --release-notes {notes}\n")));
}

#[test]
fn the_manifest_names_the_protocol_that_the_provider_speaks() {
    let text = fs::read_to_string(shell::root().join(MANIFEST)).unwrap();
    let manifest: Json = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!({
        "version": 1, "metadata": { "protocol_versions": ["6.0"] }
    });
    assert_eq!(manifest, expected);
}

/// In goreleaser's eyes these build programs: they note their name in a file of that name.
const CARGO: &str = r#"#!/bin/sh
for word in "$@"; do
  case "$word" in
    --target=*) triple="${word#--target=}" ;;
    --name=*) name="${word#--name=}" ;;
  esac
done
[ "$1" = ship ] && mkdir -p "target/$triple/release" && echo "$name" > "target/$triple/release/$name"
"#;

fn program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

const WHO: &str = "tests@example.org";

/// A keyring that gpg keeps for the length of a test.
struct Keyring(tempfile::TempDir);

impl Keyring {
    fn with_a_key() -> Self {
        let this = Self(tempfile::tempdir().unwrap());
        this.gpg(&["--passphrase", "", "--quick-generate-key", WHO, "rsa2048", "sign", "1d"]);
        this
    }

    fn gpg(&self, words: &[&str]) {
        let mut gpg = shell::command("gpg");
        shell::capture(gpg.arg("--batch").args(words).env("GNUPGHOME", self.0.path())).unwrap();
    }
}

impl Drop for Keyring {
    fn drop(&mut self) {
        let mut end = Command::new("gpgconf");
        let _ = end.args(["--kill", "all"]).env("GNUPGHOME", self.0.path()).output();
    }
}

/// A checkout with a tag, in which nothing but goreleaser's own files is real.
fn checkout(folder: &Path) {
    for name in [".goreleaser.yml", MANIFEST, zip::LICENCE, "Cargo.toml"] {
        fs::copy(shell::root().join(name), folder.join(name)).unwrap();
    }
    fs::write(folder.join(".gitignore"), "/target\n/bin\n").unwrap();
    fs::create_dir(folder.join("bin")).unwrap();
    program(&folder.join("bin/cargo"), CARGO);
    program(&folder.join("bin/rustup"), "#!/bin/sh\n");
    let tag = Set::current().unwrap().tag();
    let origin = "https://github.com/ryuvia/terraform-provider-terdut";
    let author = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    for words in [
        vec!["init", "--quiet"],
        vec!["add", "--all"],
        [&author[..], &["commit", "--quiet", "--message", "All"]].concat(),
        vec!["tag", &tag],
        vec!["remote", "add", "origin", origin],
    ] {
        shell::capture(Command::new("git").current_dir(folder).args(words)).unwrap();
    }
}

#[test]
fn a_snapshot_of_goreleaser_holds_the_same_files() {
    let Some(goreleaser) = std::env::var_os("GORELEASER").filter(|path| !path.is_empty()) else {
        eprintln!("skipped: GORELEASER names no goreleaser");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    checkout(folder.path());
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.path().join("bin").display());
    let key = Keyring::with_a_key();
    fs::write(folder.path().join("bin/notes.md"), "- New.\n").unwrap();
    // Not `--snapshot`, which would make up a version of its own.
    let release = ["release", "--clean", "--skip=publish,validate", "--release-notes=bin/notes.md"];
    for words in [&["check"][..], &release] {
        let mut command = Command::new(&goreleaser);
        command.current_dir(folder.path()).args(words).env("PATH", &path).env("GITHUB_TOKEN", "x");
        command.env("GPG_FINGERPRINT", WHO).env("GNUPGHOME", key.0.path());
        shell::capture(&mut command).unwrap();
    }
    let (set, made) = (Set::current().unwrap(), folder.path().join("target/goreleaser"));
    let [signature, summed] = [set.signature(), set.sums()].map(|name| made.join(name));
    key.gpg(&["--verify", signature.to_str().unwrap(), summed.to_str().unwrap()]);
    let sums = fs::read_to_string(made.join(set.sums())).unwrap();
    let summed: BTreeSet<_> = sums.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    let mut expected: BTreeSet<_> = Platform::ALL.map(|platform| set.zip(platform)).into();
    expected.insert(set.manifest());
    assert_eq!(summed, expected.iter().map(String::as_str).collect());
    for platform in Platform::ALL {
        let file = fs::File::open(made.join(set.zip(platform))).unwrap();
        let archive = ::zip::ZipArchive::new(file).unwrap();
        let names: BTreeSet<_> =
            archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        assert_eq!(names, [zip::LICENCE.to_owned(), set.program(platform)].into());
    }
}
