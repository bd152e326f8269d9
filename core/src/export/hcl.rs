//! HCL as `terraform fmt` writes it: blocks, attributes with their `=` in one column, escapes.
//!
//! It knows only what an export needs. Nothing of a server's text reaches a file but through
//! [`Expression::Text`].

use super::text::escaped;

/// What an attribute is set to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    /// A text, whatever is in it.
    Text(String),
    /// A number.
    Whole(i64),
    /// An address, as `terdut_team.platform.id`.
    Reference(String),
    /// An object.
    Object(Attributes),
    /// A list.
    List(Vec<Expression>),
}

/// Names and values, in order.
pub(super) type Attributes = Vec<(&'static str, Expression)>;

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Type and labels, as `resource "terdut_team" "platform"`.
    pub(super) head: String,
    /// A comment above the attributes; empty: none.
    pub(super) comment: &'static str,
    /// Attributes.
    pub(super) attributes: Attributes,
    /// Blocks within.
    pub(super) blocks: Vec<Block>,
}

impl Block {
    /// A block with attributes only.
    pub(super) fn new(head: impl Into<String>, attributes: Attributes) -> Self {
        Self { head: head.into(), comment: "", attributes, blocks: Vec::new() }
    }
}

/// Blocks with an empty line between.
pub(super) fn blocks(blocks: &[Block]) -> String {
    blocks.iter().map(|it| block(it, 0)).collect::<Vec<_>>().join("\n")
}

fn block(block: &Block, depth: usize) -> String {
    let within = depth + 1;
    let mut parts = Vec::new();
    if !block.attributes.is_empty() {
        let comment = match block.comment {
            "" => String::new(),
            comment => format!("{}# {comment}\n", indent(within)),
        };
        parts.push(comment + &attributes(&block.attributes, within));
    }
    parts.extend(block.blocks.iter().map(|inner| self::block(inner, within)));
    let (indent, head) = (indent(depth), &block.head);
    format!("{indent}{head} {{\n{}{indent}}}\n", parts.join("\n"))
}

/// A line each. The `=` of neighbours in one line stand below each other.
fn attributes(attributes: &[(&'static str, Expression)], depth: usize) -> String {
    let runs = attributes.chunk_by(|(_, one), (_, next)| is_short(one) && is_short(next));
    runs.map(|run| aligned(run, depth)).collect::<Vec<_>>().concat()
}

fn aligned(run: &[(&'static str, Expression)], depth: usize) -> String {
    let width = run.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let line = |(name, value): &(_, _)| {
        format!("{}{name:<width$} = {}\n", indent(depth), expression(value, depth))
    };
    run.iter().map(line).collect::<Vec<_>>().concat()
}

fn is_short(value: &Expression) -> bool {
    !matches!(value, Expression::Object(_) | Expression::List(_))
}

fn expression(value: &Expression, depth: usize) -> String {
    match value {
        Expression::Text(text) => quoted(text),
        Expression::Whole(number) => number.to_string(),
        Expression::Reference(address) => address.clone(),
        Expression::Object(fields) => {
            format!("{{\n{}{}}}", attributes(fields, depth + 1), indent(depth))
        }
        Expression::List(items) => {
            let item = |it| format!("{}{},\n", indent(depth + 1), element(it, depth + 1));
            format!("[\n{}{}]", items.iter().map(item).collect::<String>(), indent(depth))
        }
    }
}

/// An element of a list: a small object needs no lines of its own.
fn element(value: &Expression, depth: usize) -> String {
    match value {
        Expression::Object(fields) if fields.iter().all(|(_, value)| is_short(value)) => {
            let field = |(name, value): &(_, _)| format!("{name} = {}", expression(value, depth));
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        value => expression(value, depth),
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// A text in quotes. What begins a template in HCL is doubled; of several `$` before a brace all but
/// the last are written by their number, or HCL would count them otherwise than it was meant.
fn quoted(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut quoted = String::from("\"");
    for (position, letter) in letters.iter().enumerate() {
        let rest = &letters[position + 1..];
        match letter {
            '"' | '\\' => quoted.extend(['\\', *letter]),
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            '$' | '%' => quoted += &template(*letter, rest),
            other => quoted += &escaped(*other).unwrap_or_else(|| other.to_string()),
        }
    }
    quoted + "\""
}

fn template(letter: char, rest: &[char]) -> String {
    match rest.iter().find(|next| **next != letter) {
        Some('{') if rest.first() == Some(&'{') => [letter, letter].iter().collect(),
        Some('{') => format!("\\u{:04x}", u32::from(letter)),
        _ => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_escaped_so_that_it_is_only_a_text() {
        for (text, written) in [
            ("plain ü 監", r#""plain ü 監""#),
            (r#"say "hi" \ there"#, r#""say \"hi\" \\ there""#),
            ("${x} %{if y} $ { %", r#""$${x} %%{if y} $ { %""#),
            ("$${ $$$%{ %%{", r#""\u0024$${ $$$%%{ \u0025%%{""#),
            ("a\nb\r\t\u{0}\u{1b}", r#""a\nb\r\t\u0000\u001b""#),
        ] {
            assert_eq!(quoted(text), written, "{text:?}");
        }
    }

    #[test]
    fn equal_signs_stand_in_one_column_until_something_longer_comes() {
        let text = |text: &str| Expression::Text(text.to_owned());
        let target = Expression::Object(vec![("kind", text("user")), ("username", text("ada"))]);
        let level = Expression::Object(vec![
            ("timeout", text("5m")),
            ("targets", Expression::List(vec![target])),
        ]);
        let block = Block::new(
            "resource \"a\" \"b\"",
            vec![
                ("id", Expression::Reference("x.y.id".to_owned())),
                ("repeat_count", Expression::Whole(2)),
                ("levels", Expression::List(vec![level])),
                ("name", text("n")),
            ],
        );
        let expected = expect_test::expect![[r#"
            resource "a" "b" {
              id           = x.y.id
              repeat_count = 2
              levels = [
                {
                  timeout = "5m"
                  targets = [
                    { kind = "user", username = "ada" },
                  ]
                },
              ]
              name = "n"
            }
        "#]];
        expected.assert_eq(&blocks(&[block]));
    }
}
