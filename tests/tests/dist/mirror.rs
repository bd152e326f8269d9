//! A network mirror: JSON files and zips on an HTTPS server, as `providers mirror` lays them out.

use std::fs;

use serde_json::json;
use terdut_tests::harness::{Program, platform};

use crate::set::{Set, VERSION};
use crate::user::{SOURCE, User, expect_contents};
use crate::web::Web;

/// A mirror that holds the set and claims these hashes of it.
async fn mirror(set: &Set, program: &Program, hashes: &[String]) -> Web {
    let web = Web::start().await;
    let place = format!("/mirror/{}/{SOURCE}", program.registry());
    web.put_json(&format!("{place}/index.json"), &json!({ "versions": { VERSION: {} } }));
    let archive = json!({ "url": Set::zip_name(), "hashes": hashes });
    let archives = json!({ "archives": { platform(): archive } });
    web.put_json(&format!("{place}/{VERSION}.json"), &archives);
    let zip = fs::read(set.zip()).expect("the zip");
    web.put(&format!("{place}/{}", Set::zip_name()), zip);
    web
}

async fn user(program: &Program, web: &Web) -> User {
    let url = format!("{}/mirror/", web.url());
    let settings =
        format!("provider_installation {{\n  network_mirror {{\n    url = {url:?}\n  }}\n}}\n");
    User::new(program, SOURCE, &settings).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_mirror_installs_what_its_hashes_fit() {
    let Some(set) = Set::get() else { return };
    let hashes = [set.contents_hash(), format!("zh:{}", set.zip_sum())];
    for program in Program::all() {
        let web = mirror(set, &program, &hashes).await;
        let user = user(&program, &web).await.trusting(&web);
        expect_contents(&user.installs().await, set);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_mirror_with_a_wrong_hash_is_refused() {
    let Some(set) = Set::get() else { return };
    for hash in [format!("zh:{}", "0".repeat(64)), format!("h1:{}=", "A".repeat(43))] {
        for program in Program::all() {
            let web = mirror(set, &program, std::slice::from_ref(&hash)).await;
            let user = user(&program, &web).await.trusting(&web);
            let error = user.is_refused().await;
            assert!(error.contains("checksum"), "{} {hash}: {error}", program.label());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_mirror_of_an_unknown_authority_is_refused() {
    let Some(set) = Set::get() else { return };
    let hashes = [set.contents_hash()];
    for program in Program::current() {
        let web = mirror(set, &program, &hashes).await;
        let error = user(&program, &web).await.is_refused().await;
        assert!(error.contains("certificate"), "{}: {error}", program.label());
    }
}
