//! Step 2: from what the model sent to arguments, mended only where nothing is guessed.

use super::{Sent, Settings};
use crate::catalog::Entry;
use crate::json::parse::{ParseErrorKind, ParseLimits};
use crate::{Arguments, Change, ToolError};

/// Parses the arguments to where they stay; repairs are added to `changes`. A text that surely fits is seen to fit while
/// it is read.
#[inline]
pub(super) fn parse<'c>(
    entry: &'c Entry,
    arguments: Sent<'c>,
    settings: &Settings,
    changes: &mut Vec<Change>,
    parsed: &mut Arguments<'c>,
) -> Result<(), ToolError> {
    let limits = ParseLimits {
        max_bytes: settings.argument_bytes,
        ..ParseLimits::default()
    };
    if let Sent::Text(text) = arguments
        && parsed.take_checked(text, |tape| entry.read(text, &limits, tape))
    {
        return Ok(());
    }
    *parsed = match arguments {
        Sent::Value(value) => Arguments::of_value(value, &limits)?,
        Sent::Own(value) => Arguments::of_given(value, &limits)?,
        Sent::Text(text) => of_text(text, &limits, changes)?,
    };
    Ok(())
}

fn of_text<'c>(
    text: &'c str,
    limits: &ParseLimits,
    changes: &mut Vec<Change>,
) -> Result<Arguments<'c>, ToolError> {
    match Arguments::read(text, limits, changes) {
        Ok(arguments) => Ok(arguments),
        // A model that has nothing to say about a tool often sends nothing.
        Err(error) if error.kind == ParseErrorKind::Empty && text.trim().is_empty() => {
            Ok(Arguments::empty(text))
        }
        Err(error) => Err(error.into()),
    }
}
