//! Words and their quotes.

use super::super::syntax::{Part, Word};
use super::cursor::{Parsed, Parser};

impl Parser<'_> {
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
        if parts.is_empty() && matches!(self.peek(), Some('<' | '>' | '(')) {
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
                push_plain(parts, plain);
            }
        }
        Ok(())
    }

    fn single_quoted(&mut self) -> Parsed<Part> {
        self.next();
        let rest = self.rest();
        let length = rest.find('\'').ok_or(self.unexpected())?;
        self.at += length + 1;
        let text = rest.get(..length).unwrap_or_default();
        Ok(Part::Literal(text.to_owned()))
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
}

fn push_plain(parts: &mut Vec<Part>, letter: char) {
    match parts.last_mut() {
        Some(Part::Plain(text)) => text.push(letter),
        _ => parts.push(Part::Plain(letter.to_string())),
    }
}

fn push_literal(parts: &mut Vec<Part>, letter: char) {
    match parts.last_mut() {
        Some(Part::Literal(text)) => text.push(letter),
        _ => parts.push(Part::Literal(letter.to_string())),
    }
}
