//! Numbers that are clamped to their range.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use tool_core::ToolContext;

/// Whole number of any size, which is used as one from 1 to `MOST`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(transparent)]
pub(super) struct Clamped<const MOST: u16>(f64);

impl<const MOST: u16> Clamped<MOST> {
    pub(super) const fn of(number: f64) -> Self {
        Self(number)
    }

    /// Returns the number that is used.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the number is in the range"
    )]
    pub(super) fn get(self) -> u16 {
        self.0.clamp(1.0, MOST.into()) as u16
    }

    /// Warns if another number than the one of the model is used.
    pub(super) fn warn(self, cx: &ToolContext, parameter: &str) {
        let used = self.get();
        if self.0 < 1.0 || self.0 > MOST.into() {
            cx.warn(format!(
                "`{parameter}` is from 1 to {MOST}; {used} was used."
            ));
        }
    }
}

// Without the range of an integer type, because any number is accepted.
impl<const MOST: u16> JsonSchema for Clamped<MOST> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Clamped".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer"})
    }
}
