//! What one object alone can tell to be wrong.
//!
//! Each rule is CEL that the API server evaluates, with a message for the person who wrote the
//! object. Core checks the same again, and what takes more than one object; a rule here may be
//! stricter about spelling than core, never laxer. `bridge/tests/rules` has a good and a bad object
//! for each.

use serde_json::{Value, json};
use terdut_core::value::{Bounds, LEVEL_TIMEOUT, SWITCH_TIMEOUT};

mod cel;
mod server;

pub(super) use server::server;

/// The place of rules about a whole object.
pub(super) const ROOT: &str = "/";

/// One rule.
pub(super) struct Rule {
    /// Where: the way from the spec, as `levels[].timeout`.
    at: String,
    /// What must hold there of `self`.
    holds: String,
    /// What a person is told.
    message: String,
    /// Which field of the object at that place is at fault.
    field: Option<&'static str>,
    /// The form of the text, for tools that know no CEL.
    pattern: Option<&'static str>,
    /// The longest text; an API server estimates a rule's cost by it.
    longest: Option<u64>,
}

impl Rule {
    fn new(at: impl Into<String>, holds: impl Into<String>, message: impl Into<String>) -> Self {
        let (at, holds, message) = (at.into(), holds.into(), message.into());
        Self { at, holds, message, field: None, pattern: None, longest: None }
    }

    fn about(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    fn json(&self) -> Value {
        let mut made = json!({"rule": self.holds, "message": self.message});
        if let Some(field) = self.field {
            made["fieldPath"] = format!(".{field}").into();
        }
        made
    }
}

/// Adds the rules for a place to its schema.
pub(super) fn attach(schema: &mut Value, rules: &[Rule], place: &str) {
    let here = || rules.iter().filter(|rule| rule.at == place);
    let made: Vec<_> = here().map(Rule::json).collect();
    if !made.is_empty() {
        schema["x-kubernetes-validations"] = made.into();
    }
    for rule in here() {
        if let Some(pattern) = rule.pattern {
            schema["pattern"] = pattern.into();
        }
        if let Some(longest) = rule.longest {
            schema["maxLength"] = longest.into();
        }
    }
}

/// TerdutTeam.
pub(super) fn team() -> Vec<Rule> {
    vec![
        Rule::new(
            "serverRef",
            "self == oldSelf",
            "serverRef cannot be changed: a team cannot be moved to another server. Writing the \
             namespace out or leaving it out counts as a change, too. Put it back as it was, or \
             delete this object and create another.",
        ),
        name("displayName"),
        text("oidc.memberGroup"),
        text("oidc.ownerGroup"),
    ]
}

/// TerdutEscalationRule.
pub(super) fn escalation_rule() -> Vec<Rule> {
    vec![
        same_team(),
        text("fallbackTopic"),
        duration("levels[].timeout", LEVEL_TIMEOUT, cel::Absence::Refused),
        optional_name("levels[].targets[].username"),
        Rule::new(
            "levels[].targets[]",
            format!("(self.kind == 'user') == {}", cel::given("self.username")),
            "a target of the kind user names a person in username, and one of the kind oncall \
             names nobody",
        )
        .about("username"),
    ]
}

/// TerdutDeadmanSwitch.
pub(super) fn deadman_switch() -> Vec<Rule> {
    vec![
        same_team(),
        name("name"),
        matcher("matcher", cel::Absence::Refused),
        duration("timeout", SWITCH_TIMEOUT, cel::Absence::Refused),
        word("severity"),
    ]
}

/// TerdutAlertSource.
pub(super) fn alert_source() -> Vec<Rule> {
    vec![
        Rule::new(
            ROOT,
            "self.metadata.name.size() <= 237",
            "the name of a TerdutAlertSource has at most 237 characters: the Secret beside it is \
             called <name>-terdut-webhook",
        ),
        same_team(),
        name("name"),
        word("kind"),
    ]
}

fn same_team() -> Rule {
    Rule::new(
        "teamRef",
        "self == oldSelf",
        "teamRef cannot be changed: what belongs to a team cannot be moved to another. Put it back \
         as it was, or delete this object and create another.",
    )
}

const NO_CONTROL: &str = "it must not hold control characters such as line breaks";

fn name(at: &str) -> Rule {
    let message = "a name must not be blank and must not hold control characters such as line \
                   breaks";
    Rule::new(at, format!("self.trim() != '' && {}", cel::no_control()), message)
}

fn optional_name(at: &str) -> Rule {
    let rule = name(at);
    Rule { holds: format!("self == '' || ({})", rule.holds), ..rule }
}

fn text(at: &str) -> Rule {
    Rule::new(at, cel::no_control(), NO_CONTROL)
}

fn word(at: &str) -> Rule {
    Rule::new(
        at,
        cel::form(cel::WORD, cel::Absence::Allowed),
        "write a lower-case word of 1 to 63 letters, digits, '_' or '-'",
    )
}

fn matcher(at: &str, absence: cel::Absence) -> Rule {
    Rule::new(
        at,
        cel::form(&cel::matcher(), absence),
        "write label=value[,label=value…]: it compares for equality only, and a value holds no \
         comma, quote or backslash",
    )
}

fn duration(at: &str, bounds: Bounds, absence: cel::Absence) -> Rule {
    let message = format!("write a duration as 90s, 15m or 1h30m, from {bounds}");
    let rule = Rule::new(at, cel::duration(bounds, absence), message);
    Rule { pattern: Some(cel::DURATION), longest: Some(32), ..rule }
}
