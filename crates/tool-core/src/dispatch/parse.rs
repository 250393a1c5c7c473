//! Step 2: from what the model sent to a value, mended only where nothing is guessed.

use super::Settings;
use crate::arguments::{self, ParseLimits};
use crate::{Arguments, CallArguments, Change, ToolError};

/// Parses the arguments; repairs are added to `changes`.
pub(super) fn parse<'c>(
    arguments: &'c CallArguments,
    settings: &Settings,
    changes: &mut Vec<Change>,
) -> Result<Arguments<'c>, ToolError> {
    match arguments {
        CallArguments::Value(value) => Ok(Arguments::from_value(value.clone())),
        CallArguments::Text(text) => {
            let limits = ParseLimits::of_bytes(settings.argument_bytes);
            let value = arguments::read(text, &limits, changes)?;
            Ok(Arguments::new(text, value))
        }
    }
}
