//! How the fields of the spec become values.
//!
//! Used by `validate`. Every fault is noted at its path and checking goes on.

use std::fmt::Display;
use std::str::FromStr;

use super::SecretKeyRef;
use super::values::{DataKey, ObjectName, SecretKey};
use crate::problem::{Findings, Path, Problem};
use crate::text::capital;
use crate::value::{GoDuration, SETTING, check_text};

/// A fault was noted; there is nothing more to say about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Noted;

/// A value, or a fault that was noted.
pub(super) type Checked<T> = Result<T, Noted>;

/// Checks the fields of one part of the spec.
pub(super) struct Checker<'f> {
    findings: &'f mut Findings,
    part: Path,
}

impl<'f> Checker<'f> {
    /// For the part at that path.
    pub(super) fn new(findings: &'f mut Findings, part: Path) -> Self {
        Self { findings, part }
    }

    /// For a part below this one.
    pub(super) fn below(&mut self, field: &'static str) -> Checker<'_> {
        Checker::new(self.findings, self.part.field(field))
    }

    /// The path of a field.
    pub(super) fn path(&self, field: &'static str) -> Path {
        self.part.field(field)
    }

    /// Notes a fault of one field.
    pub(super) fn fault(&mut self, field: &'static str, detail: impl Into<String>) -> Noted {
        self.fault_at(self.part.field(field), detail)
    }

    /// Notes a fault at a path below.
    pub(super) fn fault_at(&mut self, path: Path, detail: impl Into<String>) -> Noted {
        self.findings.error(Problem::new(path, "Invalid value", detail));
        Noted
    }

    /// Notes what is worth a second look.
    pub(super) fn warn(&mut self, field: &'static str, summary: &str, detail: impl Into<String>) {
        self.findings.warn(Problem::new(self.part.field(field), summary, detail));
    }

    /// A field that must be given.
    pub(super) fn required<T>(&mut self, field: &'static str, text: Option<&str>) -> Checked<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        match self.optional(field, text)? {
            Some(value) => Ok(value),
            None => Err(self.fault(field, "It is required.")),
        }
    }

    /// A field that may be left out.
    pub(super) fn optional<T>(
        &mut self,
        field: &'static str,
        text: Option<&str>,
    ) -> Checked<Option<T>>
    where
        T: FromStr,
        T::Err: Display,
    {
        let parse = |text: &str| text.parse().map_err(|fault: T::Err| fault.to_string());
        match given(text).map(parse).transpose() {
            Ok(value) => Ok(value),
            Err(fault) => Err(self.fault(field, format!("{}.", capital(&fault)))),
        }
    }

    /// A field with a default.
    pub(super) fn defaulted<T>(
        &mut self,
        field: &'static str,
        text: Option<&str>,
        default: &str,
    ) -> Checked<T>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.required(field, given(text).or(Some(default)))
    }

    /// A free text; empty where there is none.
    pub(super) fn text(&mut self, field: &'static str, text: Option<&str>) -> Checked<String> {
        let text = given(text).unwrap_or_default().trim();
        check_text(text)
            .map_err(|fault| self.fault(field, format!("{}.", capital(&fault.to_string()))))
    }

    /// A duration with a default, within what a server's setting may be.
    pub(super) fn duration(
        &mut self,
        field: &'static str,
        text: Option<&str>,
        default: &str,
    ) -> Checked<GoDuration> {
        let value: GoDuration = self.defaulted(field, text, default)?;
        value
            .within(SETTING)
            .map_err(|fault| self.fault(field, format!("{}.", capital(&fault.to_string()))))
    }

    /// A key of a Secret; without a name there is none.
    pub(super) fn secret(
        &mut self,
        field: &'static str,
        reference: Option<&SecretKeyRef>,
        default_key: &str,
    ) -> Checked<Option<SecretKey>> {
        let Some(reference) = reference.filter(|reference| !reference.name.is_empty()) else {
            return Ok(None);
        };
        let mut below = self.below(field);
        let name: Checked<ObjectName> = below.required("name", Some(&reference.name));
        let key: Checked<DataKey> = below.defaulted("key", reference.key.as_deref(), default_key);
        Ok(Some(SecretKey { name: name?.to_string(), key: key?.to_string() }))
    }
}

/// The text, unless it is empty: that is absent.
pub(super) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
