//! A folder that holds the zip as it was downloaded, or what was in it.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use terdut_tests::harness::{Program, platform};

use crate::set::{Set, VERSION};
use crate::user::{SOURCE, User, expect_contents};

/// A mirror's folder for the provider.
fn mirror(program: &Program) -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder for the mirror");
    let place = folder.path().join(program.registry()).join(SOURCE);
    fs::create_dir_all(&place).expect("a folder for the provider");
    (folder, place)
}

fn settings(mirror: &Path) -> String {
    let path = mirror.display().to_string();
    format!("provider_installation {{\n  filesystem_mirror {{\n    path = {path:?}\n  }}\n}}\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_zip_in_a_folder_is_installed() {
    let Some(set) = Set::get() else { return };
    for program in Program::all() {
        let (folder, place) = mirror(&program);
        fs::copy(set.zip(), place.join(Set::zip_name())).expect("a copy of the zip");
        let user = User::new(&program, SOURCE, &settings(folder.path())).await;
        expect_contents(&user.installs().await, set);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unpacked_zip_in_a_folder_is_installed() {
    let Some(set) = Set::get() else { return };
    for program in Program::all() {
        let (folder, place) = mirror(&program);
        set.unpack(&place.join(VERSION).join(platform()));
        let user = User::new(&program, SOURCE, &settings(folder.path())).await;
        expect_contents(&user.installs().await, set);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_program_than_the_locked_one_is_refused() {
    let Some(set) = Set::get() else { return };
    for program in Program::current() {
        let (folder, place) = mirror(&program);
        let unpacked = place.join(VERSION).join(platform());
        set.unpack(&unpacked);
        let user = User::new(&program, SOURCE, &settings(folder.path())).await;
        user.installs().await;
        fs::write(unpacked.join("LICENSE"), "of another").expect("another licence");
        fs::remove_dir_all(user.workspace.path().join(".terraform")).expect("what is installed");
        let error = user.init().await.expect_error();
        assert!(error.contains("checksum"), "{}: {error}", program.label());
    }
}
