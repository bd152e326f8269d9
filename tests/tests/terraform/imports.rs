//! Each way in which the pages say that an object is imported, tried as it is written there.
//!
//! An example is applied, its object is taken out of the state, and comes back by the example's
//! import blocks and commands. Only the ids are put in: those of the pages are made up.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use terdut_simulator::{Options, Simulator};
use terdut_tests::harness::{Api, Program, Workspace};

use crate::examples::{folders, workspace};

/// One way to import an object.
enum Way {
    /// A block, or several in one file.
    Block(String),
    /// An argument of `import`.
    Command(String),
}

/// An object of an example.
struct Object {
    address: String,
    values: Json,
}

impl Object {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.values[name].as_str()
    }

    /// The id that stands for this object where the page has one that is made up.
    fn id(&self, shown: &str) -> String {
        let own = |name: &str| self.attribute(name).expect("an id").to_owned();
        let parent = || {
            let parents = ["service_account_id", "team_id"];
            parents.into_iter().find_map(|name| self.attribute(name)).expect("a parent").to_owned()
        };
        if shown.contains("name=") {
            shown.to_owned()
        } else if shown.starts_with("https://") {
            own("url")
        } else if shown.contains('/') {
            format!("{}/{}", parent(), own("id"))
        } else if self.address.starts_with("terdut_escalation_rule.") {
            parent()
        } else {
            own("id")
        }
    }
}

fn read(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text between the first quotes after a word.
fn quoted_after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    text.split_once(word)?.1.split('"').nth(1)
}

/// The address that the folder's import blocks lead to.
fn address(folder: &Path) -> String {
    let text = read(folder, "import-by-string-id.tf");
    let line = text.lines().find_map(|line| line.trim().strip_prefix("to = "));
    line.expect("an import block says what to").to_owned()
}

fn block(address: &str, id: &str) -> Way {
    Way::Block(format!("import {{\n  to = {address}\n  id = \"{id}\"\n}}\n"))
}

/// The blocks by id and by name, as `import-by-string-id.tf` shows them.
fn blocks(folder: &Path, object: &Object) -> Vec<Way> {
    let text = read(folder, "import-by-string-id.tf");
    let by_id = quoted_after(&text, "id =").expect("an id");
    let by_name = quoted_after(&text, "or by name:");
    let ids = [Some(by_id), by_name].into_iter().flatten();
    ids.map(|shown| block(&object.address, &object.id(shown))).collect()
}

/// The block by identity, with this object's values.
fn identity(folder: &Path, object: &Object) -> Way {
    let text = read(folder, "import-by-identity.tf");
    let filled = text.lines().map(|line| match line.trim().split_once(" = \"") {
        Some((name, _)) => {
            let name = name.trim();
            format!("{name} = \"{}\"", object.attribute(name).expect("an attribute"))
        }
        None => line.to_owned(),
    });
    Way::Block(filled.collect::<Vec<_>>().join("\n"))
}

/// What the commands of `import.sh` end with.
fn commands(folder: &Path, object: &Object) -> Vec<Way> {
    let start = format!("terraform import {} ", object.address);
    let text = read(folder, "import.sh");
    let shown = text.lines().filter_map(|line| line.strip_prefix(&start));
    let ways: Vec<_> = shown.map(|shown| Way::Command(object.id(shown.trim()))).collect();
    assert!(!ways.is_empty(), "import.sh has no command for {}", object.address);
    ways
}

async fn object(workspace: &Workspace, address: String) -> Object {
    let state = workspace.state().await;
    let values = state.resources.get(&address).expect("the object").clone();
    Object { address, values }
}

/// Takes the object out of the state and brings it back; nothing is made, replaced or removed.
async fn comes_back(workspace: &Workspace, object: &Object, way: Way) {
    let Object { address, .. } = object;
    workspace.run(&["state", "rm", address]).await.expect_ok();
    match way {
        Way::Block(text) => {
            workspace.write("import.tf", &text);
            let plan = workspace.plan().await;
            let change = plan.change(address);
            assert!(change.importing.is_some(), "{text}: {}", plan.text);
            assert!(matches!(change.action(), "no-op" | "update"), "{text}: {}", plan.text);
            workspace.apply_plan().await.expect_ok();
            workspace.remove("import.tf");
        }
        Way::Command(id) => {
            workspace.import(address, &id).await.expect_ok();
            workspace.apply().await;
        }
    }
    workspace.plan().await.expect_empty();
}

async fn every_way(program: &Program, folder: &Path) {
    let simulator = Simulator::start(Options::default());
    let api = Api::bootstrap(simulator.url()).await;
    let mut workspace = workspace(program, &simulator, folder);
    workspace.set_env("TERDUT_URL", api.base());
    workspace.set_env("TERDUT_TOKEN", api.token());
    workspace.init().await;
    workspace.apply().await;
    let object = object(&workspace, address(folder)).await;
    let mut ways = blocks(folder, &object);
    ways.extend(commands(folder, &object));
    if program.has_identity() {
        ways.push(identity(folder, &object));
    }
    simulator.clear_requests();
    for way in ways {
        comes_back(&workspace, &object, way).await;
    }
    let log = simulator.requests();
    let made = log.iter().filter(|seen| matches!(seen.method.as_str(), "POST" | "DELETE"));
    assert_eq!(made.count(), 0, "an import makes and removes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_import_of_the_pages_brings_its_object_back() {
    for program in [Program::newest(), Program::opentofu()].into_iter().flatten() {
        for folder in folders("resources") {
            if !folder.ends_with("terdut_server") {
                every_way(&program, &folder).await;
            }
        }
    }
}

/// A server that is imported has no key: an example that only bootstraps cannot go on from there.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_imported_each_way() {
    let Some(program) = Program::newest() else { return };
    let folder = folders("resources").into_iter().find(|it| it.ends_with("terdut_server"));
    let folder = folder.expect("the server's example");
    let simulator = Simulator::start(Options::default());
    let workspace = workspace(&program, &simulator, &folder);
    workspace.init().await;
    workspace.apply().await;
    let object = object(&workspace, address(&folder)).await;
    let mut ways = blocks(&folder, &object);
    ways.push(identity(&folder, &object));
    ways.extend(commands(&folder, &object));
    for way in ways {
        workspace.run(&["state", "rm", &object.address]).await.expect_ok();
        match way {
            Way::Block(text) => {
                workspace.write("import.tf", &text);
                let plan = workspace.plan().await;
                let change = plan.change(&object.address);
                assert!(change.importing.is_some(), "{text}: {}", plan.text);
                assert!(matches!(change.action(), "no-op" | "update"), "{text}: {}", plan.text);
                workspace.remove("import.tf");
                workspace.import(&object.address, simulator.url()).await.expect_ok();
            }
            Way::Command(id) => {
                workspace.import(&object.address, &id).await.expect_ok();
            }
        }
    }
}
