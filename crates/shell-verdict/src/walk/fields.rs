//! Fields of an expanded word.

use std::rc::Rc;

use super::super::parse::UNKNOWN;
use super::super::value::{Origin, Segment, Stream, Value};
use super::Walk;
use super::state::Words;

/// Part of a word before brace expansion.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    /// Unquoted character.
    Plain(char),
    Quoted(String),
    Expansion {
        words: Words,
        quoted: bool,
        several: bool,
    },
    Stream(Rc<Stream>),
}

impl Piece {
    pub(super) fn is(&self, letter: char) -> bool {
        matches!(self, Self::Plain(own) if *own == letter)
    }

    pub(super) fn letter(&self) -> Option<char> {
        match self {
            Self::Plain(letter) => Some(*letter),
            _ => None,
        }
    }

    /// Returns the number of words and of their bytes.
    pub(super) fn size(&self) -> usize {
        let length = |segment: &Segment| match segment {
            Segment::Text(text) => text.len(),
            _ => 1,
        };
        match self {
            Self::Expansion { words, .. } => {
                words.len() + words.iter().flatten().map(length).sum::<usize>()
            }
            _ => 1,
        }
    }

    /// Returns an expansion that is one field if `quoted`.
    pub(super) fn words(words: Words, quoted: bool) -> Self {
        Self::Expansion {
            words,
            quoted,
            several: false,
        }
    }

    pub(super) fn unknown(origin: Origin, quoted: bool) -> Self {
        Self::words(vec![vec![Segment::Unknown(origin)]], quoted)
    }
}

impl Walk<'_> {
    /// Joins the pieces of one word, and splits it at spaces of unquoted expansions.
    pub(super) fn fields(&self, pieces: Vec<Piece>, splits: bool) -> Vec<Value> {
        let mut fields = Fields::default();
        for piece in pieces {
            match piece {
                Piece::Plain('*') if splits => fields.pattern(Segment::Any),
                Piece::Plain('?') if splits => fields.pattern(Segment::One),
                Piece::Plain(letter) => fields.plain(letter, splits),
                Piece::Quoted(text) => {
                    fields.is_quoted = true;
                    fields.push_decoded(&text);
                }
                Piece::Stream(stream) => {
                    fields.expanded();
                    fields.current.push(Segment::Unknown(Origin::Unknown));
                    fields.current.stream = Some(stream);
                }
                Piece::Expansion {
                    words,
                    quoted,
                    several,
                } => {
                    fields.expanded();
                    fields.is_quoted |= quoted && !words.is_empty();
                    fields.current.may_be_several |= several
                        || !quoted
                            && splits
                            && (self.state.splits_oddly
                                || words
                                    .iter()
                                    .flatten()
                                    .any(|one| matches!(one, Segment::Unknown(_))));
                    fields.current.may_be_missing |= several || words.is_empty();
                    fields.expansion(words, quoted || !splits);
                }
            }
        }
        fields.finish()
    }
}

#[derive(Default)]
struct Fields {
    done: Vec<Value>,
    current: Value,
    is_quoted: bool,
    is_expanded: bool,
    in_brackets: bool,
}

impl Fields {
    fn expanded(&mut self) {
        self.is_expanded = true;
    }

    fn pattern(&mut self, segment: Segment) {
        self.current.is_glob = true;
        self.current.push(segment);
    }

    /// Adds an unquoted character. A bracket begins a pattern.
    fn plain(&mut self, letter: char, splits: bool) {
        if self.in_brackets {
            if letter == ']' {
                self.in_brackets = false;
            }
            return;
        }
        if letter == '[' && splits {
            self.in_brackets = true;
            self.pattern(Segment::One);
            return;
        }
        let mut buffer = [0; 4];
        self.push_decoded(letter.encode_utf8(&mut buffer));
    }

    fn push_decoded(&mut self, text: &str) {
        for (at, known) in text.split(UNKNOWN).enumerate() {
            if at > 0 {
                self.is_expanded = true;
                self.current.push(Segment::Unknown(Origin::Unknown));
            }
            self.current.push_text(known);
        }
    }

    fn expansion(&mut self, words: Words, quoted: bool) {
        for (at, word) in words.into_iter().enumerate() {
            if at > 0 {
                self.next();
            }
            for segment in word {
                match segment {
                    Segment::Text(text) if !quoted => self.split(&text),
                    other => self.current.push(other),
                }
            }
        }
    }

    fn split(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                ' ' | '\t' | '\n' => self.next(),
                '*' => self.pattern(Segment::Any),
                '?' | '[' => self.pattern(Segment::One),
                other => {
                    let mut buffer = [0; 4];
                    self.current.push_text(other.encode_utf8(&mut buffer));
                }
            }
        }
    }

    fn next(&mut self) {
        self.is_expanded = true;
        let done = std::mem::take(&mut self.current);
        if !done.segments.is_empty() {
            self.done.push(done);
        }
    }

    fn finish(mut self) -> Vec<Value> {
        if self.current.is_glob {
            self.current.may_be_several = true;
            self.current.may_be_missing = true;
        }
        let is_single_unknown = matches!(self.current.segments.as_slice(), [Segment::Unknown(_)]);
        if is_single_unknown && !self.is_quoted && self.current.may_be_several {
            self.current.may_be_missing = true;
        }
        let has_content = !self.current.segments.is_empty();
        if has_content || self.is_quoted && self.done.is_empty() || !self.is_expanded {
            self.done.push(self.current);
        }
        let is_written = !self.is_expanded && !self.done.iter().any(|value| value.is_glob);
        for value in &mut self.done {
            value.is_written = is_written;
        }
        self.done
    }
}
