//! Position in the input and helpers of all parsers.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::limits::MAX_NESTING;
use super::super::syntax::Word;
use super::ParseError;

pub(super) type Parsed<T> = Result<T, ParseError>;

#[derive(Debug)]
pub(super) struct Parser<'text> {
    pub(super) text: &'text str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) pending: Vec<PendingBody>,
}

/// Here-document whose body follows the current line.
#[derive(Debug)]
pub(super) struct PendingBody {
    pub(super) delimiter: String,
    pub(super) is_quoted: bool,
    pub(super) strips_tabs: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

impl<'text> Parser<'text> {
    pub(super) fn new(text: &'text str, depth: usize) -> Self {
        Self {
            text,
            at: 0,
            depth,
            pending: Vec::new(),
        }
    }

    pub(super) fn unexpected(&self) -> ParseError {
        ParseError::Syntax(self.at)
    }

    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(ParseError::TooDeep);
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(super) fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek_raw(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.rest().chars().next(),
        }
    }

    /// Joins lines that end in a backslash.
    pub(super) fn peek(&mut self) -> Option<char> {
        loop {
            match self.peek_raw() {
                Some('\\') if self.text.as_bytes().get(self.at + 1) == Some(&b'\n') => self.at += 2,
                next => return next,
            }
        }
    }

    pub(super) fn next_raw(&mut self) -> Option<char> {
        let next = self.peek_raw()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn next(&mut self) -> Option<char> {
        self.peek()?;
        self.next_raw()
    }

    pub(super) fn is_at(&mut self, expected: &str) -> bool {
        let start = self.at;
        let found = self.take(expected);
        self.at = start;
        found
    }

    pub(super) fn take(&mut self, expected: &str) -> bool {
        let start = self.at;
        let found = expected.chars().all(|letter| self.next() == Some(letter));
        if !found {
            self.at = start;
        }
        found
    }

    pub(super) fn expect(&mut self, expected: &str) -> Parsed<()> {
        if self.take(expected) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        if self.peek() == Some('#') {
            let line = self.rest();
            self.at += line.find('\n').unwrap_or(line.len());
        }
    }

    /// Skips whitespace, comments and newlines, and reads pending here-document bodies. Returns
    /// whether a line ended.
    pub(super) fn skip_lines(&mut self) -> Parsed<bool> {
        let mut ended = false;
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return Ok(ended);
            }
            self.end_of_line()?;
            ended = true;
        }
    }

    /// Consumes a newline and the here-document bodies after it.
    pub(super) fn end_of_line(&mut self) -> Parsed<()> {
        self.at += 1;
        self.read_pending_bodies()
    }

    pub(super) fn is_meta(letter: char) -> bool {
        matches!(
            letter,
            ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')'
        )
    }

    /// Returns the reserved word at this position.
    pub(super) fn peek_reserved(&mut self) -> Option<&'static str> {
        const RESERVED: [&str; 20] = [
            "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "select",
            "case", "esac", "in", "function", "time", "coproc", "{", "}", "!",
        ];
        self.peek()?;
        let rest = self.rest();
        let ends = |after: &str| after.is_empty() || after.starts_with(Self::is_meta);
        RESERVED.into_iter().find(|reserved| {
            let after = rest.strip_prefix(reserved);
            after.is_some_and(|after| ends(after) || after.starts_with("\\\n"))
        })
    }

    pub(super) fn take_reserved(&mut self, expected: &str) -> bool {
        self.peek_reserved() == Some(expected) && self.take(expected)
    }

    pub(super) fn expect_reserved(&mut self, expected: &str) -> Parsed<()> {
        if self.take_reserved(expected) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }
}
