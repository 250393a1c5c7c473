//! Validation of schemas: repairs unambiguous errors and rejects tools with other errors.

mod check;
mod keywords;
mod regular;
mod repair;

use std::borrow::Cow;

use serde_json::Value;

use super::Losses;

/// Returns the original schema, or a repaired one with a loss for each error.
///
/// # Errors
/// Returns the reason and location if the schema is valid neither in 2020-12 nor in draft 7 and has
/// an ambiguous error.
pub(crate) fn validated<'s>(
    given: &'s Value,
    losses: &mut Losses,
) -> Result<Cow<'s, Value>, String> {
    if check::check(given).is_ok() {
        return Ok(Cow::Borrowed(given));
    }
    let mut repaired = given.clone();
    let mut trial = losses.trial();
    repair::repair(&mut repaired, &mut String::new(), &mut trial);
    // Providers reject the complete request because of one invalid schema, so only this tool is omitted.
    check::check(&repaired).map_err(check::SchemaError::into_reason)?;
    losses.extend(trial);
    Ok(Cow::Owned(repaired))
}

#[cfg(test)]
mod tests;
