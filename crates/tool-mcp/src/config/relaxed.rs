//! JSON with comments and trailing commas.

use std::iter::Peekable;
use std::str::CharIndices;

/// Replaces comments, trailing commas and a byte-order mark by spaces, so that positions stay.
pub(super) fn to_strict(text: &str) -> String {
    let mut strict = Strict::default();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\u{feff}' if at == 0 => strict.blank(character),
            '"' => strict.string(&mut characters),
            '/' if next_is(&mut characters, '/') => {
                strict.blank(character);
                while let Some((_, inside)) = characters.next_if(|(_, next)| *next != '\n') {
                    strict.blank(inside);
                }
            }
            '/' if next_is(&mut characters, '*') => strict.block_comment(&mut characters),
            other => strict.token(other),
        }
    }
    strict.text
}

type Characters<'t> = Peekable<CharIndices<'t>>;

fn next_is(characters: &mut Characters<'_>, expected: char) -> bool {
    characters.peek().is_some_and(|(_, next)| *next == expected)
}

#[derive(Default)]
struct Strict {
    text: String,
    /// Position of a comma without a following value.
    comma: Option<usize>,
}

impl Strict {
    fn blank(&mut self, character: char) {
        // One space per byte keeps the columns of the parser.
        let kept = if character == '\n' { "\n" } else { " " };
        self.text.push_str(&kept.repeat(character.len_utf8()));
    }

    fn token(&mut self, character: char) {
        match (character, self.comma) {
            (']' | '}', Some(at)) => {
                self.text.replace_range(at..=at, " ");
                self.comma = None;
            }
            (',', _) => self.comma = Some(self.text.len()),
            (other, _) if other.is_ascii_whitespace() => {}
            _ => self.comma = None,
        }
        self.text.push(character);
    }

    fn string(&mut self, characters: &mut Characters<'_>) {
        self.comma = None;
        self.text.push('"');
        let mut is_escaped = false;
        for (_, character) in characters.by_ref() {
            self.text.push(character);
            match character {
                '"' if !is_escaped => return,
                '\\' => is_escaped = !is_escaped,
                _ => is_escaped = false,
            }
        }
    }

    fn block_comment(&mut self, characters: &mut Characters<'_>) {
        self.blank('/');
        let mut before = ' ';
        for (place, (_, character)) in characters.by_ref().enumerate() {
            self.blank(character);
            if before == '*' && character == '/' && place > 1 {
                return;
            }
            before = character;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_comments_and_trailing_commas() {
        for (text, strict) in [
            ("{\"a\": 1,}", "{\"a\": 1 }"),
            ("[1, /* x */ 2, // y\n]", "[1,         2      \n]"),
            ("{\"a\": \"// no\", }", "{\"a\": \"// no\"  }"),
            ("\u{feff}{}", "   {}"),
            (r#"{"a\"": "\\",}"#, r#"{"a\"": "\\" }"#),
            ("[1,,]", "[1, ]"),
            ("/*/ */1", "      1"),
            ("/* open", "       "),
        ] {
            assert_eq!(to_strict(text).trim_end(), strict.trim_end(), "{text}");
            assert_eq!(to_strict(text).len(), text.len(), "{text}");
        }
    }
}
