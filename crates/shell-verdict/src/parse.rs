//! Single-pass parser for shell text with limited nesting.
//!
//! Knows a small grammar: commands, lists, pipelines, redirections, groups, branches, loops, `case`
//! and functions. Returns an error for anything else, and whenever bash might parse the input
//! differently. The text between `[[` and `]]` is read as if `[[` were a program, which can only find
//! more commands than there are.

mod compound;
mod cursor;
mod expansion;
mod heredoc;
mod script;
mod simple;
mod word;

use cursor::Parser;

use super::syntax::{Script, Word};

/// Replaces a character that is not decoded.
pub(crate) const UNKNOWN: char = '\u{1}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParseError {
    /// Syntax error at this byte.
    Syntax(usize),
    TooDeep,
}

/// `depth` is the nesting level of the surrounding text.
pub(crate) fn script(text: &str, depth: usize) -> Result<Script, ParseError> {
    let mut parser = Parser::new(text, depth);
    let script = parser.script()?;
    if parser.peek().is_some() || !parser.pending.is_empty() {
        return Err(parser.unexpected());
    }
    Ok(script)
}

/// Parses text in which only expansions are special, such as a here-document body.
fn expanded_text(text: &str, depth: usize) -> Result<Word, ParseError> {
    Parser::new(text, depth).text_with_expansions()
}
