//! Step 3: fills defaults, validates, and coerces values without loss.

use super::Settings;
use crate::catalog::Entry;
use crate::schema::Fit;
use crate::{ArgumentChange, Arguments, ToolError};

/// Fills defaults and validates in place. Invalid values are coerced without loss and validated again. Changes are added
/// to `changes`, also if the arguments are invalid.
#[inline]
pub(super) fn validate<'c>(
    entry: &'c Entry,
    arguments: &mut Arguments<'c>,
    settings: &Settings,
    changes: &mut Vec<ArgumentChange>,
) -> Result<Fit, ToolError> {
    arguments.rename_aliases(entry.definition().aliases(), changes)?;
    entry.fill_defaults(arguments)?;
    let fit = if arguments.are_checked() {
        Fit::Plain
    } else {
        entry.fit(arguments.root())
    };
    if fit != Fit::Not {
        return Ok(fit);
    }
    if settings.coercion {
        entry.coerce(arguments, changes);
        entry.fill_defaults(arguments)?;
    }
    match entry.issues(arguments.root()) {
        issues if issues.is_empty() => Ok(Fit::Valid),
        issues => {
            Err(ToolError::from_issues(issues)
                .suggest("Call the tool again with corrected arguments."))
        }
    }
}
