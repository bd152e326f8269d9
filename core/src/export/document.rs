//! What an export comes to: files of text, and what could not be written.

use crate::model::Kind;

/// The files of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// In the order in which a person reads them. There is at least one.
    pub files: Vec<File>,
    /// Names of files of which this export has found nothing on the server. One that an earlier
    /// export left beside the others would be read with them, and declare what is not there any more.
    pub absent: Vec<&'static str>,
    /// Names of files that this export was not asked for in full. What an earlier one left there
    /// would be declared still, and not be imported any more.
    pub unasked: Vec<&'static str>,
    /// What stands between two files where all are one text.
    pub separator: &'static str,
    /// How many objects of each kind were written.
    pub written: Vec<(Kind, usize)>,
    /// What could not be written.
    pub left_out: Vec<LeftOut>,
    /// What a person has to know besides, a sentence or two each.
    pub notes: Vec<String>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, without a folder.
    pub name: &'static str,
    /// Its text; it ends with a line break.
    pub text: String,
}

/// An object that no text means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its kind.
    pub kind: Kind,
    /// Its name and id.
    pub label: String,
    /// Why.
    pub why: String,
}

/// What lines without a blank before them begin with in an export's files.
const OURS: [&str; 6] = [
    "resource \"terdut_",
    "import {",
    "apiVersion: terdut.ryuvia.com/",
    "kind: Terdut",
    "metadata:",
    "spec:",
];

/// Whether a file's text is nothing but what an export writes.
pub fn is_an_exports(text: &str) -> bool {
    let mut blocks = text.lines().filter(|line| line.starts_with(char::is_alphabetic)).peekable();
    blocks.peek().is_some() && blocks.all(|line| OURS.iter().any(|ours| line.starts_with(ours)))
}

impl Document {
    /// All files as one text.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.files.iter().map(|file| file.text.as_str()).collect();
        texts.join(self.separator)
    }

    /// How many objects were written.
    pub fn objects(&self) -> usize {
        self.written.iter().map(|(_, count)| count).sum()
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}: {}", self.kind.noun(), self.label, self.why)
    }
}
