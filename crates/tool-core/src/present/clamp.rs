//! Clamping of a number to its range.

use std::ops::RangeInclusive;

use serde_json::Value;

use crate::Arguments;

/// The range of one parameter.
#[derive(Debug, Clone)]
pub(super) struct Clamp {
    own: String,
    shown: String,
    /// Stored as values, so that arguments can borrow them.
    least: Value,
    most: Value,
    range: RangeInclusive<i64>,
}

impl Clamp {
    pub(super) fn new(own: &str, shown: &str, range: &RangeInclusive<i64>) -> Self {
        Self {
            own: own.to_owned(),
            shown: shown.to_owned(),
            least: (*range.start()).into(),
            most: (*range.end()).into(),
            range: range.clone(),
        }
    }

    pub(super) fn own(&self) -> &str {
        &self.own
    }

    /// Returns the bound that replaces the value in `shown`; `None` if it is in the range or not a number.
    pub(super) fn border(&self, shown: &Arguments<'_>) -> Option<&Value> {
        let given = shown.get(&self.shown)?.as_f64()?;
        if given < self.least.as_f64()? {
            Some(&self.least)
        } else if given > self.most.as_f64()? {
            Some(&self.most)
        } else {
            None
        }
    }

    pub(super) fn warning(&self, shown: &Arguments<'_>) -> Option<String> {
        let border = self.border(shown)?;
        let (name, range) = (&self.shown, &self.range);
        Some(format!(
            "`{name}` is from {} to {}; {border} was used.",
            range.start(),
            range.end()
        ))
    }
}
