//! How inputs become validated fields.
//!
//! Used by the models' `validate`. Every fault is noted at its path and checking goes on; `None`
//! means that a fault was noted.

use std::fmt::Display;
use std::str::FromStr;

use crate::ids::TeamId;
use crate::problem::{Findings, Path, Problem};
use crate::text::capital;
use crate::value::{Bounds, Field, GoDuration, Input, check_text};

/// A required attribute.
pub(super) fn required<T>(
    findings: &mut Findings,
    path: &Path,
    input: &Input<String>,
) -> Option<Field<T>>
where
    T: FromStr,
    T::Err: Display,
{
    match input {
        Input::Absent => missing(findings, path),
        Input::Unknown => Some(Field::Unknown),
        Input::Given(text) => parsed(findings, path, text),
    }
}

/// An optional attribute with a default. An empty text means the default.
pub(super) fn defaulted<T>(
    findings: &mut Findings,
    path: &Path,
    input: &Input<String>,
    default: &str,
) -> Option<Field<T>>
where
    T: FromStr,
    T::Err: Display,
{
    match input {
        Input::Absent => parsed(findings, path, default),
        Input::Unknown => Some(Field::Unknown),
        Input::Given(text) if text.is_empty() => parsed(findings, path, default),
        Input::Given(text) => parsed(findings, path, text),
    }
}

/// An optional free text; absent and empty mean the same.
pub(super) fn text(
    findings: &mut Findings,
    path: &Path,
    input: &Input<String>,
) -> Option<Field<String>> {
    match input {
        Input::Absent => Some(Field::Known(String::new())),
        Input::Unknown => Some(Field::Unknown),
        Input::Given(text) => note(findings, path, check_text(text)).map(Field::Known),
    }
}

/// A required duration within bounds.
pub(super) fn duration(
    findings: &mut Findings,
    path: &Path,
    input: &Input<String>,
    bounds: Bounds,
) -> Option<Field<GoDuration>> {
    let field = required::<GoDuration>(findings, path, input)?;
    match field {
        Field::Known(value) => note(findings, path, value.within(bounds)).map(Field::Known),
        Field::Unknown => Some(Field::Unknown),
    }
}

/// The id of the team that an object belongs to.
pub(super) fn team(findings: &mut Findings, input: &Input<String>) -> Option<Field<TeamId>> {
    required(findings, &Path::of("team_id"), input)
}

pub(super) fn missing<T>(findings: &mut Findings, path: &Path) -> Option<T> {
    findings.error(Problem::new(path.clone(), "Missing value", format!("{path} is required.")));
    None
}

fn parsed<T>(findings: &mut Findings, path: &Path, text: &str) -> Option<Field<T>>
where
    T: FromStr,
    T::Err: Display,
{
    note(findings, path, text.parse()).map(Field::Known)
}

/// The value, or its fault noted.
pub(super) fn note<T, E: Display>(
    findings: &mut Findings,
    path: &Path,
    result: Result<T, E>,
) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(fault) => {
            let summary = format!("Invalid {path}");
            findings.error(Problem::new(
                path.clone(),
                summary,
                format!("{}.", capital(&fault.to_string())),
            ));
            None
        }
    }
}
