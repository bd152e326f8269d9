//! Plans and states as `show -json` prints them.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// One resource of a plan.
#[derive(Debug, Clone)]
pub struct ResourceChange {
    /// `create`, `update`, `delete`, `read` or `no-op`; two for a replacement.
    pub actions: Vec<String>,
    /// The attributes that make it a replacement, `levels.0.timeout`.
    pub replace_paths: Vec<String>,
    /// The object before.
    pub before: Json,
    /// The object after, without what is unknown.
    pub after: Json,
    /// What of the object is known only after the apply.
    pub after_unknown: Json,
    /// What is imported with it, if anything.
    pub importing: Option<Json>,
}

impl ResourceChange {
    /// Whether the object is replaced.
    pub fn is_replace(&self) -> bool {
        self.actions.len() == 2
    }

    /// The actions in one word.
    pub fn action(&self) -> &str {
        match self.actions.as_slice() {
            [one] => one,
            _ => "replace",
        }
    }
}

/// A plan.
#[derive(Debug, Clone)]
pub struct ShownPlan {
    /// Every resource by address.
    pub changes: BTreeMap<String, ResourceChange>,
    /// What changed outside.
    pub drift: BTreeMap<String, ResourceChange>,
    /// The output of the command as one line.
    pub text: String,
    /// The whole plan.
    pub json: Json,
}

impl ShownPlan {
    pub(super) fn read(shown: &str, text: String) -> Self {
        let json: Json = serde_json::from_str(shown).expect("show prints JSON");
        let changes = changes(&json["resource_changes"]);
        let drift = changes_of_drift(&json);
        Self { changes, drift, text, json }
    }

    /// Whether nothing would be done and no output would change.
    pub fn is_empty(&self) -> bool {
        let idle = |change: &ResourceChange| matches!(change.action(), "no-op" | "read");
        let outputs = self.json["output_changes"].as_object();
        let same = |output: &Json| output["actions"] == serde_json::json!(["no-op"]);
        self.changes.values().all(idle) && outputs.is_none_or(|all| all.values().all(same))
    }

    /// Fails unless nothing would be done.
    ///
    /// # Panics
    /// With the plan, if something would.
    #[track_caller]
    pub fn expect_empty(&self) {
        assert!(self.is_empty(), "the plan is not empty: {}", self.text);
    }

    /// What would be done to an address; `none` if it does not occur.
    pub fn action(&self, address: &str) -> &str {
        self.changes.get(address).map_or("none", ResourceChange::action)
    }

    /// The change of an address.
    ///
    /// # Panics
    /// If it does not occur.
    #[track_caller]
    pub fn change(&self, address: &str) -> &ResourceChange {
        let known: Vec<_> = self.changes.keys().collect();
        self.changes.get(address).unwrap_or_else(|| panic!("no {address} among {known:?}"))
    }
}

fn changes_of_drift(json: &Json) -> BTreeMap<String, ResourceChange> {
    changes(&json["resource_drift"])
}

fn changes(list: &Json) -> BTreeMap<String, ResourceChange> {
    let read = |item: &Json| {
        let change = &item["change"];
        let texts = |json: &Json| {
            let list = json.as_array().into_iter().flatten();
            list.map(path_text).collect::<Vec<_>>()
        };
        let address = item["address"].as_str().unwrap_or_default().to_owned();
        let change = ResourceChange {
            actions: texts(&change["actions"]),
            replace_paths: texts(&change["replace_paths"]),
            before: change["before"].clone(),
            after: change["after"].clone(),
            after_unknown: change["after_unknown"].clone(),
            importing: change.get("importing").filter(|it| !it.is_null()).cloned(),
        };
        (address, change)
    };
    list.as_array().into_iter().flatten().map(read).collect()
}

fn path_text(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Array(steps) => steps.iter().map(path_text).collect::<Vec<_>>().join("."),
        other => other.to_string(),
    }
}

/// A state.
#[derive(Debug, Clone)]
pub struct ShownState {
    /// Every object's attributes by address.
    pub resources: BTreeMap<String, Json>,
    /// The outputs' values.
    pub outputs: BTreeMap<String, Json>,
    /// The addresses whose next apply replaces them.
    pub tainted: Vec<String>,
}

impl ShownState {
    pub(super) fn read(shown: &str) -> Self {
        let json: Json = serde_json::from_str(shown).expect("show prints JSON");
        let mut state =
            Self { resources: BTreeMap::new(), outputs: BTreeMap::new(), tainted: Vec::new() };
        state.add_module(&json["values"]["root_module"]);
        for (name, output) in json["values"]["outputs"].as_object().into_iter().flatten() {
            state.outputs.insert(name.clone(), output["value"].clone());
        }
        state
    }

    fn add_module(&mut self, module: &Json) {
        for item in module["resources"].as_array().into_iter().flatten() {
            let address = item["address"].as_str().unwrap_or_default().to_owned();
            if item["tainted"].as_bool() == Some(true) {
                self.tainted.push(address.clone());
            }
            self.resources.insert(address, item["values"].clone());
        }
        for child in module["child_modules"].as_array().into_iter().flatten() {
            self.add_module(child);
        }
    }

    /// One attribute of an address.
    ///
    /// # Panics
    /// If the address is not in the state.
    #[track_caller]
    pub fn value(&self, address: &str, attribute: &str) -> &Json {
        let known: Vec<_> = self.resources.keys().collect();
        let resource =
            self.resources.get(address).unwrap_or_else(|| panic!("no {address} among {known:?}"));
        &resource[attribute]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replacement_and_its_reason_are_read() {
        let shown = r#"{"resource_changes":[{"address":"a.b","change":{"actions":["delete","create"],
            "before":{},"after":{},"after_unknown":{},"replace_paths":[["levels",0,"x"]]}}]}"#;
        let plan = ShownPlan::read(shown, String::new());
        assert_eq!(plan.action("a.b"), "replace");
        assert_eq!(plan.change("a.b").replace_paths, ["levels.0.x"]);
        assert!(!plan.is_empty());
        assert_eq!(plan.action("a.c"), "none");
    }

    #[test]
    fn an_output_that_changes_makes_a_plan_not_empty() {
        let shown = r#"{"output_changes":{"x":{"actions":["update"]}}}"#;
        assert!(!ShownPlan::read(shown, String::new()).is_empty());
        assert!(ShownPlan::read("{}", String::new()).is_empty());
    }

    #[test]
    fn objects_of_modules_are_part_of_the_state() {
        let shown = r#"{"values":{"outputs":{"o":{"value":1}},"root_module":{"child_modules":[
            {"resources":[{"address":"module.m.a.b","values":{"id":"7"},"tainted":true}]}]}}}"#;
        let state = ShownState::read(shown);
        assert_eq!(state.value("module.m.a.b", "id"), "7");
        assert_eq!(state.tainted, ["module.m.a.b"]);
        assert_eq!(state.outputs["o"], 1);
    }
}
