//! Output type of an application.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::Value;
use tool_core::ValidationIssue;
use tool_core::schema::{CompiledSchema, SchemaError};
use tool_core::trim::{TrimError, trim_to_json};

use super::Findings;

type Check = dyn Fn(&Value, &mut Findings) + Send + Sync;

/// Output type: its name, schema and checks in code. Clones share the checks.
///
/// Checks in code run only on data that matches the schema, so they may rely on it.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_builtin::checks::OutputType;
///
/// let invoice = OutputType::named("invoice")
///     .schema(json!({
///         "type": "object",
///         "properties": {"net": {"type": "number"}, "gross": {"type": "number"}},
///         "required": ["net", "gross"],
///     }))?
///     .check(|data, findings| {
///         if data["gross"].as_f64() < data["net"].as_f64() {
///             findings.error("`/gross` is less than `/net`");
///         }
///     });
///
/// assert_eq!(invoice.validate(&json!({"net": 10, "gross": 8})).errors(), ["`/gross` is less than `/net`"]);
/// assert_eq!(invoice.validate(&json!({"net": "10"})).errors(), [
///     "`/gross` is missing",
///     "`/net` must be a number, not the string \"10\"",
/// ]);
/// # Ok::<_, tool_core::schema::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct OutputType {
    name: String,
    schema: Option<CompiledSchema>,
    checks: Vec<Arc<Check>>,
}

impl OutputType {
    /// Creates a type that accepts all data until a schema or a check is added.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            schema: None,
            checks: Vec::new(),
        }
    }

    /// Creates a type with the schema of a Rust type.
    ///
    /// # Errors
    /// Returns [`SchemaError`] if the schema is too large.
    pub fn of<T: JsonSchema>(name: impl Into<String>) -> Result<Self, SchemaError> {
        let mut output = Self::named(name);
        output.schema = Some(CompiledSchema::of::<T>()?);
        Ok(output)
    }

    /// Sets the JSON Schema that data must match.
    ///
    /// # Errors
    /// Returns [`SchemaError`] if `schema` is invalid or has an external reference.
    pub fn schema(mut self, schema: impl Into<Value>) -> Result<Self, SchemaError> {
        self.schema = Some(CompiledSchema::compile(schema)?);
        Ok(self)
    }

    /// Adds a check in code. It runs on a blocking thread.
    #[must_use]
    pub fn check(mut self, check: impl Fn(&Value, &mut Findings) + Send + Sync + 'static) -> Self {
        self.checks.push(Arc::new(check));
        self
    }

    /// Returns the name that the model uses.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Validates data against the schema, then runs each check.
    ///
    /// A string that does not match the schema is parsed as JSON, because models often send JSON as
    /// a string. Text around the JSON causes a warning; truncated or invalid JSON is an error.
    #[must_use]
    pub fn validate(&self, data: &Value) -> Findings {
        let mut findings = Findings::default();
        let Some(text) = data.as_str().filter(|_| !self.accepts(data)) else {
            self.run_checks(data, &mut findings);
            return findings;
        };
        match trim_to_json(text) {
            Ok(found) => {
                if found.was_trimmed() {
                    findings.warn("The text around the JSON was ignored.");
                }
                self.run_checks(found.value(), &mut findings);
            }
            Err(TrimError::Truncated { .. }) => {
                findings.error("the data is truncated: it ends inside a JSON value");
            }
            Err(TrimError::Invalid { reason, .. }) => {
                findings.error(format!("the data cannot be read as JSON: {reason}"));
            }
            Err(TrimError::TooLarge { max_bytes }) => {
                findings.error(format!("the data has more than {max_bytes} bytes"));
            }
            Err(_) => self.run_checks(data, &mut findings),
        }
        findings
    }

    fn accepts(&self, data: &Value) -> bool {
        self.schema
            .as_ref()
            .is_some_and(|schema| schema.is_valid(data))
    }

    fn run_checks(&self, data: &Value, findings: &mut Findings) {
        if let Some(schema) = &self.schema {
            let issues = schema.issues(data);
            for fault in &issues {
                findings.error(message(fault));
            }
            if issues.len() >= CompiledSchema::MAX_ISSUES {
                findings.more_errors();
            }
        }
        if findings.is_valid() {
            for check in &self.checks {
                check(data, findings);
            }
        }
    }
}

impl fmt::Debug for OutputType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputType")
            .field("name", &self.name)
            .field("has_schema", &self.schema.is_some())
            .field("checks", &self.checks.len())
            .finish()
    }
}

/// Describes a schema violation at its JSON pointer, which includes a missing or unknown property.
fn message(fault: &ValidationIssue) -> String {
    let mut pointer = fault.pointer.clone();
    if let Some(property) = &fault.property {
        pointer.push('/');
        pointer.push_str(&property.replace('~', "~0").replace('/', "~1"));
    }
    let place = match pointer.as_str() {
        "" => "the data".to_owned(),
        pointer => format!("`{pointer}`"),
    };
    let mut text = match fault.keyword.as_str() {
        "required" => format!("{place} is missing"),
        "additionalProperties" => format!("{place} is not known"),
        _ => format!("{place} must be {}, not {}", fault.expected, fault.got),
    };
    if let Some(nearest) = &fault.nearest {
        text.push_str(" (did you mean `");
        text.push_str(nearest);
        text.push_str("`?)");
    }
    text
}
