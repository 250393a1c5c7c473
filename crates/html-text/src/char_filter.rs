//! Removal of invisible characters.

use super::references::reference;

/// Removes invisible characters.
///
/// These are control characters and characters that change the direction, shape or visibility of
/// others, because they can hide content from people that a program reads. Joiners and variation
/// selectors are kept after a non-ASCII character.
#[derive(Debug, Default)]
pub(super) struct CharFilter {
    text: String,
    last: Option<char>,
}

impl CharFilter {
    /// Returns the visible text. Unicode spaces become U+0020. Character references
    /// are decoded unless the text is literal.
    pub(super) fn visible<'a>(&'a mut self, written: &'a str, is_literal: bool) -> &'a str {
        let is_plain =
            |byte: u8| matches!(byte, b' '..=b'~' | b'\t' | b'\n') && (byte != b'&' || is_literal);
        if written.bytes().all(is_plain) {
            self.last = None;
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
            '\t' | '\n' | ' '..='~' => Some(letter),
            '\u{c}'
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}' => Some(' '),
            '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
            // They modify the previous character, which must be visible.
            '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => {
                Some(letter).filter(|_| self.last.is_some_and(|last| !last.is_ascii()))
            }
            _ if letter.is_control() || is_invisible(letter) => None,
            _ => Some(letter),
        };
        let Some(shown) = shown else {
            return;
        };
        self.text.push(shown);
        let joins = matches!(shown, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}');
        // A repeated joiner could carry hidden data; a variation selector may precede a joiner.
        let may_be_followed = !joins || matches!(shown, '\u{fe0e}' | '\u{fe0f}');
        self.last =
            Some(shown).filter(|letter| may_be_followed && *letter != ' ' && *letter != '\n');
    }
}

/// Returns whether the character is invisible, or changes the look or order of others.
pub(super) fn is_invisible(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
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
