//! Texts of the server inside of files: escapes and comments that both formats share.

/// A character in the escape that HCL and YAML both know, if it cannot be seen as it is: control
/// characters, marks of direction, foreign line breaks, blanks of no width.
pub(super) fn escaped(letter: char) -> Option<String> {
    if letter.is_ascii_graphic() || letter == ' ' {
        return None;
    }
    // Behind a letter, marks that belong to it count as what they are: text.
    let told = ["x", letter.encode_utf8(&mut [0; 4])].concat();
    if !letter.is_control() && told.escape_debug().count() == 2 {
        return None;
    }
    let code = u32::from(letter);
    Some(if code < 0x1_0000 { format!("\\u{code:04x}") } else { format!("\\U{code:08x}") })
}

/// A comment: each line behind a `#`, without anything that could end it early.
pub(super) fn comment(text: &str) -> String {
    let line = |line: &str| {
        let shown = line.chars().map(|it| escaped(it).unwrap_or_else(|| it.to_string()));
        let shown: String = shown.collect();
        if shown.is_empty() { "#\n".to_owned() } else { format!("# {shown}\n") }
    };
    text.split('\n').map(line).collect()
}

/// An object of the server in a sentence.
pub(super) fn label(name: &str, id: impl std::fmt::Display) -> String {
    format!("{name:?} (id {id})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_the_rest_is_not() {
        let shown = |text: &str| -> String {
            text.chars().map(|it| escaped(it).unwrap_or_else(|| it.to_string())).collect()
        };
        assert_eq!(shown("Ünï 監視 e\u{301} 🚨 \"\\"), "Ünï 監視 e\u{301} 🚨 \"\\");
        assert_eq!(
            shown("a\nb\u{7f}\u{85}\u{2028}\u{202e}"),
            "a\\u000ab\\u007f\\u0085\\u2028\\u202e"
        );
        assert_eq!(shown("\u{e0001}"), "\\U000e0001");
    }

    #[test]
    fn nothing_ends_a_comment_early() {
        assert_eq!(comment("a\r\u{2028}b\n\nc"), "# a\\u000d\\u2028b\n#\n# c\n");
    }
}
