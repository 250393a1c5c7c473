//! Step 2: parses the arguments and repairs them if the repair is unambiguous.

use tool_json::{ParseErrorKind, ParseLimits};

use super::{ArgumentsRef, Settings};
use crate::catalog::Entry;
use crate::{ArgumentChange, Arguments, ToolError};

/// Parses the arguments into blank ones, and adds the repairs to `changes`. Text that matches the schema is also validated
/// in the same pass.
#[inline]
pub(super) fn parse<'c>(
    entry: &'c Entry,
    sent: ArgumentsRef<'c>,
    settings: &Settings,
    arguments: &mut Arguments<'c>,
    changes: &mut Vec<ArgumentChange>,
) -> Result<(), ToolError> {
    let limits = ParseLimits {
        max_bytes: settings.argument_bytes,
        ..ParseLimits::default()
    };
    match sent {
        ArgumentsRef::Text(text)
            if arguments.fill_checked(text, |tape| entry.read(text, &limits, tape)) => {}
        ArgumentsRef::Text(text) => *arguments = repaired(text, &limits, changes)?,
        ArgumentsRef::Value(value) => *arguments = Arguments::of_value(value, &limits)?,
        ArgumentsRef::Owned(value) => *arguments = Arguments::of_caller_value(value, &limits)?,
    }
    Ok(())
}

fn repaired<'c>(
    text: &'c str,
    limits: &ParseLimits,
    changes: &mut Vec<ArgumentChange>,
) -> Result<Arguments<'c>, ToolError> {
    match Arguments::read(text, limits, changes) {
        // Models often send nothing if a tool needs no arguments.
        Err(error) if error.kind == ParseErrorKind::Empty && text.trim().is_empty() => {
            Ok(Arguments::empty(text))
        }
        read => Ok(read?),
    }
}
