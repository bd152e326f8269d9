//! One attribute: its type, who sets it, and how it behaves in a plan.

use std::sync::Arc;

use super::check::Check;
use super::object_type;
use crate::ty::Type;
use crate::value::Value;

/// Whether two values mean the same although they are written differently.
pub type Equality = fn(&Value, &Value) -> bool;

/// What an attribute holds.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A value of a type.
    Value(Type),
    /// One object with attributes of its own.
    Single(Vec<Attribute>),
    /// A list of such objects.
    List(Vec<Attribute>),
    /// A map of such objects.
    Map(Vec<Attribute>),
}

/// Who sets an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The user must.
    Required,
    /// The user may.
    Optional,
    /// The provider does.
    Computed,
    /// The user may, else the provider does.
    OptionalComputed,
}

/// One attribute of a [`super::Schema`].
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own in the protocol")]
#[derive(Clone, Debug)]
pub struct Attribute {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) mode: Mode,
    pub(crate) sensitive: bool,
    pub(crate) write_only: bool,
    pub(crate) description: String,
    pub(crate) deprecation: Option<String>,
    pub(crate) keep: bool,
    pub(crate) default: Option<Arc<Value>>,
    pub(crate) replace: bool,
    pub(crate) equality: Option<Equality>,
    pub(crate) empty_is_null: bool,
    pub(crate) checks: Vec<Check>,
}

