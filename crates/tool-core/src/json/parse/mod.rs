//! JSON text to a value: strict by itself, tolerant where a repair asks for it.
//!
//! One parser serves both, so that a repaired text means what the same text would mean without its slips.
//! It depends on no feature of `serde_json`, which an application may switch on for its own ends.

mod bare;
mod blanks;
mod error;
mod number;
mod parser;
mod string;
#[cfg(test)]
pub(crate) mod tests;

use serde_json::Value;

pub(crate) use error::prepend;
pub(crate) use error::{ParseError, ParseErrorKind};
pub(crate) use number::{Number, read_number, short_integer};
pub(crate) use parser::ParseLimits;
pub(crate) use parser::{Parsed, Parser, parse_tape};
pub(crate) use string::{plain_length, read_string};

/// Reads `text` as RFC 8259 has it, with duplicate keys refused.
///
/// Whole floats up to 2^53 become integers, so that `1.0` and `1` are the same to every reader.
///
/// # Errors
/// [`ParseError`] where the text is not JSON, was cut off or breaks a limit.
pub(crate) fn parse(text: &str, limits: &ParseLimits) -> Result<Value, ParseError> {
    parse_tape(text, limits).map(|tape| tape.root().to_value())
}
