//! Conversion of untrusted text to safe single lines.

use tool_core::ToolError;

/// Returns `text` on one line with single spaces and without invisible characters. A line of more
/// than `max_chars` characters is truncated with `…`.
pub(crate) fn one_line(text: &str, max_chars: usize) -> String {
    let visible: String = text
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let mut line = String::new();
    let mut length = 0_usize;
    for word in visible.split_whitespace() {
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length >= max_chars {
                line.truncate(line.trim_end().len());
                line.push('…');
                return line;
            }
            line.push(c);
            length += 1;
        }
    }
    line
}

/// Checks a token of the next page.
pub(crate) fn check_token(parameter: &str, token: Option<&str>) -> Result<(), ToolError> {
    let is_valid = |token: &str| token.len() <= 2000 && !token.contains(char::is_control);
    if token.is_none_or(is_valid) {
        return Ok(());
    }
    Err(
        ToolError::invalid_arguments(parameter, "is not a page token")
            .suggest("Omit it, or pass the token of an earlier result."),
    )
}

/// Returns whether a character of a text with several lines is shown.
pub(crate) fn is_shown(c: char) -> bool {
    matches!(c, '\n' | '\t') || !(is_invisible(c) || c.is_control())
}

/// Returns whether a character is invisible and may reorder or hide text.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn returns_bounded_single_line() {
        for (text, most, line) in [
            ("  a \n\t b\r\n", 10, "a b"),
            ("a\u{202e}b\u{200b}c\0d", 20, "abc d"),
            ("ääää", 4, "ääää"),
            ("äääää", 4, "ääää…"),
            ("ab cd", 3, "ab…"),
            ("", 3, ""),
        ] {
            assert_eq!(one_line(text, most), line, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn line_is_bounded_and_has_no_control_characters(text in ".{0,80}", most in 0_usize..40) {
            let line = one_line(&text, most);

            prop_assert!(line.chars().count() <= most + 1);
            prop_assert!(!line.contains(char::is_control));
        }
    }
}
