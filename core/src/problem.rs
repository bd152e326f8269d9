//! What is wrong with what a user wrote, as values with a place.
//!
//! Validation and plans make them, both faces show them at their path. Problems accumulate: nothing
//! here stops at the first. A problem must never hold a secret.

use std::fmt;

/// One step of the way to an attribute. Fields are in Rust's `snake_case`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// An attribute.
    Field(&'static str),
    /// An element of a list.
    Index(usize),
}

/// The way to an attribute; an empty one is the object itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<PathStep>);

impl Path {
    /// The object itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// An attribute of the object.
    pub fn of(field: &'static str) -> Self {
        Self::root().field(field)
    }

    /// An attribute below this one.
    #[must_use]
    pub fn field(&self, field: &'static str) -> Self {
        self.then(PathStep::Field(field))
    }

    /// An element of this list.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.then(PathStep::Index(index))
    }

    /// As the fields of custom resources are written: `notify.ntfyURL`, `levels[1].timeout`.
    pub fn camel_case(&self) -> String {
        let snake = self.to_string();
        let mut words = snake.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |camel, word| camel + &camel_word(word))
    }

    fn then(&self, step: PathStep) -> Self {
        Self(self.0.iter().copied().chain([step]).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Field(name) if position == 0 => formatter.write_str(name)?,
                PathStep::Field(name) => write!(formatter, ".{name}")?,
                PathStep::Index(index) => write!(formatter, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// A word within a name; an initialism is written in capitals.
fn camel_word(word: &str) -> String {
    let end = word.find(['.', '[']).unwrap_or(word.len());
    match word.split_at(end) {
        ("url" | "id", rest) => word[..end].to_uppercase() + rest,
        _ => crate::text::capital(word),
    }
}

/// Something that a person has to know about what they wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub path: Path,
    /// One line.
    pub summary: String,
    /// What exactly.
    pub detail: String,
    /// What to do about it; empty where the detail says it already.
    pub hint: String,
}

impl Problem {
    /// A problem at a path.
    pub fn new(path: Path, summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { path, summary: summary.into(), detail: detail.into(), hint: String::new() }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Detail and hint as one text.
    pub fn text(&self) -> String {
        match (self.detail.as_str(), self.hint.as_str()) {
            (detail, "") => detail.to_owned(),
            ("", hint) => hint.to_owned(),
            (detail, hint) => format!("{detail} {hint}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.0.is_empty() {
            write!(formatter, "{}: ", self.path)?;
        }
        write!(formatter, "{}: {}", self.summary, self.text())
    }
}

/// All that validation found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// What has to be changed.
    pub errors: Vec<Problem>,
    /// What is worth a second look.
    pub warnings: Vec<Problem>,
}

impl Findings {
    /// Notes an error.
    pub fn error(&mut self, problem: Problem) {
        self.errors.push(problem);
    }

    /// Notes a warning.
    pub fn warn(&mut self, problem: Problem) {
        self.warnings.push(problem);
    }

    /// Whether nothing has to be changed.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_camel_case_is_that_of_a_custom_resource() {
        let written = |path: Path| path.camel_case();
        assert_eq!(written(Path::of("notify").field("ntfy_url")), "notify.ntfyURL");
        assert_eq!(written(Path::of("oidc").field("client_id")), "oidc.clientID");
        let groups = Path::of("oidc").field("allowed_groups").index(2);
        assert_eq!(written(groups), "oidc.allowedGroups[2]");
        let key = Path::of("token_secret_ref").field("key");
        assert_eq!(written(key), "tokenSecretRef.key");
        assert_eq!(written(Path::of("url")), "url");
    }

    #[test]
    fn a_path_is_written_as_users_write_it() {
        let path = Path::of("levels").index(1).field("timeout");
        assert_eq!(path.to_string(), "levels[1].timeout");
        let problem = Problem::new(path, "Too short", "It is 1s.").hint("Use 1m or more.");
        assert_eq!(problem.to_string(), "levels[1].timeout: Too short: It is 1s. Use 1m or more.");
    }
}
