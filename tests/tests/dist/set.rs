//! The files of a release for this machine, signed by a key of the test's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use terdut_tests::harness::{Binary, missing, platform};

use crate::key::Key;

/// The version of everything in this workspace.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

const NAME: &str = "terraform-provider-terdut";

/// A release's files.
#[derive(Debug)]
pub(crate) struct Set {
    folder: PathBuf,
    pub(crate) key: Key,
}

/// Whether signatures can be made here.
pub(crate) fn gpg_is_there() -> bool {
    let there = Command::new("gpg").arg("--version").output().is_ok();
    if !there {
        missing("gpg is not on PATH");
    }
    there
}

impl Set {
    /// The set, made once for all tests; none where gpg is missing.
    pub(crate) fn get() -> Option<&'static Self> {
        static MADE: OnceLock<Set> = OnceLock::new();
        gpg_is_there().then(|| MADE.get_or_init(Self::make))
    }

    fn make() -> Self {
        let key = Key::generate();
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("dist");
        let given = std::env::var_os("TERDUT_DIST").filter(|path| !path.is_empty());
        let this = Self { folder: given.as_ref().map_or(folder, PathBuf::from), key };
        if given.is_none() {
            pack(Binary::provider().path(), &this.folder, &this.key);
            let [sums, signature] = [this.path("SHA256SUMS"), this.path("SHA256SUMS.sig")];
            assert!(this.key.has_signed(&sums, &signature), "dist signs what it summed up");
        }
        this
    }

    /// The name of a file of the set.
    pub(crate) fn name(rest: &str) -> String {
        format!("{NAME}_{VERSION}_{rest}")
    }

    /// The zip's name.
    pub(crate) fn zip_name() -> String {
        Self::name(&format!("{}.zip", platform()))
    }

    /// A file of the set.
    pub(crate) fn path(&self, rest: &str) -> PathBuf {
        self.folder.join(Self::name(rest))
    }

    /// The zip.
    pub(crate) fn zip(&self) -> PathBuf {
        self.path(&format!("{}.zip", platform()))
    }

    /// SHA256SUMS: the sum of each file by its name.
    pub(crate) fn sums(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.path("SHA256SUMS")).expect("the sums");
        let line = |line: &str| {
            let (sum, name) = line.split_once("  ").expect("a sum and a name");
            (name.to_owned(), sum.to_owned())
        };
        text.lines().map(line).collect()
    }

    /// The zip's sum.
    pub(crate) fn zip_sum(&self) -> String {
        self.sums()[&Self::zip_name()].clone()
    }

    /// Unpacks the zip.
    pub(crate) fn unpack(&self, into: &Path) {
        let file = fs::File::open(self.zip()).expect("the zip");
        let mut archive = zip::ZipArchive::new(file).expect("a zip");
        archive.extract(into).expect("the zip can be unpacked");
    }

    /// The hash that the programs write down for what a package holds.
    pub(crate) fn contents_hash(&self) -> String {
        use base64::Engine as _;
        use sha2::{Digest as _, Sha256};
        let folder = tempfile::tempdir().expect("a folder");
        self.unpack(folder.path());
        let mut lines = Vec::new();
        for entry in fs::read_dir(folder.path()).expect("the folder") {
            let entry = entry.expect("a file");
            let bytes = fs::read(entry.path()).expect("a file that can be read");
            let sum: Vec<_> =
                Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            lines.push((entry.file_name().into_string().expect("a name"), sum.concat()));
        }
        lines.sort();
        let lines: Vec<_> = lines.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
        let hash = Sha256::digest(lines.concat());
        format!("h1:{}", base64::engine::general_purpose::STANDARD.encode(hash))
    }
}

/// `cargo xtask dist`, of a program that is built already.
fn pack(program: &Path, into: &Path, key: &Key) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut dist = Command::new(cargo);
    dist.args(["run", "--quiet", "--package", "xtask", "--", "dist", "--program"]).arg(program);
    dist.arg("--into").arg(into).envs(key.variables());
    dist.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let output = dist.output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo xtask dist: {said}");
}

#[test]
fn the_set_is_complete_and_its_sums_are_true() {
    use sha2::{Digest as _, Sha256};
    let Some(set) = Set::get() else { return };
    let sums = set.sums();
    for name in [Set::zip_name(), Set::name("manifest.json")] {
        assert!(sums.contains_key(&name), "{name} is not among {sums:?}");
    }
    for (name, sum) in sums {
        let bytes = fs::read(set.folder.join(&name)).expect("a file that is summed up");
        let found: Vec<_> =
            Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found.concat(), sum, "{name}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    set.unpack(folder.path());
    let program = Binary::at(folder.path().join(format!("{NAME}_v{VERSION}")));
    let shown = program.command().arg("--version").output().expect("the program runs");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains(VERSION), "{shown}");
}
