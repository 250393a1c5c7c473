//! Step 2: parses the arguments and repairs them if the repair is unambiguous.

use tool_json::{ParseErrorKind, ParseLimits};

use super::{Sent, Settings};
use crate::catalog::Entry;
use crate::{ArgumentChange, Arguments, ToolError};

/// Parsed arguments and their repairs.
pub(super) struct Parsed<'c> {
    pub(super) arguments: Arguments<'c>,
    pub(super) changes: Vec<ArgumentChange>,
}

impl<'c> From<Arguments<'c>> for Parsed<'c> {
    #[inline]
    fn from(arguments: Arguments<'c>) -> Self {
        Self {
            arguments,
            changes: Vec::new(),
        }
    }
}

/// Parses the arguments. Text that matches the schema is also validated in the same pass.
#[inline]
pub(super) fn parse<'c>(
    entry: &'c Entry,
    sent: Sent<'c>,
    settings: &Settings,
) -> Result<Parsed<'c>, ToolError> {
    let limits = ParseLimits {
        max_bytes: settings.argument_bytes,
        ..ParseLimits::default()
    };
    let text = match sent {
        Sent::Text(text) => text,
        Sent::Value(value) => return Ok(Arguments::of_value(value, &limits)?.into()),
        Sent::Own(value) => return Ok(Arguments::of_given(value, &limits)?.into()),
    };
    let mut arguments = Arguments::blank();
    if arguments.take_checked(text, |tape| entry.read(text, &limits, tape)) {
        return Ok(arguments.into());
    }
    let mut changes = Vec::new();
    match Arguments::read(text, &limits, &mut changes) {
        Ok(arguments) => Ok(Parsed { arguments, changes }),
        // Models often send nothing if a tool needs no arguments.
        Err(error) if error.kind == ParseErrorKind::Empty && text.trim().is_empty() => {
            Ok(Arguments::empty(text).into())
        }
        Err(error) => Err(error.into()),
    }
}
