//! Schemas that are none: mended where that takes no guess, else a reason to refuse the tool.

mod check;
mod keywords;
mod mend;
mod regular;

use std::borrow::Cow;

use serde_json::Value;

use super::Losses;

/// The schema as it was given, or mended, with a loss for each mistake.
///
/// # Errors
/// When it is no JSON Schema, neither of 2020-12 nor of draft 7, and cannot be mended without guessing. The reason
/// names the place.
pub(crate) fn sound<'s>(given: &'s Value, losses: &mut Losses) -> Result<Cow<'s, Value>, String> {
    if check::check(given).is_ok() {
        return Ok(Cow::Borrowed(given));
    }
    let mut mended = given.clone();
    let mut trial = losses.trial();
    mend::mend(&mut mended, &mut String::new(), &mut trial);
    check::check(&mended).map_err(check::Fault::into_reason)?;
    losses.extend(trial);
    Ok(Cow::Owned(mended))
}

#[cfg(test)]
mod tests;
