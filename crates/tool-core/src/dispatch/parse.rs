//! Step 2: from what the model sent to arguments, mended only where nothing is guessed.

use super::{Sent, Settings};
use crate::catalog::Entry;
use crate::json::parse::{ParseErrorKind, ParseLimits};
use crate::{Arguments, Change, ToolError};

/// Parses the arguments; repairs are added to `changes`. A text that surely fits is seen to fit while it is read.
#[inline]
pub(super) fn parse<'c>(
    entry: &'c Entry,
    arguments: Sent<'c>,
    settings: &Settings,
    changes: &mut Vec<Change>,
) -> Result<Arguments<'c>, ToolError> {
    let limits = ParseLimits {
        max_bytes: settings.argument_bytes,
        ..ParseLimits::default()
    };
    let text = match arguments {
        Sent::Value(value) => return Arguments::of_value(value, &limits),
        Sent::Own(value) => return Arguments::of_given(value, &limits),
        Sent::Text(text) => text,
    };
    if let Some(tape) = entry.read(text, &limits) {
        return Ok(Arguments::checked(text, tape));
    }
    match Arguments::read(text, &limits, changes) {
        Ok(arguments) => Ok(arguments),
        // A model that has nothing to say about a tool often sends nothing.
        Err(error) if error.kind == ParseErrorKind::Empty && text.trim().is_empty() => {
            Ok(Arguments::empty(text))
        }
        Err(error) => Err(error.into()),
    }
}
