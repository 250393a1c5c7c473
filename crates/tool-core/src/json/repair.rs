//! Mending argument text that is not quite JSON, where nothing has to be guessed.

use serde_json::Value;

use super::parse::{ParseError, ParseErrorKind, ParseLimits, Parsed, Parser, parse_tape};
use super::tape::{Tape, read_plain};
use crate::{Change, ChangeKind};

const BYTE_ORDER_MARK: char = '\u{feff}';
const FENCE: &str = "```";

/// Reads `text` strictly, and mends it only where that fails or gives an object inside a string. What was mended is added
/// to `changes`.
///
/// # Errors
/// [`ParseError`] where the text is not JSON and cannot be mended without a guess.
#[inline]
pub(crate) fn read_tape<'t>(
    text: &'t str,
    limits: &ParseLimits,
    changes: &mut Vec<Change>,
) -> Result<Tape<'t>, ParseError> {
    match read_plain(text, limits) {
        Some(tape) if tape.root().as_str().is_none() => Ok(tape),
        _ => read_with_care(text, limits, changes),
    }
}

#[inline(never)]
fn read_with_care<'t>(
    text: &'t str,
    limits: &ParseLimits,
    changes: &mut Vec<Change>,
) -> Result<Tape<'t>, ParseError> {
    match parse_tape(text, limits) {
        Ok(tape) if tape.root().as_str().is_none() => return Ok(tape),
        Err(error) if !error.is_repairable() => return Err(error),
        _ => {}
    }
    let (tape, repairs) = repair(text, limits)?;
    changes.extend(repairs);
    Ok(tape)
}

/// The same as a value.
#[cfg(test)]
pub(crate) fn read(text: &str, limits: &ParseLimits) -> Result<(Value, Vec<Change>), ParseError> {
    let mut changes = Vec::new();
    read_tape(text, limits, &mut changes).map(|tape| (tape.root().to_value(), changes))
}

/// Mends slips of the pen in `text`, and says which.
///
/// A text that was cut off is never completed, two objects are never one, and an object is never looked for
/// where a part of another text may have been lost.
///
/// # Errors
/// [`ParseError`] where something would have to be guessed.
pub(crate) fn repair<'t>(
    text: &'t str,
    limits: &ParseLimits,
) -> Result<(Tape<'t>, Vec<Change>), ParseError> {
    let (tape, mut changes) = mend(text, limits)?;
    let inside = tape.root().as_str().unwrap_or_default();
    if !inside.trim_start().starts_with('{') {
        return Ok((tape, changes));
    }
    let (object, inside_changes) = mend(inside, limits)?;
    let [from, to] = ["a string of JSON text", "the object in it"].map(Value::from);
    changes.push(Change::new("", ChangeKind::NestedJson, from, to));
    changes.extend(inside_changes);
    Ok((object.into_owned(), changes))
}

fn mend<'t>(text: &'t str, limits: &ParseLimits) -> Result<(Tape<'t>, Vec<Change>), ParseError> {
    let mut parser = Parser::tolerant(text, limits);
    match read_one(&mut parser) {
        Ok(()) => Ok(parser.into_parts()),
        Err(error) => Err(error.located_in(text)),
    }
}

fn read_one(parser: &mut Parser<'_>) -> Parsed<()> {
    parser.check_size()?;
    if parser.rest().starts_with(BYTE_ORDER_MARK) {
        parser.note(ChangeKind::ByteOrderMark, "U+FEFF", "")?;
        parser.skip(BYTE_ORDER_MARK.len_utf8());
    }
    parser.blanks()?;
    if parser.rest().is_empty() {
        return parser.fail(ParseErrorKind::Empty);
    }
    let before = before_value(parser)?;
    let is_object = parser.peek() == Some(b'{');
    parser.value()?;
    after_value(parser, before, is_object)
}

/// What stood in front of the value.
#[derive(Debug, Clone, Copy)]
struct Before {
    has_prose: bool,
    has_fence: bool,
}

fn before_value(parser: &mut Parser<'_>) -> Parsed<Before> {
    let has_fence = opening_fence(parser)?;
    parser.blanks()?;
    if matches!(parser.peek(), Some(b'{' | b'[' | b'"' | b'\'')) {
        return Ok(Before {
            has_prose: false,
            has_fence,
        });
    }
    let Some(length) = parser.rest().find('{') else {
        return Ok(Before {
            has_prose: false,
            has_fence,
        });
    };
    let text = parser.rest().get(..length).unwrap_or_default();
    let fence_at = text.rfind(FENCE).filter(|at| is_fence_line(text, *at));
    let prose = text.get(..fence_at.unwrap_or(length)).unwrap_or_default();
    if !is_prose(prose.trim()) {
        return parser.expected("one JSON object");
    }
    parser.skip(length);
    parser.note(ChangeKind::SurroundingText, prose.trim(), "")?;
    if fence_at.is_some() {
        parser.note(ChangeKind::CodeFence, FENCE, "")?;
    }
    Ok(Before {
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
    parser.skip(FENCE.len() + language);
    parser.note(ChangeKind::CodeFence, FENCE, "")?;
    Ok(true)
}

/// Whether nothing but the name of a language follows the fence at `at`.
fn is_fence_line(text: &str, at: usize) -> bool {
    text.get(at + FENCE.len()..)
        .unwrap_or_default()
        .trim()
        .chars()
        .all(|c| c.is_ascii_alphanumeric())
}

fn after_value(parser: &mut Parser<'_>, before: Before, is_object: bool) -> Parsed<()> {
    parser.blanks()?;
    // After prose a brace too many may belong to an object whose beginning was lost.
    if is_object && !before.has_prose && parser.peek() == Some(b'}') {
        parser.note(ChangeKind::ExtraBrace, "}", "")?;
        parser.skip(1);
        parser.blanks()?;
    }
    if before.has_fence && parser.rest().starts_with(FENCE) {
        parser.skip(FENCE.len());
        parser.blanks()?;
    }
    let prose = parser.rest().trim();
    if prose.is_empty() {
        return Ok(());
    }
    if !is_object || prose.starts_with([',', ':', '"', '\'', '/']) || !is_prose(prose) {
        return parser.expected("nothing after the one JSON object");
    }
    parser.note(ChangeKind::SurroundingText, prose, "")
}

/// Whether `text` can be left out: it holds no value, and no part of one.
fn is_prose(text: &str) -> bool {
    let is_number =
        text.contains(|c: char| c.is_ascii_digit()) && !text.contains(char::is_alphabetic);
    let is_literal = ["true", "false", "null", "True", "False", "None"].contains(&text);
    !is_number && !is_literal && !text.contains(['{', '}', '[', ']']) && !has_member(text)
}

/// Whether a quote is followed by a colon or a comma, as after a key or a string of an object.
fn has_member(text: &str) -> bool {
    text.split('"')
        .skip(1)
        .any(|after| after.trim_start().starts_with([':', ',']))
        || text
            .split('\'')
            .skip(1)
            .any(|after| after.trim_start().starts_with(':'))
}
