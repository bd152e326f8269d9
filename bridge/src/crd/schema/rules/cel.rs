//! The expressions that rules are made of.
//!
//! Patterns are in the syntax that RE2 and Rust's regex share, without backslashes where one can do
//! without, so that they read the same in CEL, YAML and JSON.

use terdut_core::value::Bounds;

/// What an empty text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absence {
    /// The same as none.
    Allowed,
    /// A fault.
    Refused,
}

/// A Go duration, or nothing. The digits are so few that no sum of them overflows.
pub(super) const DURATION: &str = "^([0-9]{1,5}([.][0-9]{1,9})?h|[0-9]{1,7}([.][0-9]{1,9})?m|\
                                   [0-9]{1,9}([.][0-9]{1,9})?(s|ms|us|ns))*$";
/// A lower-case word.
pub(super) const WORD: &str = "^[a-z][a-z0-9_-]{0,62}$";

/// `label=value[,label=value…]`.
pub(super) fn matcher() -> String {
    let label = "[[:space:]]*[a-zA-Z_][a-zA-Z0-9_]*[[:space:]]*";
    let value = r#"[[:space:]]*[^=~,"\\[:space:][:cntrl:]][^,"\\[:cntrl:]]*"#;
    format!("^{label}={value}(,{label}={value})*$")
}

/// That an optional text is there and not empty. The place ends in the text's name.
pub(super) fn given(place: &str) -> String {
    let mut parts: Vec<_> = ancestors(place).map(|part| format!("has({part})")).collect();
    parts.push(format!("{place} != ''"));
    format!("({})", parts.join(" && "))
}

/// An optional text, or core's default.
pub(super) fn or_default(place: &str, default: &str) -> String {
    format!("({} ? {place} : {})", given(place), quoted(default))
}

/// That the text has a form.
pub(super) fn form(pattern: &str, absence: Absence) -> String {
    or_absent(absence, format!("self.matches({})", quoted(pattern)))
}

/// That the text is a duration within bounds.
pub(super) fn duration(bounds: Bounds, absence: Absence) -> String {
    let (least, most) = (bounds.least.short(), bounds.most.short());
    let within =
        format!("duration(self) >= duration('{least}') && duration(self) <= duration('{most}')");
    let parses = format!("self.matches({})", quoted(DURATION));
    match absence {
        Absence::Allowed => or_absent(absence, format!("({parses} && {within})")),
        Absence::Refused => format!("self != '' && {parses} && {within}"),
    }
}

/// That the text holds no control characters, blanks around it aside.
pub(super) fn no_control() -> String {
    "!self.trim().matches('[[:cntrl:]]')".to_owned()
}

/// A text as CEL writes it.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn or_absent(absence: Absence, rule: String) -> String {
    match absence {
        Absence::Allowed => format!("self == '' || {rule}"),
        Absence::Refused => rule,
    }
}

/// `self.a`, `self.a.b` of `self.a.b`.
fn ancestors(place: &str) -> impl Iterator<Item = &str> {
    let dots = place.match_indices('.').map(|(at, _)| at).skip(1);
    dots.chain([place.len()]).map(|end| &place[..end])
}
