//! Assembly of words from expanded pieces: tilde, splitting and globs.

use std::rc::Rc;

use super::super::value::{self, DECODED, FIELDS, GLOB, NETWORK, UNKNOWN};

/// Piece of a word after expansion.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Character that may be special.
    Active(char),
    Quoted(String),
    /// Unquoted expansion: split at whitespace, and globs apply.
    Unquoted(String),
    /// Separate words, as from `"$@"`.
    List(Rc<[String]>),
}

impl Piece {
    pub(super) fn is(&self, letter: char) -> bool {
        matches!(self, Self::Active(active) if *active == letter)
    }

    pub(super) fn letter(&self) -> Option<char> {
        match self {
            Self::Active(letter) => Some(*letter),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Surroundings<'walk> {
    pub(super) home: &'walk str,
    pub(super) splits_unknown: bool,
}

/// Returns no word, one word, or several.
pub(super) fn words(pieces: &[Piece], surroundings: Surroundings<'_>) -> Vec<String> {
    let mut assembly = Assembly {
        surroundings,
        words: Vec::new(),
        current: None,
    };
    let last_bracket = pieces.iter().rposition(|piece| piece.is(']'));
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        at += match piece {
            Piece::Active(letter) => {
                let rest = pieces.get(at + 1..).unwrap_or_default();
                assembly.active(*letter, rest, last_bracket.is_some_and(|last| last > at))
            }
            Piece::Quoted(text) => assembly.quoted(text),
            Piece::Unquoted(text) => assembly.unquoted(text),
            Piece::List(items) => assembly.list(items),
        };
    }
    assembly.words.extend(assembly.current);
    assembly.words
}

/// Joins the pieces without splitting, as in an assignment.
pub(super) fn text(pieces: &[Piece], surroundings: Surroundings<'_>) -> String {
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Active('~') if text.is_empty() || text.ends_with(':') => {
                let rest = pieces.get(at + 1..).unwrap_or_default();
                text.push_str(&tilde(rest, surroundings.home));
            }
            Piece::Active(letter) => text.push(*letter),
            Piece::Quoted(part) | Piece::Unquoted(part) => text.push_str(part),
            Piece::List(items) => text.push_str(&items.join(" ")),
        }
    }
    text
}

struct Assembly<'walk> {
    surroundings: Surroundings<'walk>,
    words: Vec<String>,
    current: Option<String>,
}

impl Assembly<'_> {
    /// Returns the number of consumed pieces.
    fn active(&mut self, letter: char, rest: &[Piece], has_bracket: bool) -> usize {
        let current = self.current.get_or_insert_default();
        match letter {
            '~' if current.is_empty() || current.ends_with('=') || current.ends_with(':') => {
                current.push_str(&tilde(rest, self.surroundings.home));
                return if matches!(rest.first(), Some(Piece::Active('+' | '-'))) {
                    2
                } else {
                    1
                };
            }
            '*' | '?' => current.push(GLOB),
            '[' if has_bracket => {
                current.push(GLOB);
                // A `]` directly after `[` belongs to the set.
                let end = rest.iter().skip(1).position(|piece| piece.is(']'));
                return end.map_or(1, |end| end + 3);
            }
            other => current.push(other),
        }
        1
    }

    fn quoted(&mut self, text: &str) -> usize {
        self.current.get_or_insert_default().push_str(text);
        1
    }

    fn unquoted(&mut self, text: &str) -> usize {
        let odd = |letter: char| !letter.is_ascii_alphanumeric();
        if self.surroundings.splits_unknown && text.contains(odd) {
            let mark = if value::from_network(text) {
                NETWORK
            } else {
                FIELDS
            };
            self.current.get_or_insert_default().push(mark);
            return 1;
        }
        for letter in text.chars() {
            match letter {
                ' ' | '\t' | '\n' => self.words.extend(self.current.take()),
                '*' | '?' | '[' => self.current.get_or_insert_default().push(GLOB),
                UNKNOWN => self.current.get_or_insert_default().push(FIELDS),
                DECODED => self
                    .current
                    .get_or_insert_default()
                    .extend([DECODED, FIELDS]),
                other => self.current.get_or_insert_default().push(other),
            }
        }
        1
    }

    fn list(&mut self, items: &[String]) -> usize {
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.words.extend(self.current.take());
            }
            self.current.get_or_insert_default().push_str(item);
        }
        1
    }
}

/// Expands a tilde before `rest`; a user name after it is not consumed.
fn tilde(rest: &[Piece], home: &str) -> String {
    match rest.first() {
        None => home.to_owned(),
        Some(next) if next.is('/') || next.is(':') => home.to_owned(),
        Some(Piece::Active('+')) => ".".to_owned(),
        Some(Piece::Active('-')) => UNKNOWN.to_string(),
        Some(Piece::Active(_)) => {
            let user: String = rest
                .iter()
                .map_while(Piece::letter)
                .take_while(|letter| *letter != '/')
                .collect();
            if user == "root" {
                "/".to_owned()
            } else {
                "/home/".to_owned()
            }
        }
        // A quoted character in the user name disables the expansion.
        Some(_) => "~".to_owned(),
    }
}
