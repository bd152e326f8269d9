//! The guide Troubleshooting explains every first line that the provider can say, and no other.
//!
//! The lines are read out of the sources, so that nobody keeps a list of them: each is the first
//! title among the texts that are given to whatever makes a diagnostic. What a line is completed
//! with, as a noun, fits anything.

use std::fs;
use std::path::{Path, PathBuf};

/// What a title is given to.
const MAKERS: [&str; 10] = [
    "Problem::new(",
    "Diagnostic::error(",
    "Diagnostic::warning(",
    ".error(",
    ".error_at(",
    ".warning(",
    ".warning_at(",
    ".warn(",
    "let summary = format!(",
    "Option<(&'static str, &'static str)> = Some((",
];

/// Core says it of objects that nobody recorded; Terraform's are all in a state.
const NEVER_OF_TERRAFORM: [&str; 1] = ["Not deleted"];

const PLACEHOLDER: char = '…';

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The code of a file, without its comments and its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source");
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n").replace("'\"'", "' '")
}

/// The code of each file that the provider's words come from.
fn sources() -> Vec<String> {
    let mut folders: Vec<_> =
        ["core", "client", "plugin", "provider"].map(|it| root().join(it).join("src")).into();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("a source").path();
            if path.file_stem().is_some_and(|stem| stem == "tests") {
                continue;
            }
            if path.is_dir() { folders.push(path) } else { sources.push(code(&path)) }
        }
    }
    sources
}

/// The texts in a piece of code, up to the bracket that closes what was open before it.
fn texts(code: &str) -> Vec<String> {
    let (mut texts, mut depth, mut rest) = (Vec::new(), 0, code);
    while let Some(at) = rest.find(['"', '(', ')']) {
        let (sign, after) = (rest.as_bytes()[at], &rest[at + 1..]);
        match sign {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {
                let end = end_of_text(after);
                texts.push(after[..end].to_owned());
                rest = after.get(end + 1..).unwrap_or_default();
                continue;
            }
        }
        if depth < 0 {
            break;
        }
        rest = after;
    }
    texts
}

fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    let end = text.find(|sign| {
        let ends = sign == '"' && !escaped;
        escaped = sign == '\\' && !escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// A detail ends with a full stop, a field does not begin with a capital.
fn is_title(text: &str) -> bool {
    !text.ends_with('.') && text.starts_with(|first: char| first.is_uppercase() || first == '{')
}

/// Every first line in a piece of code.
fn titles(code: &str) -> Vec<String> {
    let calls = MAKERS.iter().flat_map(|maker| code.split(maker).skip(1));
    calls.filter_map(|call| texts(call).into_iter().find(|text| is_title(text))).collect()
}

/// The text with a placeholder for each value that is put into it.
fn pattern(text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |pattern, part| {
        let after = part.split_once('}').map_or("", |(_, after)| after);
        format!("{pattern}{PLACEHOLDER}{after}")
    })
}

/// Whether a line is one of a pattern's.
fn fits(pattern: &str, line: &str) -> bool {
    let Some((start, rest)) = pattern.split_once(PLACEHOLDER) else { return pattern == line };
    let Some(mut line) = line.strip_prefix(start) else { return false };
    let mut parts: Vec<_> = rest.split(PLACEHOLDER).collect();
    let end = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = line.find(part) else { return false };
        line = &line[at + part.len()..];
    }
    line.ends_with(end)
}

fn page() -> String {
    fs::read_to_string(root().join("templates/guides/troubleshooting.md.tmpl")).expect("the guide")
}

/// What is between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_first_line_is_explained() {
    let page = page();
    let explained: Vec<_> = quoted(&page).collect();
    let titles: Vec<_> = sources().iter().flat_map(|code| titles(code)).collect();
    assert!(titles.len() > 80, "the sources are read wrongly: {titles:?}");
    let is_explained = |title: &String| {
        let title = pattern(title);
        explained.iter().any(|line| fits(&title, line) || fits(line, &title))
    };
    let missing: Vec<_> = titles
        .iter()
        .filter(|title| !is_explained(title) && !NEVER_OF_TERRAFORM.contains(&title.as_str()))
        .collect();
    assert!(missing.is_empty(), "no row in Troubleshooting: {missing:#?}");
}

#[test]
fn nothing_is_explained_that_nobody_says() {
    let said: Vec<_> = sources().iter().flat_map(|code| texts(code)).collect();
    let said: Vec<_> = said.iter().map(|text| pattern(text)).collect();
    // One that is hardly more than placeholders says anything.
    let letters = |text: &str| text.chars().filter(|sign| sign.is_alphabetic()).count();
    let said: Vec<_> = said.iter().filter(|pattern| letters(pattern) > 4).collect();
    let page = page();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let mut never: Vec<_> = rows.flat_map(quoted).filter(|row| !row.starts_with('…')).collect();
    never.retain(|row| {
        let title = row.split(" (").next().unwrap_or_default();
        !said.iter().any(|said| fits(said, row) || fits(said, title))
    });
    assert!(never.is_empty(), "nobody says this: {never:#?}");
}

#[test]
fn a_title_is_the_first_text_that_is_neither_a_field_nor_a_detail() {
    let code = r#"findings.warn(Problem::new(Path::of("url"), "Plain http", detail).hint("Use it."));
        self.warn(format!("One more {noun} is left"), format!("It (id {id}) \"is\" left."));
        Problem::new(path, summary, "So it is."); let other = ("Not this", 1);"#;
    let mut titles = titles(code);
    titles.dedup();
    assert_eq!(titles, ["Plain http", "One more {noun} is left"]);
}

#[test]
fn a_line_is_told_from_others_by_what_is_fixed_in_it() {
    for (text, line, wanted) in [
        ("One more {noun} is left", "One more alert source is left", true),
        ("One more {noun} is left", "One more alert source may be left", false),
        ("{} is left behind", "A key is left behind", true),
        ("Plain http", "Plain https", false),
        ("Invalid {path}", "Invalid …", true),
    ] {
        assert_eq!(fits(&pattern(text), line), wanted, "{text}");
    }
}
