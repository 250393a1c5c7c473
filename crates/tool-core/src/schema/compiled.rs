//! A JSON Schema for validating values, for hosts.

use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::Value;
use tool_json::{ParseLimits, Tape};

use super::derive::typed_schema_of;
use super::validator::MAX_ISSUES;
use super::{Fit, Validator, with_type_ranges};
use crate::ValidationIssue;

/// A compiled JSON Schema. Clones share it.
///
/// The dialect is draft 2020-12 unless `$schema` names another. Remote references are not fetched,
/// a schema is limited to 256 KB and 64 levels, and pattern matching is bounded. The registry
/// already validates the arguments of calls.
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
/// let issues = schema.issues(&json!({"total": "three"}));
/// assert_eq!(issues[0].pointer, "/total");
/// assert_eq!(issues[0].to_string(), "`total` must be an integer, not the string \"three\"");
/// # Ok::<_, tool_core::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
pub struct CompiledSchema(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    schema: Value,
    validator: Validator,
}

/// The error returned for an invalid JSON Schema.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::schema::CompiledSchema;
///
/// let error = CompiledSchema::compile(json!({"type": "objekt"})).unwrap_err();
/// assert!(error.to_string().starts_with("invalid schema: at `/type`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid schema: {0}")]
pub struct SchemaError(String);

impl CompiledSchema {
    /// Maximum number of reported issues.
    pub const MAX_ISSUES: usize = MAX_ISSUES;

    /// Compiles a schema. For a Rust type, use [`of`](Self::of).
    ///
    /// # Errors
    /// Returns [`SchemaError`] if the schema is invalid, refers to another document or exceeds a
    /// limit.
    pub fn compile(schema: impl Into<Value>) -> Result<Self, SchemaError> {
        let schema = schema.into();
        let validator = Validator::compile(&schema).map_err(SchemaError)?;
        Ok(Self(Arc::new(Compiled { schema, validator })))
    }

    /// Compiles the schema of `T` as input, with the ranges of its integer types.
    ///
    /// # Errors
    /// Returns [`SchemaError`] if the schema exceeds a limit.
    ///
    /// # Examples
    /// ```
    /// use serde_json::json;
    /// use tool_core::schema::CompiledSchema;
    ///
    /// let bytes = CompiledSchema::of::<Vec<u8>>()?;
    /// assert!(bytes.is_valid(&json!([0, 255])));
    /// assert!(!bytes.is_valid(&json!([256])));
    /// # Ok::<_, tool_core::schema::SchemaError>(())
    /// ```
    pub fn of<T: JsonSchema>() -> Result<Self, SchemaError> {
        Self::compile(with_type_ranges(&typed_schema_of::<T>()))
    }

    /// Returns the schema, unchanged.
    pub fn schema(&self) -> &Value {
        &self.0.schema
    }

    /// Returns `true` if `value` matches the schema. Values nested deeper than 127 levels never
    /// match.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.issues(value).is_empty()
    }

    /// Returns the issues of `value`, at most [`MAX_ISSUES`](Self::MAX_ISSUES) (50). Empty if it is
    /// valid.
    pub fn issues(&self, value: &Value) -> Vec<ValidationIssue> {
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
            Fit::Not => validator.issues(tape.root(), schema),
            Fit::Plain | Fit::Valid => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_bounded_issues_with_pointers() {
        let items = json!({"type": "array", "items": {"type": "integer"}});
        let schema = CompiledSchema::compile(items).unwrap();
        let texts: Value = (0..60).map(|_| json!("x")).collect();

        let issues = schema.issues(&texts);

        assert_eq!(issues.len(), 50);
        assert_eq!(issues[3].pointer, "/3");
        assert_eq!(schema.issues(&json!([1, 2])), []);
    }

    #[test]
    fn too_deep_value_is_issue() {
        let schema = CompiledSchema::compile(json!(true)).unwrap();
        let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));

        assert!(schema.is_valid(&deep(127)));
        assert!(!schema.is_valid(&deep(128)));
    }

    #[test]
    fn rejects_external_references() {
        let reference = json!({"$ref": "https://example.com/schema.json"});

        assert!(CompiledSchema::compile(reference).is_err());
    }
}
