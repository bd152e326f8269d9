//! The order in which an outside program is looked for.

use super::*;

/// A folder with a file for each place that a program may be in.
struct Places {
    folder: tempfile::TempDir,
}

impl Places {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for place in ["named", "path", "cached"] {
            std::fs::write(folder.path().join(place), "").unwrap();
        }
        Self { folder }
    }

    fn at(&self, place: &str) -> PathBuf {
        self.folder.path().join(place)
    }

    /// What is chosen while these places hold something.
    fn choose(&self, tool: Tool, places: [&str; 3]) -> Option<Origin> {
        let [named, path, cached] = places.map(|place| self.at(place));
        let named = named.is_file().then_some(named.as_os_str());
        let on_path = |_: &str| path.is_file().then_some(path.clone());
        tool.choose(named, on_path, &cached).unwrap().map(|found| found.origin)
    }
}

#[test]
fn its_variable_goes_before_path_and_path_before_the_cache() {
    let places = Places::new();
    for tool in [Tool::Terraform, Tool::Tofu] {
        let all = ["named", "path", "cached"];
        assert_eq!(places.choose(tool, all), Some(Origin::Variable));
        assert_eq!(places.choose(tool, ["no", "path", "cached"]), Some(Origin::Path));
        assert_eq!(places.choose(tool, ["no", "no", "cached"]), Some(Origin::Cache));
        assert_eq!(places.choose(tool, ["no", "no", "no"]), None);
    }
}

#[test]
fn every_version_of_terraform_and_tofu_counts_as_a_host() {
    let hosts: Vec<Tool> = Tool::hosts().collect();
    let all = [Tool::Terraform, Tool::OldTerraform, Tool::NewTerraform, Tool::Tofu];
    assert_eq!(hosts, all);
}

#[test]
fn the_oldest_and_the_newest_version_are_never_taken_from_path() {
    let places = Places::new();
    for tool in [Tool::OldTerraform, Tool::NewTerraform] {
        let choose = |wanted| places.choose(tool, wanted);
        assert_eq!(choose(["no", "path", "cached"]), Some(Origin::Cache));
        assert_eq!(choose(["no", "path", "no"]), None);
    }
}

#[test]
fn the_first_of_several_named_versions_is_taken() {
    let places = Places::new();
    let named = std::env::join_paths([places.at("cached"), places.at("named")]).unwrap();
    let found = Tool::OldTerraform.choose(Some(&named), |_| None, &places.at("no")).unwrap();
    assert_eq!(found.unwrap().path, places.at("cached"));
}

#[test]
fn a_folder_that_lacks_a_program_sends_the_search_on() {
    let places = Places::new();
    std::fs::write(places.at("kube-apiserver"), "").unwrap();
    let folder = Some(places.folder.path().as_os_str());
    let choose = |tool: Tool| {
        let on_path = |_: &str| Some(places.at("path"));
        tool.choose(folder, on_path, &places.at("no")).unwrap().map(|found| found.origin)
    };
    assert_eq!(choose(Tool::ApiServer), Some(Origin::Variable));
    assert_eq!(choose(Tool::ControllerManager), Some(Origin::Path));
}

#[test]
fn programs_from_several_places_are_handed_over_as_one_folder() {
    let places = Places::new();
    let cache = places.folder.path().join("cache");
    let found = |tool: Tool, place: &str| {
        let path = places.folder.path().join(place).join(tool.program());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, place).unwrap();
        (tool, Found { path, origin: Origin::Path })
    };
    let (server, store) = (found(Tool::ApiServer, "one"), found(Tool::Etcd, "one"));
    let same = assets::folder_of(&[&server, &store], &cache).unwrap();
    assert_eq!(same, places.folder.path().join("one"));
    let other = found(Tool::Kubectl, "other");
    for _again in 0..2 {
        let folder = assets::folder_of(&[&server, &other], &cache).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("kube-apiserver")).unwrap(), "one");
        assert_eq!(std::fs::read_to_string(folder.join("kubectl")).unwrap(), "other");
    }
}

#[test]
fn a_variable_that_names_nothing_is_an_error_that_names_it() {
    let places = Places::new();
    let missing = places.at("missing");
    let refused = Tool::Tofu.choose(Some(missing.as_os_str()), |_| None, &places.at("cached"));
    assert!(refused.unwrap_err().to_string().starts_with("TOFU_CLI names"));
    let refused = Tool::Etcd.choose(Some(missing.as_os_str()), |_| None, &places.at("cached"));
    assert!(refused.unwrap_err().to_string().starts_with("KUBEBUILDER_ASSETS names"));
}
