//! Attributes that several kinds have, and the way from attributes to core's inputs.

use terdut_core::value::Input;
use terdut_plugin::attr::Attr;
use terdut_plugin::schema::Attribute;

/// The id.
pub fn id(description: &str) -> Attribute {
    Attribute::string("id").computed().keep().describe(description)
}

/// The team that a child belongs to.
pub fn team_id() -> Attribute {
    Attribute::string("team_id")
        .required()
        .describe("Id of the team that it belongs to. Another team means another object.")
}

/// Whether what has the name already is taken over.
pub fn adopt_existing() -> Attribute {
    Attribute::bool("adopt_existing").optional().describe(
        "Take over what has the name on the server already, instead of failing. It counts only \
         while the object is created.",
    )
}

/// Renewed by a change of any value in it.
pub fn rotate_when_changed() -> Attribute {
    Attribute::string_map("rotate_when_changed").optional().empty_is_null().describe(
        "Any values; a change of one of them asks for a new key. From or to nothing, nothing \
         happens.",
    )
}

/// What the user wrote, for core.
pub fn input<T: Clone>(attribute: &Attr<T>) -> Input<T> {
    match attribute {
        Attr::Null => Input::Absent,
        Attr::Unknown => Input::Unknown,
        Attr::Known(value) => Input::Given(value.clone()),
    }
}

/// A text that the user wrote; an empty one is none.
pub fn said(attribute: &Attr<String>) -> Option<&str> {
    attribute.as_deref().filter(|text| !text.is_empty())
}

/// A text in the state that has a default; an empty one is that, and nothing says nothing.
pub fn or_default(attribute: &Attr<String>, default: &str) -> String {
    match attribute.as_deref() {
        Some("") => default.to_owned(),
        Some(text) => text.to_owned(),
        None => String::new(),
    }
}

/// An optional text of the server, for the state: empty is null.
pub fn optional(text: &str) -> Attr<String> {
    if text.is_empty() { Attr::Null } else { Attr::from(text) }
}

/// An id in the state, as core's type.
pub fn parsed<T: std::str::FromStr>(id: &Attr<String>) -> Option<T> {
    id.as_deref()?.parse().ok()
}
