//! Shell text into a tree, in one pass, with a bound on nesting.
//!
//! What bash would read differently must never be read as something harmless: when in doubt, this is an error.

mod compound;
mod cursor;
mod dollar;
mod escape;
mod heredoc;
mod script;
mod simple;
mod word;

use cursor::Parser;
pub(super) use escape::{Escapes, decode_all as decode_escapes};

use super::syntax::{Script, Word};

/// Why a text has no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParseError {
    /// Not understood from this byte on.
    Syntax(usize),
    /// Nested too deeply.
    TooDeep,
}

/// Reads a whole script. `depth` is what the surroundings have used up already.
pub(super) fn script(text: &str, depth: usize) -> Result<Script, ParseError> {
    let mut parser = Parser::new(text, depth);
    let script = parser.script()?;
    if parser.peek().is_some() || parser.has_pending_bodies() {
        return Err(parser.unexpected());
    }
    Ok(script)
}

/// Reads text in which only expansions have a meaning, as in a here-document.
pub(super) fn expanded_text(text: &str, depth: usize) -> Result<Word, ParseError> {
    let mut parser = Parser::new(text, depth);
    parser.text_with_expansions()
}
