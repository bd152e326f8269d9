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
fn the_older_version_is_never_taken_from_path() {
    let places = Places::new();
    let choose = |wanted| places.choose(Tool::OldTerraform, wanted);
    assert_eq!(choose(["no", "path", "cached"]), Some(Origin::Cache));
    assert_eq!(choose(["no", "path", "no"]), None);
}

#[test]
fn the_first_of_several_named_versions_is_taken() {
    let places = Places::new();
    let named = std::env::join_paths([places.at("cached"), places.at("named")]).unwrap();
    let found = Tool::OldTerraform.choose(Some(&named), |_| None, &places.at("no")).unwrap();
    assert_eq!(found.unwrap().path, places.at("cached"));
}

#[test]
fn a_variable_that_names_nothing_is_an_error_that_names_it() {
    let places = Places::new();
    let missing = places.at("missing");
    let refused = Tool::Tofu.choose(Some(missing.as_os_str()), |_| None, &places.at("cached"));
    assert!(refused.unwrap_err().to_string().starts_with("TOFU_CLI names"));
}
