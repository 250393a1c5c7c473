//! A JSON Schema that values are held against, for hosts.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tool_json::{ParseLimits, Tape};

use super::validator::MAX_FAULTS;
use super::{Fit, Validator};
use crate::ValidationIssue;

/// A JSON Schema, compiled once to hold values against it. Clones share it.
///
/// Draft 2020-12 unless `$schema` names another. Nothing is fetched, a schema has at most 256 KB and 64 levels, and patterns
/// end. Where the registry already does this, for the arguments of a call, nobody needs it.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::schema::CompiledSchema;
///
/// let schema = CompiledSchema::compile(json!({
///     "type": "object",
///     "properties": {"total": {"type": "integer"}},
///     "required": ["total"],
/// }))?;
/// assert!(schema.is_valid(&json!({"total": 3})));
///
/// let faults = schema.faults(&json!({"total": "three"}));
/// assert_eq!(faults[0].pointer, "/total");
/// assert_eq!(faults[0].to_string(), "`total` must be an integer, not the string \"three\"");
/// # Ok::<_, tool_core::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
pub struct CompiledSchema(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    schema: Value,
    validator: Validator,
}

/// A JSON Schema cannot be used.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::schema::CompiledSchema;
///
/// let error = CompiledSchema::compile(json!({"type": "objekt"})).unwrap_err();
/// assert!(error.to_string().starts_with("the schema cannot be used: at `/type`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError(String);

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema cannot be used: {}", self.0)
    }
}

impl std::error::Error for SchemaError {}

impl CompiledSchema {
    /// The most faults that are listed at once.
    pub const MAX_FAULTS: usize = MAX_FAULTS;

    /// Compiles a schema, such as one of [`schema_of`](crate::schema_of) or of [`Schema`](crate::schema::Schema).
    ///
    /// # Errors
    /// [`SchemaError`] where it is no schema, refers to something outside, or is larger than a schema may be.
    pub fn compile(schema: impl Into<Value>) -> Result<Self, SchemaError> {
        let schema = schema.into();
        let validator = Validator::compile(&schema).map_err(SchemaError)?;
        Ok(Self(Arc::new(Compiled { schema, validator })))
    }

    /// The schema as it was given.
    #[must_use]
    pub fn schema(&self) -> &Value {
        &self.0.schema
    }

    /// Whether the schema takes `value`; never one that is deeper than 127 levels.
    #[must_use]
    pub fn is_valid(&self, value: &Value) -> bool {
        self.faults(value).is_empty()
    }

    /// What is wrong with `value`, at most [`MAX_FAULTS`](Self::MAX_FAULTS), which are 50; empty when it is valid.
    #[must_use]
    pub fn faults(&self, value: &Value) -> Vec<ValidationIssue> {
        let Ok(tape) = Tape::from_value(value, &ParseLimits::default()) else {
            return vec![ValidationIssue::new(
                "",
                "depth",
                "at most 127 levels deep",
                "more",
            )];
        };
        let Compiled { schema, validator } = &*self.0;
        match validator.fit(tape.root()) {
            Fit::Not => validator.faults(tape.root(), schema),
            Fit::Plain | Fit::Valid => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn faults_are_told_by_their_places_and_bounded() {
        let items = json!({"type": "array", "items": {"type": "integer"}});
        let schema = CompiledSchema::compile(items).unwrap();
        let texts: Value = (0..60).map(|_| json!("x")).collect();

        let faults = schema.faults(&texts);

        assert_eq!(faults.len(), 50);
        assert_eq!(faults[3].pointer, "/3");
        assert_eq!(schema.faults(&json!([1, 2])), []);
    }

    #[test]
    fn a_value_that_is_too_deep_is_a_fault() {
        let schema = CompiledSchema::compile(json!(true)).unwrap();
        let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));

        assert!(schema.is_valid(&deep(127)));
        assert!(!schema.is_valid(&deep(128)));
    }

    #[test]
    fn a_schema_that_refers_to_something_outside_is_refused() {
        let reference = json!({"$ref": "https://example.com/schema.json"});

        assert!(CompiledSchema::compile(reference).is_err());
    }
}
