//! Documents: one value, and in a tolerant parser the text around it and between its tokens.

use super::{Parsed, Parser};
use crate::error::{ParseError, ParseErrorKind, ParseLimits, Repair, RepairKind};
use crate::tape::{JsonRef, Tape};
use crate::text::short;

const BYTE_ORDER_MARK: char = '\u{feff}';
const FENCE: &str = "```";

impl<'t> Parser<'t> {
    /// Parses the entire text strictly.
    ///
    /// # Errors
    /// Returns [`ParseError`] if the text is not JSON or exceeds a limit.
    pub(crate) fn document(mut self) -> Result<Tape<'t>, ParseError> {
        match self.strict_document() {
            Ok(()) => Ok(Tape { slots: self.slots }),
            Err(error) => Err(error.located_in(self.text)),
        }
    }

    fn strict_document(&mut self) -> Parsed<()> {
        self.start()?;
        self.value()?;
        self.spaces()?;
        if self.rest().is_empty() {
            return Ok(());
        }
        self.expected("nothing after the value")
    }

    fn tolerant_document(&mut self) -> Parsed<()> {
        if self.rest().starts_with(BYTE_ORDER_MARK) {
            self.note(RepairKind::ByteOrderMark, "U+FEFF", "")?;
            self.at += BYTE_ORDER_MARK.len_utf8();
        }
        self.start()?;
        let before = before_value(self)?;
        let is_object = self.peek() == Some(b'{');
        self.value()?;
        if is_object {
            self.repetitions()?;
        }
        after_value(self, before, is_object)
    }

    /// Skips repetitions of the object, and replaces an empty object with the next one. Gateways send the arguments once
    /// more in their last chunk, or begin them with `{}`. Two other objects are never joined.
    fn repetitions(&mut self) -> Parsed<()> {
        self.spaces()?;
        while self.peek() == Some(b'{') {
            let (start, mark) = (self.at, self.repairs.len());
            let first = std::mem::take(&mut self.slots);
            let is_empty = first.len() == 1;
            match self.value() {
                Err(error) if is_empty => return Err(error),
                Ok(()) if is_empty => self.note(RepairKind::Repetition, "{}", "")?,
                Ok(()) if JsonRef::at(&first) == JsonRef::at(&self.slots) => {
                    self.repairs.truncate(mark);
                    let again = self.slice(start, self.at);
                    self.note(RepairKind::Repetition, again, "")?;
                }
                _ => return self.expected_at(start, "nothing after the one JSON object"),
            }
            self.spaces()?;
        }
        Ok(())
    }

    /// Rejects input that is too large or empty.
    fn start(&mut self) -> Parsed<()> {
        if self.text.len() > self.limits.max_bytes {
            return self.fail(ParseErrorKind::TooLarge(self.limits.max_bytes));
        }
        self.spaces()?;
        if self.rest().is_empty() {
            return self.fail(ParseErrorKind::Empty);
        }
        Ok(())
    }
}

/// Repairs `text` if only one meaning is possible.
///
/// Never completes truncated text, joins two different objects, or searches for an object in text that may be the rest of another one.
///
/// # Errors
/// Returns [`ParseError`] if the meaning is ambiguous.
pub(crate) fn repair_document<'t>(
    text: &'t str,
    limits: &ParseLimits,
) -> Result<(Tape<'t>, Vec<Repair>), ParseError> {
    let (tape, mut repairs) = parse_tolerantly(text, limits)?;
    let nested = tape.root().as_str().unwrap_or_default();
    // Arguments are an object. Any other string may be meant as a string.
    if !nested.trim_start().starts_with('{') {
        return Ok((tape, repairs));
    }
    let (object, nested_repairs) = parse_tolerantly(nested, limits)?;
    repairs.push(Repair {
        pointer: String::new(),
        kind: RepairKind::NestedJson,
        from: "a string of JSON text".to_owned(),
        to: "the object in it".to_owned(),
    });
    repairs.extend(nested_repairs);
    Ok((object.into_owned(), repairs))
}

fn parse_tolerantly<'t>(
    text: &'t str,
    limits: &ParseLimits,
) -> Result<(Tape<'t>, Vec<Repair>), ParseError> {
    let mut parser = Parser {
        is_tolerant: true,
        ..Parser::new(text, limits)
    };
    match parser.tolerant_document() {
        Ok(()) => Ok((
            Tape {
                slots: parser.slots,
            },
            parser.repairs,
        )),
        Err(error) => Err(error.located_in(text)),
    }
}

/// Text before the value.
#[derive(Debug, Clone, Copy)]
struct Preamble {
    has_prose: bool,
    has_fence: bool,
}

fn before_value(parser: &mut Parser<'_>) -> Parsed<Preamble> {
    let has_fence = opening_fence(parser)?;
    parser.spaces()?;
    let plain = Preamble {
        has_prose: false,
        has_fence,
    };
    if matches!(parser.peek(), Some(b'{' | b'[' | b'"' | b'\'')) {
        return Ok(plain);
    }
    let Some(length) = parser.rest().find('{') else {
        return Ok(plain);
    };
    let text = parser.rest().get(..length).unwrap_or_default();
    let fence_at = text.rfind(FENCE).filter(|at| is_fence_line(text, *at));
    let prose = text.get(..fence_at.unwrap_or(length)).unwrap_or_default();
    // The text may be a part of another value, and choosing one of two would be a guess.
    if !is_prose(prose.trim()) {
        return parser.expected("one JSON object");
    }
    parser.at += length;
    parser.note(RepairKind::SurroundingText, prose.trim(), "")?;
    if fence_at.is_some() {
        parser.note(RepairKind::CodeFence, FENCE, "")?;
    }
    Ok(Preamble {
        has_prose: true,
        has_fence: has_fence || fence_at.is_some(),
    })
}

