//! Why a text could not be read as arguments.

use std::fmt;

use crate::{ErrorCode, Fault, ToolError, text};

/// The longest pointer that is told; beyond it the pointer stays at the last ancestor that fits.
const LONGEST_POINTER: usize = 1024;

/// Why a text could not be read, and where.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ParseError {
    /// What is wrong.
    pub(crate) kind: ParseErrorKind,
    /// JSON pointer to the innermost container, or member of one, that was being read.
    pub(crate) pointer: String,
    /// The byte at which it was noticed.
    pub(crate) offset: usize,
    /// The line of that byte, counted from 1; 0 where a value came in place of a text.
    pub(crate) line: usize,
    /// The character in that line, counted from 1.
    pub(crate) column: usize,
}

/// What is wrong with a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParseErrorKind {
    /// There is nothing but blanks.
    Empty,
    /// The text ends inside a value.
    Truncated,
    /// The text has more bytes than this.
    TooLarge(usize),
    /// Arrays and objects stand in each other more often than this.
    TooDeep(usize),
    /// There are more values than this.
    TooManyValues(usize),
    /// More slips than this would have to be mended.
    TooManyChanges(usize),
    /// One object has this key twice.
    DuplicateKey(String),
    /// Something else stands where this was expected.
    Expected(String),
}

impl ParseError {
    /// An error at byte `offset`; line and column are found when the parser is left.
    pub(super) fn at(offset: usize, kind: ParseErrorKind) -> Self {
        Self {
            kind,
            pointer: String::new(),
            offset,
            line: 1,
            column: 1,
        }
    }

    /// An error of a value, which has no lines.
    pub(crate) fn of_value(kind: ParseErrorKind) -> Self {
        Self {
            line: 0,
            ..Self::at(0, kind)
        }
    }

    /// Finds line and column in the text that was read.
    pub(crate) fn located_in(mut self, text: &str) -> Self {
        let before = text
            .get(..text.floor_char_boundary(self.offset))
            .unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        self.line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        self.column = line.chars().count() + 1;
        self
    }

    /// Whether mending slips of the pen may help; a limit or a duplicate key stays what it is.
    pub(crate) fn is_repairable(&self) -> bool {
        matches!(
            self.kind,
            ParseErrorKind::Expected(_) | ParseErrorKind::Truncated
        )
    }

    fn code(&self) -> ErrorCode {
        match self.kind {
            ParseErrorKind::Truncated => ErrorCode::TruncatedArguments,
            ParseErrorKind::TooLarge(_)
            | ParseErrorKind::TooDeep(_)
            | ParseErrorKind::TooManyValues(_) => ErrorCode::ArgumentsTooLarge,
            _ => ErrorCode::InvalidArguments,
        }
    }

    fn suggestion(&self) -> &'static str {
        match self.kind {
            ParseErrorKind::Truncated => {
                "Send the whole call again, in smaller pieces if it is long."
            }
            ParseErrorKind::TooLarge(_)
            | ParseErrorKind::TooDeep(_)
            | ParseErrorKind::TooManyValues(_) => "Send less at once.",
            ParseErrorKind::DuplicateKey(_) => "Give each parameter once.",
            _ => "Send one JSON object.",
        }
    }

    fn fault(&self) -> Fault {
        match &self.kind {
            ParseErrorKind::DuplicateKey(key) => {
                let got = format!("`{}` twice", text::short(key, 60));
                Fault::new(&self.pointer, "duplicate_key", "each key once", got).with_property(key)
            }
            _ => Fault::new(&self.pointer, "json", "one JSON object", self.to_string()),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ParseErrorKind::Empty => return f.write_str("there is no text"),
            ParseErrorKind::Truncated => {
                f.write_str("the text ends before its last value is whole")
            }
            ParseErrorKind::TooLarge(most) => {
                let most = text::with_commas(*most);
                return write!(f, "the text has more than {most} bytes");
            }
            ParseErrorKind::TooDeep(most) => write!(f, "more than {most} levels of nesting"),
            ParseErrorKind::TooManyValues(most) => {
                write!(f, "more than {} values", text::with_commas(*most))
            }
            ParseErrorKind::TooManyChanges(most) => {
                write!(f, "more than {} slips to mend", text::with_commas(*most))
            }
            ParseErrorKind::DuplicateKey(key) => {
                write!(f, "the key `{}` is given twice", text::short(key, 60))
            }
            ParseErrorKind::Expected(expected) => write!(f, "expected {expected}"),
        }?;
        if self.line == 0 {
            return Ok(());
        }
        write!(f, " (line {}, column {})", self.line, self.column)
    }
}

impl std::error::Error for ParseError {}

impl From<ParseError> for ToolError {
    fn from(error: ParseError) -> Self {
        let message = match error.kind {
            ParseErrorKind::Truncated => format!("The arguments were cut off: {error}."),
            _ => format!("The arguments cannot be read: {error}."),
        };
        Self::from_faults(vec![error.fault()])
            .reworded(error.code(), message)
            .suggest(error.suggestion())
    }
}

/// Puts `segment` in front of a JSON pointer, or drops the rest of a pointer that grew too long.
pub(crate) fn prepend(pointer: &mut String, segment: &str) {
    if pointer.len() + segment.len() > LONGEST_POINTER {
        pointer.clear();
        return;
    }
    let escaped = segment.replace('~', "~0").replace('/', "~1");
    pointer.insert_str(0, &escaped);
    pointer.insert(0, '/');
}
