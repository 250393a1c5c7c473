//! Step 2: from what the model sent to a value, mended only where nothing is guessed.

use serde_json::json;

use super::Settings;
use crate::arguments::{self, ParseErrorKind, ParseLimits};
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
            let limits = ParseLimits {
                max_bytes: settings.argument_bytes,
                ..ParseLimits::default()
            };
            match arguments::read(text, &limits) {
                Ok((value, repairs)) => {
                    changes.extend(repairs);
                    Ok(Arguments::new(text, value))
                }
                // A model that has nothing to say about a tool often sends nothing.
                Err(error) if error.kind == ParseErrorKind::Empty => {
                    Ok(Arguments::new(text, json!({})))
                }
                Err(error) => Err(error.into()),
            }
        }
    }
}
