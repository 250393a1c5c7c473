//! In place of a compiled schema, in a build without validation.

use serde_json::Value;
use tool_json::{ParseLimits, Tape};

use super::fit::Fit;
use super::type_name;
use crate::{JsonRef, ValidationIssue};

/// Takes any object; a typed tool then trusts serde.
#[derive(Debug)]
pub(crate) struct Validator;

#[expect(
    clippy::unused_self,
    reason = "the same face as the validator of the feature `validate`"
)]
impl Validator {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "the same face as the validator of the feature `validate`"
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

    pub(crate) fn faults(&self, arguments: JsonRef<'_>, _schema: &Value) -> Vec<ValidationIssue> {
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

    pub(crate) fn refusals(&self, _value: JsonRef<'_>, _schema: &Value) -> Vec<Refusal> {
        Vec::new()
    }
}

/// One thing that is wrong with a value; without a validator nobody finds any.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) pointer: String,
    pub(crate) evaluation_path: String,
    pub(crate) reason: String,
}

/// What a schema knows: without a validator, nothing.
#[derive(Debug)]
pub(crate) enum Known {}

/// Without a validator nobody knows what would be ignored.
pub(crate) fn all_known(_schema: &Value) -> Option<Known> {
    None
}

/// Without a validator nobody knows what would be ignored.
pub(crate) fn ignored(_arguments: JsonRef<'_>, _known: &Known) -> Vec<String> {
    Vec::new()
}
