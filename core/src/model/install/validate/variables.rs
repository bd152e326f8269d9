//! Checks of the variables that the spec adds to the server's environment.

use std::collections::BTreeSet;

use crate::model::install::check::{Checked, Checker, given};
use crate::model::install::values::{InvalidValue, Variable, shows_password};
use crate::model::install::{EnvVarSourceSpec, EnvVarSpec};

/// The variables, each with one source at most, none named twice, and none with the password that
/// a DSN must not hold either.
pub(super) fn check(root: &mut Checker<'_>, variables: &[EnvVarSpec]) -> Checked<Vec<EnvVarSpec>> {
    let mut seen = BTreeSet::new();
    let mut found = Ok(Vec::new());
    for (index, variable) in variables.iter().enumerate() {
        let path = root.path("env").index(index);
        let twice = !seen.insert(variable.name.as_str());
        match (fault(variable, twice), &mut found) {
            (Some((field, detail)), _) => found = Err(root.fault_at(path.field(field), detail)),
            (None, Ok(found)) => found.push(tidy(variable)),
            (None, Err(_)) => {}
        }
    }
    found
}

fn fault(variable: &EnvVarSpec, twice: bool) -> Option<(&'static str, String)> {
    if let Err(fault) = variable.name.parse::<Variable>() {
        return Some(("name", told(fault)));
    }
    if twice {
        return Some(("name", "It is named twice.".to_owned()));
    }
    if variable.value.as_deref().is_some_and(shows_password) {
        return Some(("value", told(InvalidValue::DsnPassword)));
    }
    let sources = variable.value_from.as_ref().map_or(0, sources);
    let detail = match (given(variable.value.as_deref()), sources) {
        (Some(_), 1..) => "A variable has a value or a source of it, not both.",
        (_, 2..) => "A variable has one source.",
        _ => return None,
    };
    Some(("value_from", detail.to_owned()))
}

fn told(fault: InvalidValue) -> String {
    format!("{}.", crate::text::capital(&fault.to_string()))
}

fn sources(from: &EnvVarSourceSpec) -> usize {
    let given = [
        from.secret_key_ref.is_some(),
        from.config_map_key_ref.is_some(),
        from.field_ref.is_some(),
        from.resource_field_ref.is_some(),
    ];
    given.into_iter().filter(|given| *given).count()
}

/// An empty source is none, an empty value beside a source neither.
fn tidy(variable: &EnvVarSpec) -> EnvVarSpec {
    let value_from = variable.value_from.clone().filter(|from| sources(from) > 0);
    let value = variable.value.clone().filter(|_| value_from.is_none());
    EnvVarSpec { name: variable.name.trim().to_owned(), value, value_from }
}
