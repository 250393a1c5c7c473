//! Single-pass parser for shell text with limited nesting.
//!
//! Returns an error whenever bash might parse the input differently.

mod compound;
mod cursor;
mod dollar;
mod escape;
mod heredoc;
mod script;
mod simple;
mod word;

use cursor::Parser;
pub(super) use escape::UNKNOWN;

use super::syntax::{Script, Word};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParseError {
    /// Syntax error at this byte.
    Syntax(usize),
    TooDeep,
}

/// `depth` is the nesting level of the surrounding text.
pub(super) fn script(text: &str, depth: usize) -> Result<Script, ParseError> {
    let mut parser = Parser::new(text, depth);
    let script = parser.script()?;
    if parser.peek().is_some() || parser.has_pending_bodies() {
        return Err(parser.unexpected());
    }
    Ok(script)
}

/// Parses text in which only expansions are special, such as a here-document body.
pub(super) fn expanded_text(text: &str, depth: usize) -> Result<Word, ParseError> {
    let mut parser = Parser::new(text, depth);
    parser.text_with_expansions()
}
