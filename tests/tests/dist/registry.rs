//! A registry: the protocol `providers.v1`, as both public ones speak it, with signed sums.
//!
//! It stands in the place of the public registry by a `host` block in the program's settings, or is
//! found by its own name through service discovery.

use std::fs;

use serde_json::{Value as Json, json};
use terdut_tests::harness::{Program, platform};

use crate::key::Key;
use crate::set::{Set, VERSION};
use crate::user::{SOURCE, User, expect_contents};
use crate::web::Web;

/// What of a registry is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// The signature is another key's.
    Signer,
    /// The sums are not those that were signed.
    Sums,
    /// The zip is not the one that is summed up.
    Zip,
}

/// A registry that gives the set out.
async fn registry(set: &Set, wrong: Wrong) -> Web {
    let web = Web::start().await;
    web.put_json("/.well-known/terraform.json", &json!({ "providers.v1": "/v1/providers/" }));
    let place = format!("/v1/providers/{SOURCE}");
    let platform = platform();
    let (system, machine) = platform.split_once('_').expect("a system and a machine");
    let protocols = protocols(set);
    let platforms = json!([{ "os": system, "arch": machine }]);
    let version = json!({ "version": VERSION, "protocols": protocols, "platforms": platforms });
    web.put_json(&format!("{place}/versions"), &json!({ "versions": [version] }));
    let answer = json!({
        "protocols": protocols,
        "os": system,
        "arch": machine,
        "filename": Set::zip_name(),
        "download_url": format!("/files/{}", Set::zip_name()),
        "shasum": set.zip_sum(),
        "shasums_url": format!("/files/{}", Set::name("SHA256SUMS")),
        "shasums_signature_url": format!("/files/{}", Set::name("SHA256SUMS.sig")),
        "signing_keys": { "gpg_public_keys": [
            { "key_id": set.key.id(), "ascii_armor": set.key.public() }
        ] },
    });
    web.put_json(&format!("{place}/{VERSION}/download/{system}/{machine}"), &answer);
    give_out(&web, set, wrong);
    web
}

/// The protocols that the manifest names, which a registry reads there.
fn protocols(set: &Set) -> Json {
    let manifest = fs::read(set.path("manifest.json")).expect("the manifest");
    let manifest: Json = serde_json::from_slice(&manifest).expect("JSON");
    manifest["metadata"]["protocol_versions"].clone()
}

fn give_out(web: &Web, set: &Set, wrong: Wrong) {
    let sums = set.path("SHA256SUMS");
    let signer = if wrong == Wrong::Signer { &Key::generate() } else { &set.key };
    let mut text = fs::read_to_string(&sums).expect("the sums");
    if wrong == Wrong::Sums {
        text += &"0".repeat(64);
        text += "  another.zip\n";
    }
    let mut zip = fs::read(set.zip()).expect("the zip");
    if wrong == Wrong::Zip {
        zip.push(0);
    }
    web.put(&format!("/files/{}", Set::name("SHA256SUMS.sig")), signer.sign(&sums));
    web.put(&format!("/files/{}", Set::name("SHA256SUMS")), text);
    web.put(&format!("/files/{}", Set::zip_name()), zip);
}

/// Somebody for whom this is the public registry.
async fn user(program: &Program, web: &Web) -> User {
    let services = format!("\"providers.v1\" = \"{}/v1/providers/\"", web.url());
    let host = program.registry();
    let settings = format!("host {host:?} {{\n  services = {{\n    {services}\n  }}\n}}\n");
    User::new(program, SOURCE, &settings).await.trusting(web)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_installs_what_its_key_has_signed() {
    let Some(set) = Set::get() else { return };
    for program in Program::all() {
        let web = registry(set, Wrong::Nothing).await;
        let user = user(&program, &web).await;
        let said = user.init().await.expect_ok().text();
        assert!(said.contains(&set.key.id()), "{} names the key: {said}", program.label());
        let lock = user.installs().await;
        expect_contents(&lock, set);
        for (name, sum) in set.sums() {
            assert!(lock.contains(&format!("zh:{sum}")), "{name}: {lock}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_is_found_by_its_own_name() {
    let Some(set) = Set::get() else { return };
    for program in Program::all() {
        let web = registry(set, Wrong::Nothing).await;
        let source = format!("{}/{SOURCE}", web.host());
        let user = User::new(&program, &source, "").await.trusting(&web);
        expect_contents(&user.installs().await, set);
    }
}

async fn refused(wrong: Wrong, because: &str) {
    let Some(set) = Set::get() else { return };
    for program in Program::all() {
        let web = registry(set, wrong).await;
        let error = user(&program, &web).await.is_refused().await;
        assert!(error.contains(because), "{} {wrong:?}: {error}", program.label());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_that_another_key_has_signed_are_refused() {
    refused(Wrong::Signer, "signature").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sums_that_were_changed_after_they_were_signed_are_refused() {
    refused(Wrong::Sums, "signature").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_zip_that_its_sum_does_not_fit_is_refused() {
    refused(Wrong::Zip, "checksum").await;
}
