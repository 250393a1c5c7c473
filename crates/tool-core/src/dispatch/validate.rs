//! Step 3: fills defaults, validates, and coerces values without loss.

use super::Settings;
use crate::catalog::Entry;
use crate::schema::Fit;
use crate::{ArgumentChange, Arguments, ToolError};

/// Result of a validation.
pub(super) struct Validated {
    pub(super) changes: Vec<ArgumentChange>,
    pub(super) warnings: Vec<String>,
    /// Whether validation took long enough to read the clock again before the run.
    pub(super) is_delayed: bool,
    pub(super) outcome: Result<(), ToolError>,
}

/// Fills defaults and validates in place. Invalid values are coerced without loss and validated again.
#[inline]
pub(super) fn validate<'c>(
    entry: &'c Entry,
    arguments: &mut Arguments<'c>,
    settings: &Settings,
) -> Validated {
    let mut changes = Vec::new();
    let fit = fit(entry, arguments, settings, &mut changes);
    let is_plain = matches!(fit, Ok(Fit::Plain));
    Validated {
        warnings: if is_plain {
            Vec::new()
        } else {
            entry.ignored(arguments.root())
        },
        is_delayed: !is_plain || arguments.is_large(),
        outcome: fit.map(drop),
        changes,
    }
}

#[inline]
fn fit<'c>(
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
    match entry.faults(arguments.root()) {
        faults if faults.is_empty() => Ok(Fit::Valid),
        faults => {
            Err(ToolError::from_faults(faults)
                .suggest("Call the tool again with corrected arguments."))
        }
    }
}
