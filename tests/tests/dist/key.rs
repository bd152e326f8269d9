//! A key that signs for the length of a test, by gpg, in a keyring of its own.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A signing key.
#[derive(Debug)]
pub(crate) struct Key {
    keyring: TempDir,
}

impl Key {
    /// A new RSA key, the kind that both registries take.
    pub(crate) fn generate() -> Self {
        let this = Self { keyring: tempfile::tempdir().expect("a folder for the keyring") };
        let who = "terdut's tests <tests@example.org>";
        this.gpg(&["--passphrase", "", "--quick-generate-key", who, "rsa2048", "sign", "1d"]);
        this
    }

    /// The variables with which others sign with it.
    pub(crate) fn variables(&self) -> [(&'static str, String); 2] {
        let keyring = self.keyring.path().display().to_string();
        [("GNUPGHOME", keyring), ("GPG_FINGERPRINT", self.fingerprint())]
    }

    /// The public half, as a registry hands it out.
    pub(crate) fn public(&self) -> String {
        String::from_utf8(self.gpg(&["--armor", "--export"])).expect("armour is ASCII")
    }

    /// The end of the fingerprint, by which a registry names it.
    pub(crate) fn id(&self) -> String {
        let fingerprint = self.fingerprint();
        fingerprint[fingerprint.len() - 16..].to_owned()
    }

    /// A detached, binary signature.
    pub(crate) fn sign(&self, file: &Path) -> Vec<u8> {
        self.gpg(&["--detach-sign", "--output", "-", &file.display().to_string()])
    }

    /// Whether it made this signature.
    pub(crate) fn has_signed(&self, file: &Path, signature: &Path) -> bool {
        let mut gpg = self.command();
        gpg.arg("--verify").arg(signature).arg(file);
        gpg.output().expect("gpg runs").status.success()
    }

    fn fingerprint(&self) -> String {
        let listed = self.gpg(&["--with-colons", "--list-keys"]);
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let line = listed.lines().find(|line| line.starts_with("fpr:")).expect("a fingerprint");
        line.trim_matches(':').rsplit(':').next().expect("its last field").to_owned()
    }

    fn command(&self) -> Command {
        let mut gpg = Command::new("gpg");
        gpg.args(["--batch", "--quiet"]).env("GNUPGHOME", self.keyring.path());
        gpg
    }

    fn gpg(&self, arguments: &[&str]) -> Vec<u8> {
        let output = self.command().args(arguments).output().expect("gpg is on PATH");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "gpg {arguments:?}: {said}");
        output.stdout
    }
}

impl Drop for Key {
    /// gpg leaves an agent behind for each keyring.
    fn drop(&mut self) {
        let mut end = Command::new("gpgconf");
        end.args(["--kill", "all"]).env("GNUPGHOME", self.keyring.path());
        let _ = end.output();
    }
}

#[test]
fn a_signature_is_its_own_key_s_alone() {
    if !super::set::gpg_is_there() {
        return;
    }
    let (key, other) = (Key::generate(), Key::generate());
    let folder = tempfile::tempdir().expect("a folder");
    let [file, signature] = ["sums", "sums.sig"].map(|name| folder.path().join(name));
    std::fs::write(&file, "a sum").expect("a file");
    std::fs::write(&signature, key.sign(&file)).expect("a signature");
    assert!(key.has_signed(&file, &signature));
    assert!(!other.has_signed(&file, &signature));
}