fn opening_fence(parser: &mut Parser<'_>) -> Parsed<bool> {
    let Some(body) = parser.rest().strip_prefix(FENCE) else {
        return Ok(false);
    };
    let language = body
        .find(|c: char| !c.is_ascii_alphanumeric())
        .unwrap_or(body.len());
    parser.at += FENCE.len() + language;
    parser.note(RepairKind::CodeFence, FENCE, "")?;
    Ok(true)
}

/// Returns `true` if at most the name of a language follows the fence at `at`.
fn is_fence_line(text: &str, at: usize) -> bool {
    text.get(at + FENCE.len()..)
        .unwrap_or_default()
        .trim()
        .chars()
        .all(|c| c.is_ascii_alphanumeric())
}

fn after_value(parser: &mut Parser<'_>, before: Preamble, is_object: bool) -> Parsed<()> {
    parser.spaces()?;
    // After prose, the brace may close an object whose beginning is missing.
    if is_object && !before.has_prose && parser.peek() == Some(b'}') {
        parser.note(RepairKind::ExtraBrace, "}", "")?;
        parser.at += 1;
        parser.spaces()?;
    }
    if before.has_fence && parser.rest().starts_with(FENCE) {
        parser.at += FENCE.len();
        parser.spaces()?;
    }
    let rest = parser.rest();
    if rest.is_empty() {
        return Ok(());
    }
    let prose = rest.trim();
    // JSON has four kinds of white space. Others, such as a vertical tab, are removed and recorded like text.
    if prose.is_empty() {
        return parser.note(RepairKind::SurroundingText, rest, "");
    }
    // Such a string continues the value, so the object may be only a part of what was meant.
    if !is_object || prose.starts_with([',', ':', '"', '\'', '/']) || !is_prose(prose) {
        return parser.expected("nothing after the one JSON object");
    }
    parser.note(RepairKind::SurroundingText, prose, "")
}

/// Returns `true` if `text` contains neither a value nor a part of one.
fn is_prose(text: &str) -> bool {
    let is_number =
        text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic);
    let is_literal = ["true", "false", "null", "True", "False", "None"].contains(&text);
    !is_number && !is_literal && !text.contains(['{', '}', '[', ']']) && !has_member(text)
}

/// Returns `true` if a quote is followed by a colon or a comma, as after a key or string of an object.
fn has_member(text: &str) -> bool {
    let is_followed = |quote: char, signs: &[char]| {
        let mut pieces = text.split(quote).skip(1);
        pieces.any(|after| after.trim_start().starts_with(signs))
    };
    is_followed('"', &[':', ',']) || is_followed('\'', &[':'])
}

/// Maximum number of repairs. Keeps the list small.
const MAX_REPAIRS: usize = 1000;

impl Parser<'_> {
    /// Skips whitespace, and comments in a tolerant parser.
    pub(super) fn spaces(&mut self) -> Parsed<()> {
        match self.peek() {
            Some(b'\0'..=b' ' | b'/') => self.some_spaces(),
            _ => Ok(()),
        }
    }

    fn some_spaces(&mut self) -> Parsed<()> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.at += 1;
            }
            if !self.is_tolerant || self.peek() != Some(b'/') || !self.comment()? {
                return Ok(());
            }
        }
    }

    fn comment(&mut self) -> Parsed<bool> {
        let rest = self.rest();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(body) = rest.strip_prefix("/*") {
            match body.find("*/") {
                Some(length) => length + 4,
                // A comment that does not end may contain the rest of the value.
                None => return self.fail(ParseErrorKind::Truncated),
            }
        } else {
            return Ok(false);
        };
        let comment = self.slice(self.at, self.at + length);
        self.at += length;
        self.note(RepairKind::Comment, comment, "")?;
        Ok(true)
    }

    /// Records a repair of the current value.
    pub(super) fn note(&mut self, kind: RepairKind, from: &str, to: &str) -> Parsed<()> {
        if self.repairs.len() == MAX_REPAIRS {
            return self.fail(ParseErrorKind::TooManyRepairs(MAX_REPAIRS));
        }
        self.repairs.push(Repair {
            pointer: String::new(),
            kind,
            from: short(from, 60),
            to: short(to, 60),
        });
        Ok(())
    }

    pub(super) fn missing_comma(&mut self) -> Parsed<bool> {
        self.note(RepairKind::MissingComma, "", ",")?;
        Ok(true)
    }

    /// Returns `true` if only a missing comma can explain the next token after a member.
    ///
    /// Adjacent strings (`"a""b"`) may be one string with a doubled quote, so they are not separated.
    pub(super) fn lacks_comma_before_key(&self, value_end: usize) -> bool {
        let is_apart = self.at > value_end;
        let after_string = matches!(self.byte_before(value_end), Some(b'"' | b'\''));
        self.is_tolerant && matches!(self.peek(), Some(b'"' | b'\'')) && (is_apart || !after_string)
    }

    /// Returns `true` if only a missing comma can explain the next token after an item.
    ///
    /// This holds for arrays and objects only: `"a" "b"` is one string in Python, and `1 000` may be one number.
    pub(super) fn lacks_comma_before_item(&self, value_end: usize) -> bool {
        self.is_tolerant
            && matches!(self.byte_before(value_end), Some(b'}' | b']'))
            && matches!(self.peek(), Some(b'{' | b'['))
    }

    fn byte_before(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at.checked_sub(1)?).copied()
    }
}
