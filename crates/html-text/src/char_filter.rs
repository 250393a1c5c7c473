//! Removal of invisible characters.

use tool_json::text::{VisibleFilter, is_unusual_space};

use super::references::reference;

/// Removes invisible characters.
///
/// These are control characters and characters that change the direction, shape or visibility of
/// others, because they can hide content from people that a program reads. Joiners and variation
/// selectors are kept after a non-ASCII character.
#[derive(Debug, Default)]
pub(super) struct CharFilter {
    text: String,
    filter: VisibleFilter,
}

impl CharFilter {
    /// Returns the visible text. Unicode spaces become U+0020. Character references
    /// are decoded unless the text is literal.
    pub(super) fn visible<'a>(&'a mut self, written: &'a str, is_literal: bool) -> &'a str {
        let is_plain =
            |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n') && (byte != b'&' || is_literal);
        if written.bytes().all(is_plain) {
            self.filter = VisibleFilter::default();
            return written;
        }
        self.text.clear();
        let mut rest = written;
        while let Some(letter) = rest.chars().next() {
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            if letter == '&'
                && !is_literal
                && let Some((first, second, length)) = reference(rest, false)
            {
                rest = rest.get(length..).unwrap_or_default();
                self.push(first);
                if let Some(second) = second {
                    self.push(second);
                }
                continue;
            }
            // Normalize CRLF and CR to LF.
            let is_return = letter == '\r' && rest.starts_with('\n');
            if !is_return {
                self.push(if letter == '\r' { '\n' } else { letter });
            }
        }
        &self.text
    }

    /// Returns the visible text on one line.
    pub(super) fn one_line(&mut self, written: &str) -> String {
        let words: Vec<&str> = self
            .visible(written, false)
            .split_ascii_whitespace()
            .collect();
        words.join(" ")
    }

    fn push(&mut self, letter: char) {
        let shown = match letter {
            '\u{c}' | '\u{2800}' => ' ',
            '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
            _ if is_unusual_space(letter) => ' ',
            _ => letter,
        };
        if self.filter.keeps(shown) {
            self.text.push(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_invisible_characters() {
        for (written, text) in [
            ("plain text", "plain text"),
            ("a &amp; b &lt;", "a & b <"),
            ("a\u{a0}b\u{2003}c&nbsp;d", "a b c d"),
            ("a\r\nb\rc", "a\nb\nc"),
            ("soft\u{ad}hyphen&shy;s", "softhyphens"),
            ("a\0b\u{7}c\u{9b}d\u{1b}[31m", "abcd[31m"),
            ("zero\u{200b}width\u{feff}", "zerowidth"),
            ("\u{202e}evil\u{202c} \u{2066}x\u{2069}\u{200f}", "evil x"),
            ("tag\u{e0041}\u{e0042}s", "tags"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("a\u{200c}b\u{200d}c", "abc"),
            ("क्\u{200d}\u{200d}\u{200c}ष", "क्\u{200d}ष"),
            ("❤\u{fe0f}\u{200d}🔥", "❤\u{fe0f}\u{200d}🔥"),
            ("a\u{fe0f}", "a"),
            ("line\u{2028}end", "line\nend"),
            ("&#8238;x&ZeroWidthSpace;y", "xy"),
            ("&#133;", "…"),
        ] {
            assert_eq!(
                CharFilter::default().visible(written, false),
                text,
                "{written:?}"
            );
        }
        assert_eq!(
            CharFilter::default().visible("a &amp; b", true),
            "a &amp; b"
        );
    }
}
