//! Removal of invisible characters.

use tool_json::text::{VisibleFilter, is_unusual_space};

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
    /// Returns the visible text. Unicode spaces become U+0020.
    pub(super) fn visible<'a>(&'a mut self, written: &'a str) -> &'a str {
        // Most text is plain ASCII and needs no copy.
        if written
            .bytes()
            .all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n'))
        {
            self.filter = VisibleFilter::default();
            return written;
        }
        self.text.clear();
        for letter in written.chars() {
            let shown = match letter {
                // The blank braille pattern looks like a space, but Unicode counts it as a letter.
                '\u{c}' | '\u{2800}' => ' ',
                '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
                _ if is_unusual_space(letter) => ' ',
                _ => letter,
            };
            if self.filter.keeps(shown) {
                self.text.push(shown);
            }
        }
        &self.text
    }

    /// Returns the visible text on one line.
    pub(super) fn one_line(&mut self, written: &str) -> String {
        let words: Vec<&str> = self.visible(written).split_ascii_whitespace().collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removes_invisible_characters() {
        for (written, text) in [
            ("plain text", "plain text"),
            ("a\u{a0}b\u{2003}c", "a b c"),
            ("soft\u{ad}hyphen", "softhyphen"),
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
        ] {
            assert_eq!(CharFilter::default().visible(written), text, "{written:?}");
        }
    }
}