impl Attribute {
    /// An optional attribute of a type.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            mode: Mode::Optional,
            sensitive: false,
            write_only: false,
            description: String::new(),
            deprecation: None,
            keep: false,
            default: None,
            replace: false,
            equality: None,
            empty_is_null: false,
            checks: Vec::new(),
        }
    }

    /// An attribute of any type that is not nested attributes.
    pub fn of(name: impl Into<String>, ty: Type) -> Self {
        Self::new(name, Kind::Value(ty))
    }

    /// A string.
    pub fn string(name: impl Into<String>) -> Self {
        Self::of(name, Type::String)
    }

    /// A number.
    pub fn number(name: impl Into<String>) -> Self {
        Self::of(name, Type::Number)
    }

    /// A bool.
    pub fn bool(name: impl Into<String>) -> Self {
        Self::of(name, Type::Bool)
    }

    /// A map of strings.
    pub fn string_map(name: impl Into<String>) -> Self {
        Self::of(name, Type::map(Type::String))
    }

    /// One nested object.
    pub fn single(name: impl Into<String>, attributes: impl IntoIterator<Item = Self>) -> Self {
        Self::new(name, Kind::Single(attributes.into_iter().collect()))
    }

    /// A list of nested objects.
    pub fn list(name: impl Into<String>, attributes: impl IntoIterator<Item = Self>) -> Self {
        Self::new(name, Kind::List(attributes.into_iter().collect()))
    }

    /// A map of nested objects.
    pub fn map(name: impl Into<String>, attributes: impl IntoIterator<Item = Self>) -> Self {
        Self::new(name, Kind::Map(attributes.into_iter().collect()))
    }

    /// The user must set it.
    #[must_use]
    pub fn required(self) -> Self {
        self.mode(Mode::Required)
    }

    /// The user may set it.
    #[must_use]
    pub fn optional(self) -> Self {
        self.mode(Mode::Optional)
    }

    /// The provider sets it.
    #[must_use]
    pub fn computed(self) -> Self {
        self.mode(Mode::Computed)
    }

    /// The user may set it, else the provider does.
    #[must_use]
    pub fn optional_computed(self) -> Self {
        self.mode(Mode::OptionalComputed)
    }

    /// Says who sets it.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Describes it, in Markdown.
    #[must_use]
    pub fn describe(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// Hosts do not show it.
    #[must_use]
    pub fn sensitive(mut self) -> Self {
        self.sensitive = true;
        self
    }

    /// It is in the configuration only: never in a plan, a state or an answer.
    #[must_use]
    pub fn write_only(mut self) -> Self {
        self.write_only = true;
        self
    }

    /// Still works, but should not be used any more.
    #[must_use]
    pub fn deprecated(mut self, instead: impl Into<String>) -> Self {
        self.deprecation = Some(instead.into());
        self
    }

    /// In a plan, a value that the user does not set stays what it is, null included.
    #[must_use]
    pub fn keep(mut self) -> Self {
        self.keep = true;
        self
    }

    /// In a plan, a value that the user does not set is this one. Makes it computed.
    #[must_use]
    pub fn default_value(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(Arc::new(value.into()));
        self.mode(Mode::OptionalComputed)
    }

    /// A change of it cannot be made in place: the object is replaced.
    #[must_use]
    pub fn replace(mut self) -> Self {
        self.replace = true;
        self
    }

    /// When two values mean the same. The spelling that was there first is kept.
    #[must_use]
    pub fn equal_by(mut self, equality: Equality) -> Self {
        self.equality = Some(equality);
        self
    }

    /// Null, "", an empty collection and an object without anything set mean the same: a read
    /// keeps the form that was there while the server has nothing. Where there is a default, ""
    /// means the default.
    #[must_use]
    pub fn empty_is_null(mut self) -> Self {
        self.empty_is_null = true;
        self
    }

    /// Checks a known value when the configuration is validated.
    #[must_use]
    pub fn check(
        mut self,
        check: impl Fn(&Value) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Check::new(check));
        self
    }

    /// The same as a data source shows it, at every depth: only the provider sets it, and `tell`
    /// says what of its description holds then.
    #[must_use]
    pub fn read_only(self, tell: &dyn Fn(&str) -> String) -> Self {
        let all = |nested: Vec<Self>| nested.into_iter().map(|it| it.read_only(tell)).collect();
        let kind = match self.kind {
            Kind::Value(ty) => Kind::Value(ty),
            Kind::Single(nested) => Kind::Single(all(nested)),
            Kind::List(nested) => Kind::List(all(nested)),
            Kind::Map(nested) => Kind::Map(all(nested)),
        };
        let Self { name, sensitive, description, deprecation, .. } = self;
        let shown = Self::new(name, kind).computed().describe(tell(&description));
        Self { sensitive, deprecation, ..shown }
    }

    /// Whether hosts do not show it.
    pub fn is_sensitive(&self) -> bool {
        self.sensitive
    }

    /// What it is, in Markdown.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it holds.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Its attributes, if it has some.
    pub fn nested(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::Value(_) => None,
            Kind::Single(nested) | Kind::List(nested) | Kind::Map(nested) => Some(nested),
        }
    }

    /// The type of its values.
    pub fn ty(&self) -> Type {
        match &self.kind {
            Kind::Value(ty) => ty.clone(),
            Kind::Single(nested) => object_type(nested),
            Kind::List(nested) => Type::list(object_type(nested)),
            Kind::Map(nested) => Type::map(object_type(nested)),
        }
    }

    /// Whether the provider may set it.
    pub fn is_computed(&self) -> bool {
        matches!(self.mode, Mode::Computed | Mode::OptionalComputed)
    }

    /// Whether two values mean the same.
    pub fn means_the_same(&self, one: &Value, other: &Value) -> bool {
        let (one, other) = (self.meant(one), self.meant(other));
        one == other
            || (self.empty_is_null && is_empty(one) && is_empty(other))
            || self
                .equality
                .is_some_and(|equality| one.is_known() && other.is_known() && equality(one, other))
    }

    /// What an empty text stands for.
    fn meant<'v>(&'v self, value: &'v Value) -> &'v Value {
        let is_left = self.empty_is_null && value.as_str() == Some("");
        self.default.as_deref().filter(|_| is_left).unwrap_or(value)
    }

    pub(super) fn collect_faults(&self, path: &str, faults: &mut Vec<String>) {
        let legal = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if self.name.is_empty() || !self.name.bytes().all(legal) {
            faults.push(format!("{path} is not a possible name"));
        }
        if self.write_only && self.is_computed() {
            faults.push(format!("{path} is write-only and computed"));
        }
        if self.keep && !self.is_computed() {
            faults.push(format!("{path} cannot keep what only the user sets"));
        }
        if self.default.is_some() && self.mode != Mode::OptionalComputed {
            faults.push(format!("{path} has a default that nobody can leave to it"));
        }
        if has_dynamic_set(&self.ty()) {
            faults.push(format!("{path} has a set of values of any type"));
        }
        for nested in self.nested().unwrap_or_default() {
            nested.collect_faults(&format!("{path}.{}", nested.name), faults);
        }
    }
}

/// Hosts refuse a set whose elements may be of different types.
fn has_dynamic_set(ty: &Type) -> bool {
    match ty {
        Type::Set(element) => element.has_dynamic(),
        Type::List(element) | Type::Map(element) => has_dynamic_set(element),
        Type::Object(attributes) => attributes.values().any(has_dynamic_set),
        Type::Tuple(elements) => elements.iter().any(has_dynamic_set),
        Type::Bool | Type::Number | Type::String | Type::Dynamic => false,
    }
}

/// Whether a value holds nothing: null, "", an empty collection, an object of nothing.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::List(elements) | Value::Set(elements) | Value::Tuple(elements) => {
            elements.is_empty()
        }
        Value::Map(members) => members.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
        Value::Dynamic(inner) => is_empty(&inner.1),
        Value::Unknown(_) | Value::Bool(_) | Value::Number(_) => false,
    }
}
