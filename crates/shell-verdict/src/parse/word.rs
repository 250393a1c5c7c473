//! Words and their quotes.

use super::super::syntax::{Part, Word};
use super::cursor::{Parsed, Parser};
use super::escape;

impl<'text> Parser<'text> {
    /// Returns an empty word if none begins here.
    pub(super) fn word(&mut self) -> Parsed<Word> {
        // Most words have one part.
        let mut parts = Vec::with_capacity(1);
        loop {
            if self.is_at("<(") || self.is_at(">(") {
                parts.push(self.process_substitution()?);
                continue;
            }
            match self.peek() {
                Some(letter) if !Self::is_meta(letter) => self.word_part(letter, &mut parts)?,
                _ => break,
            }
        }
        if parts.is_empty()
            && self
                .peek()
                .is_some_and(|letter| matches!(letter, '<' | '>' | '('))
        {
            return Err(self.unexpected());
        }
        Ok(Word { parts })
    }

    pub(super) fn some_word(&mut self) -> Parsed<Word> {
        let word = self.word()?;
        if word.parts.is_empty() {
            return Err(self.unexpected());
        }
        Ok(word)
    }

    pub(super) fn word_part(&mut self, letter: char, parts: &mut Vec<Part>) -> Parsed<()> {
        match letter {
            '\\' => {
                self.next();
                // A trailing backslash is literal.
                let escaped = self.next_raw().unwrap_or('\\');
                parts.push(Part::Literal(escaped.to_string()));
            }
            '\'' => parts.push(self.single_quoted()?),
            '"' => self.double_quoted(parts)?,
            '$' => self.dollar(false, parts)?,
            '`' => parts.push(self.backquoted(false)?),
            plain => {
                self.next();
                push_plain(parts, plain, self.letters());
            }
        }
        Ok(())
    }

    fn letters(&mut self) -> &'text str {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn single_quoted(&mut self) -> Parsed<Part> {
        self.next();
        let rest = self.rest();
        let length = rest.find('\'').ok_or(self.unexpected())?;
        self.at += length + 1;
        Ok(Part::Literal(
            rest.get(..length).unwrap_or_default().to_owned(),
        ))
    }

    pub(super) fn double_quoted(&mut self, parts: &mut Vec<Part>) -> Parsed<()> {
        self.next();
        // Empty quotes are a word.
        parts.push(Part::Literal(String::new()));
        loop {
            match self.peek() {
                None => return Err(self.unexpected()),
                Some('"') => {
                    self.next();
                    return Ok(());
                }
                Some(letter) => self.quoted_part(letter, "\"", parts)?,
            }
        }
    }

    /// `escapable` lists further characters that a backslash escapes.
    fn quoted_part(&mut self, letter: char, escapable: &str, parts: &mut Vec<Part>) -> Parsed<()> {
        match letter {
            '$' => self.dollar(true, parts)?,
            '`' => parts.push(self.backquoted(true)?),
            '\\' => {
                self.next();
                match self.next_raw() {
                    Some(escaped @ ('$' | '`' | '\\')) => push_literal(parts, escaped),
                    Some(escaped) if escapable.contains(escaped) => push_literal(parts, escaped),
                    Some(other) => {
                        push_literal(parts, '\\');
                        push_literal(parts, other);
                    }
                    None => push_literal(parts, '\\'),
                }
            }
            other => {
                self.next();
                push_literal(parts, other);
            }
        }
        Ok(())
    }

    pub(super) fn text_with_expansions(&mut self) -> Parsed<Word> {
        let mut parts = Vec::new();
        while let Some(letter) = self.peek() {
            self.quoted_part(letter, "", &mut parts)?;
        }
        Ok(Word { parts })
    }

    /// Reads text with quotes and expansions up to `end`, which is not consumed. Brackets nest.
    pub(super) fn text_until(&mut self, end: char, quoted: bool) -> Parsed<Word> {
        let mut parts = Vec::new();
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return Err(self.unexpected()),
                Some(letter) if open == 0 && letter == end => break,
                // Within double quotes, the meaning of `'` depends on the operator.
                Some('\'') if quoted => return Err(self.unexpected()),
                Some(letter) => {
                    open = match letter {
                        '[' if end == ']' => open + 1,
                        ']' => open.saturating_sub(1),
                        _ => open,
                    };
                    self.word_part(letter, &mut parts)?;
                }
            }
        }
        Ok(Word { parts })
    }

    pub(super) fn escaped_quoted(&mut self) -> Parsed<Part> {
        self.next();
        let rest = self.rest();
        let (text, length) = escape::decode(rest).ok_or(self.unexpected())?;
        self.at += length;
        Ok(Part::Literal(text))
    }
}

fn push_plain(parts: &mut Vec<Part>, letter: char, behind: &str) {
    if let Some(Part::Plain(text)) = parts.last_mut() {
        text.push(letter);
        text.push_str(behind);
        return;
    }
    let mut text = String::with_capacity(letter.len_utf8() + behind.len());
    text.push(letter);
    text.push_str(behind);
    parts.push(Part::Plain(text));
}

fn push_literal(parts: &mut Vec<Part>, letter: char) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push(letter),
        _ => parts.push(Part::Literal(letter.to_string())),
    }
}
