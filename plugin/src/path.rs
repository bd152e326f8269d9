//! Where in a value something is: `oidc.groups[0]` or `labels["team"]`.
//!
//! Diagnostics, requires-replace lists and codec errors carry one. A path never holds the value
//! it points to. The protocol has no step into a set, so a path ends at the set itself.

use std::borrow::Cow;
use std::fmt;

use terdut_proto::tfplugin6 as proto;
use terdut_proto::tfplugin6::attribute_path::step::Selector;

use crate::value::Value;

/// One step of an [`AttributePath`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// An object's attribute.
    Attribute(Cow<'static, str>),
    /// A map's key.
    Key(String),
    /// A list's or tuple's place.
    Index(usize),
}

/// A way from the root of a resource, data source or provider to one attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributePath {
    steps: Vec<Step>,
}

impl AttributePath {
    /// The whole object.
    pub const fn root() -> Self {
        Self { steps: Vec::new() }
    }

    /// A path of these steps.
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }

    /// One step further: an object's attribute.
    #[must_use]
    pub fn attribute(self, name: impl Into<Cow<'static, str>>) -> Self {
        self.step(Step::Attribute(name.into()))
    }

    /// One step further: a map's key.
    #[must_use]
    pub fn key(self, key: impl Into<String>) -> Self {
        self.step(Step::Key(key.into()))
    }

    /// One step further: a list's or tuple's place.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// One step further.
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether this is the whole object.
    pub fn is_root(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether this path is `other` or leads to something inside of it.
    pub fn is_within(&self, other: &AttributePath) -> bool {
        self.steps.starts_with(&other.steps)
    }

    /// What the path leads to.
    pub fn get<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.steps.iter().try_fold(value, |value, step| match (step, value) {
            (Step::Attribute(name), Value::Object(members)) => members.get(name.as_ref()),
            (Step::Key(key), Value::Map(members)) => members.get(key),
            (Step::Index(index), Value::List(elements) | Value::Tuple(elements)) => {
                elements.get(*index)
            }
            _ => None,
        })
    }

    /// What the path leads to.
    pub fn get_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        self.steps.iter().try_fold(value, |value, step| match (step, value) {
            (Step::Attribute(name), Value::Object(members)) => members.get_mut(name.as_ref()),
            (Step::Key(key), Value::Map(members)) => members.get_mut(key),
            (Step::Index(index), Value::List(elements) | Value::Tuple(elements)) => {
                elements.get_mut(*index)
            }
            _ => None,
        })
    }
}

impl From<&'static str> for AttributePath {
    fn from(name: &'static str) -> Self {
        Self::root().attribute(name)
    }
}

impl From<String> for AttributePath {
    fn from(name: String) -> Self {
        Self::root().attribute(name)
    }
}

/// The path in the configuration language; the root is `(root)`.
impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() {
            return f.write_str("(root)");
        }
        for (place, step) in self.steps.iter().enumerate() {
            match step {
                Step::Attribute(name) if place == 0 => f.write_str(name)?,
                Step::Attribute(name) => write!(f, ".{name}")?,
                Step::Key(key) => write!(f, "[{key:?}]")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl From<&AttributePath> for proto::AttributePath {
    fn from(path: &AttributePath) -> Self {
        let step = |step: &Step| proto::attribute_path::Step { selector: Some(selector(step)) };
        Self { steps: path.steps.iter().map(step).collect() }
    }
}

fn selector(step: &Step) -> Selector {
    match step {
        Step::Attribute(name) => Selector::AttributeName(name.as_ref().to_owned()),
        Step::Key(key) => Selector::ElementKeyString(key.clone()),
        Step::Index(index) => Selector::ElementKeyInt(i64::try_from(*index).unwrap_or(i64::MAX)),
    }
}

/// Steps that mean nothing end the path.
impl From<&proto::AttributePath> for AttributePath {
    fn from(path: &proto::AttributePath) -> Self {
        let steps = path.steps.iter().map_while(|step| {
            Some(match step.selector.as_ref()? {
                Selector::AttributeName(name) => Step::Attribute(Cow::Owned(name.clone())),
                Selector::ElementKeyString(key) => Step::Key(key.clone()),
                Selector::ElementKeyInt(index) => Step::Index(usize::try_from(*index).ok()?),
            })
        });
        Self::new(steps)
    }
}

/// A path that is built from the inside out, while an error travels up: free until it is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trail(Vec<Step>);

impl Trail {
    /// Adds the step outside of all the others.
    pub(crate) fn outer(&mut self, step: Step) {
        self.0.push(step);
    }

    /// The path from the root.
    pub(crate) fn path(&self) -> AttributePath {
        AttributePath { steps: self.0.iter().rev().cloned().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_like_the_configuration() {
        let path = AttributePath::from("a").attribute("b").index(2).key("k").attribute("c");
        assert_eq!(path.to_string(), r#"a.b[2]["k"].c"#);
        assert_eq!(AttributePath::root().to_string(), "(root)");
    }

    #[test]
    fn a_path_finds_and_changes_what_it_names() {
        let mut value = Value::object([("a", Value::List(vec![Value::from(1), Value::from(2)]))]);
        let path = AttributePath::from("a").index(1);
        assert_eq!(path.get(&value), Some(&Value::from(2)));
        *path.get_mut(&mut value).unwrap() = Value::Null;
        assert_eq!(path.get(&value), Some(&Value::Null));
        assert_eq!(path.clone().key("x").get(&value), None);
        assert!(path.is_within(&AttributePath::from("a")));
        assert!(!AttributePath::from("a").is_within(&path));
    }

    #[test]
    fn a_path_survives_the_wire() {
        let path = AttributePath::from("a").attribute("b").index(2).key("k");
        assert_eq!(AttributePath::from(&proto::AttributePath::from(&path)), path);
    }
}
