//! Replaces the compiled schema in builds without the `validate` feature.

use serde_json::Value;
use tool_json::{ParseLimits, Tape};

use super::{Fit, Rejection, type_name};
use crate::{JsonRef, ValidationIssue};

/// Accepts any object; typed tools rely on serde.
#[derive(Debug)]
pub(crate) struct Validator;

#[expect(
    clippy::unused_self,
    reason = "same signature as the validator of the `validate` feature"
)]
impl Validator {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "same signature as the validator of the `validate` feature"
    )]
    pub(crate) fn compile(_schema: &Value) -> Result<Self, String> {
        Ok(Self)
    }

    pub(crate) fn read<'t>(
        &'t self,
        _text: &'t str,
        _limits: &ParseLimits,
        _tape: &mut Tape<'t>,
    ) -> bool {
        false
    }

    pub(crate) fn fit(&self, arguments: JsonRef<'_>) -> Fit {
        if arguments.is_object() {
            Fit::Valid
        } else {
            Fit::Not
        }
    }

    pub(crate) fn issues(&self, arguments: JsonRef<'_>, _schema: &Value) -> Vec<ValidationIssue> {
        if arguments.is_object() {
            return Vec::new();
        }
        vec![ValidationIssue::new(
            "",
            "type",
            "an object",
            type_name(&arguments.to_value()),
        )]
    }

    pub(crate) fn rejections(&self, _value: JsonRef<'_>, _schema: &Value) -> Vec<Rejection> {
        Vec::new()
    }
}
