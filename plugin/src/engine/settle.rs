//! What of an author's answer goes into the state: the user's spelling where it means the same, no
//! unknown, nothing write-only.
//!
//! Called after every read and apply. It compares by the schema's equalities only; what is
//! different is told, never hidden.

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::path::AttributePath;
use crate::schema::{Attribute, Kind};
use crate::value::Value;

/// The state after a read: what means the same keeps its spelling, all else is the remote value.
///
/// Also the state after an apply that failed half-way: what was planned did not all come about, and
/// the host does not expect it then.
pub(super) fn after_read(attributes: &[Attribute], prior: &Value, actual: Value) -> Value {
    let mut settled = read_object(attributes, prior, actual);
    clear_write_only(attributes, &mut settled);
    settled.null_unknowns();
    settled
}

fn read_object(attributes: &[Attribute], prior: &Value, mut actual: Value) -> Value {
    for attribute in attributes {
        if let Some(value) = actual.attribute_mut(&attribute.name) {
            let prior = prior.attribute(&attribute.name).unwrap_or(&Value::Null);
            *value = read_value(attribute, prior, std::mem::take(value));
        }
    }
    actual
}

fn read_value(attribute: &Attribute, prior: &Value, actual: Value) -> Value {
    if prior.is_wholly_known() && attribute.means_the_same(prior, &actual) {
        return prior.clone();
    }
    match (attribute.kind(), prior, actual) {
        (Kind::Single(nested), Value::Object(_), actual @ Value::Object(_)) => {
            read_object(nested, prior, actual)
        }
        (Kind::List(nested), Value::List(before), Value::List(after)) => {
            let pad = std::iter::repeat(&Value::Null);
            let pairs = before.iter().chain(pad).zip(after);
            Value::List(pairs.map(|(prior, actual)| read_object(nested, prior, actual)).collect())
        }
        (Kind::Map(nested), Value::Map(before), Value::Map(after)) => {
            let prior = |key: &str| before.get(key).unwrap_or(&Value::Null);
            let members = after.into_iter();
            let settled = members.map(|(key, it)| {
                let value = read_object(nested, prior(&key), it);
                (key, value)
            });
            Value::map(settled)
        }
        (_, _, actual) => actual,
    }
}

/// The state after an apply: every planned value as it was planned, the rest as it came.
pub(super) fn after_apply(
    attributes: &[Attribute],
    planned: &Value,
    actual: Value,
    diagnostics: &mut Diagnostics,
) -> Value {
    let mut settled =
        apply_object(attributes, planned, actual, &AttributePath::root(), diagnostics);
    clear_write_only(attributes, &mut settled);
    settled
}

fn apply_object(
    attributes: &[Attribute],
    planned: &Value,
    mut actual: Value,
    path: &AttributePath,
    diagnostics: &mut Diagnostics,
) -> Value {
    for attribute in attributes {
        if let Some(value) = actual.attribute_mut(&attribute.name) {
            let planned = planned.attribute(&attribute.name).unwrap_or(&Value::Null);
            let here = path.clone().attribute(attribute.name.clone());
            *value = apply_value(attribute, planned, std::mem::take(value), &here, diagnostics);
        }
    }
    actual
}

fn apply_value(
    attribute: &Attribute,
    planned: &Value,
    actual: Value,
    path: &AttributePath,
    diagnostics: &mut Diagnostics,
) -> Value {
    if planned.is_unknown() {
        return filled(actual, path, diagnostics);
    }
    if planned.is_wholly_known() && attribute.means_the_same(planned, &actual) {
        return planned.clone();
    }
    match (attribute.kind(), planned, actual) {
        (Kind::Single(nested), Value::Object(_), actual @ Value::Object(_)) => {
            apply_object(nested, planned, actual, path, diagnostics)
        }
        (Kind::List(nested), Value::List(wanted), Value::List(got))
            if wanted.len() == got.len() =>
        {
            let pairs = wanted.iter().zip(got).enumerate();
            let settled = pairs.map(|(index, (wanted, got))| {
                apply_object(nested, wanted, got, &path.clone().index(index), diagnostics)
            });
            Value::List(settled.collect())
        }
        (Kind::Map(nested), Value::Map(wanted), Value::Map(got))
            if wanted.keys().eq(got.keys()) =>
        {
            let pairs = wanted.values().zip(got);
            let settled = pairs.map(|(wanted, (key, got))| {
                let here = path.clone().key(key.clone());
                let value = apply_object(nested, wanted, got, &here, diagnostics);
                (key, value)
            });
            Value::map(settled)
        }
        (_, planned, _) => promised(planned, path, diagnostics),
    }
}

/// A planned value that did not come about. A plan is a promise, so it stays in the state; the
/// next refresh reads what is really there and shows the difference.
fn promised(planned: &Value, path: &AttributePath, diagnostics: &mut Diagnostics) -> Value {
    diagnostics.push(
        Diagnostic::warning(
            "Applied, but the object differs",
            format!("After the apply, {path} is not what was planned. The next plan shows it."),
        )
        .at(path.clone()),
    );
    let mut value = planned.clone();
    value.null_unknowns();
    value
}

fn filled(mut actual: Value, path: &AttributePath, diagnostics: &mut Diagnostics) -> Value {
    if !actual.is_wholly_known() {
        actual.null_unknowns();
        diagnostics.push(
            Diagnostic::error(
                "The provider has a bug",
                format!("{path} is still not known after the apply. Please report it."),
            )
            .at(path.clone()),
        );
    }
    actual
}

/// Write-only values are in configurations only.
pub(super) fn clear_write_only(attributes: &[Attribute], object: &mut Value) {
    for attribute in attributes {
        let Some(value) = object.attribute_mut(&attribute.name) else {
            continue;
        };
        if attribute.write_only {
            *value = Value::Null;
        } else if let Some(nested) = attribute.nested() {
            each_object(value, &mut |object| clear_write_only(nested, object));
        }
    }
}

fn each_object(value: &mut Value, visit: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Object(_) => visit(value),
        Value::List(elements) => elements.iter_mut().for_each(visit),
        Value::Map(members) => members.values_mut().for_each(visit),
        _ => {}
    }
}
