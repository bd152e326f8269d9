//! Values as the host sees them, their equality and the paths inside them.
//!
//! A value does not carry its type: the schema decides. Sets are kept sorted so that plain
//! equality is equality of sets. Never used to talk to a server.

use std::collections::BTreeMap;
use std::fmt;

/// A number: exact, of any size.
pub type Number = bigdecimal::BigDecimal;

/// What is known of an unknown value.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Refinement {
    /// Whether the value will be null, where that is known.
    pub null: Option<bool>,
    /// How a text will begin.
    pub prefix: Option<String>,
    /// Lower bound of a number and whether it is included.
    pub lower: Option<(Number, bool)>,
    /// Upper bound of a number and whether it is included.
    pub upper: Option<(Number, bool)>,
    /// Least number of elements.
    pub min_length: Option<u64>,
    /// Greatest number of elements.
    pub max_length: Option<u64>,
}

/// A value of any type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Nothing.
    Null,
    /// Not known yet.
    Unknown(Refinement),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    String(String),
    /// Elements of a list or tuple in order.
    Seq(Vec<Value>),
    /// Elements of a set, sorted.
    Set(Vec<Value>),
    /// Entries of a map or attributes of an object.
    Keyed(BTreeMap<String, Value>),
    /// A value that brings its own type.
    Typed(super::Type, Box<Value>),
}

impl Value {
    /// An unknown of which nothing is known.
    pub fn unknown() -> Self {
        Self::Unknown(Refinement::default())
    }

    /// A set of the elements, in canonical order.
    pub fn set(mut elements: Vec<Self>) -> Self {
        elements.sort();
        elements.dedup();
        Self::Set(elements)
    }

    /// Whether the value is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether the value itself is known; parts of it may not be.
    pub fn is_known(&self) -> bool {
        match self {
            Self::Unknown(_) => false,
            Self::Typed(_, inner) => inner.is_known(),
            _ => true,
        }
    }

    /// Whether nothing in the value is unknown.
    pub fn is_wholly_known(&self) -> bool {
        self.unknown_paths().is_empty()
    }

    /// The paths of everything unknown.
    pub fn unknown_paths(&self) -> Vec<Path> {
        let mut found = Vec::new();
        self.walk(&Path::root(), &mut |path, value| {
            if matches!(value, Self::Unknown(_)) {
                found.push(path.clone());
            }
        });
        found
    }

    /// Calls `visit` for this value and every part of it.
    pub fn walk(&self, path: &Path, visit: &mut impl FnMut(&Path, &Self)) {
        visit(path, self);
        match self {
            Self::Seq(elements) | Self::Set(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    element.walk(&path.index(index), visit);
                }
            }
            Self::Keyed(entries) => {
                for (name, entry) in entries {
                    entry.walk(&path.attribute(name), visit);
                }
            }
            Self::Typed(_, inner) => inner.walk(path, visit),
            _ => {}
        }
    }

    /// The attribute or entry of that name; null where the value is null.
    #[must_use]
    pub fn get(&self, name: &str) -> Self {
        match self {
            Self::Keyed(entries) => entries.get(name).cloned().unwrap_or(Self::Null),
            Self::Unknown(_) => Self::unknown(),
            _ => Self::Null,
        }
    }

    /// The elements of a list, tuple or set; none for anything else.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::Seq(elements) | Self::Set(elements) => elements,
            _ => &[],
        }
    }

    /// The entries of a map or object; none for anything else.
    pub fn entries(&self) -> Vec<(&String, &Self)> {
        match self {
            Self::Keyed(entries) => entries.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The value at a path, or `None` where the path leads nowhere.
    pub fn at(&self, path: &Path) -> Option<&Self> {
        path.0.iter().try_fold(self, |value, step| match (step, value) {
            (PathStep::Name(name), Self::Keyed(entries)) => entries.get(name),
            (PathStep::Index(index), Self::Seq(elements) | Self::Set(elements)) => {
                elements.get(*index)
            }
            _ => None,
        })
    }

    /// The same value with every refinement forgotten.
    #[must_use]
    pub fn unrefined(&self) -> Self {
        match self {
            Self::Unknown(_) => Self::unknown(),
            Self::Seq(elements) => Self::Seq(elements.iter().map(Self::unrefined).collect()),
            Self::Set(elements) => Self::set(elements.iter().map(Self::unrefined).collect()),
            Self::Keyed(entries) => Self::Keyed(
                entries.iter().map(|(name, entry)| (name.clone(), entry.unrefined())).collect(),
            ),
            Self::Typed(ty, inner) => Self::Typed(ty.clone(), Box::new(inner.unrefined())),
            other => other.clone(),
        }
    }
}

/// One step into a value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PathStep {
    /// An attribute or map key.
    Name(String),
    /// An element.
    Index(usize),
}

/// Where in a value something is.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// The whole value.
    pub fn root() -> Self {
        Self::default()
    }

    /// An attribute or entry below this path.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Self {
        self.step(PathStep::Name(name.to_owned()))
    }

    /// An element below this path.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(PathStep::Index(index))
    }

    fn step(&self, step: PathStep) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Name(name) if position == 0 => f.write_str(name)?,
                PathStep::Name(name) => write!(f, ".{name}")?,
                PathStep::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
