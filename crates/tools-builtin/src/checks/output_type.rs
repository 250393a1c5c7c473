//! Output types of an application: a schema and checks in code, whose findings the model can fix.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::Value;
use tool_core::schema::{CompiledSchema, SchemaError};
use tool_core::{ToolDefinition, ValidationIssue};
use tool_json::text::one_line;

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
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Validates data against the schema, then runs each check.
    ///
    /// A string that does not match the schema is parsed as JSON, because models often send JSON as a string.
    pub fn validate(&self, data: &Value) -> Findings {
        let mut findings = Findings::default();
        let text = data.as_str().filter(|_| !self.accepts(data));
        let parsed: Option<Value> = text.and_then(|text| serde_json::from_str(text).ok());
        self.run_checks(parsed.as_ref().unwrap_or(data), &mut findings);
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
                findings.error("… and perhaps more errors");
            }
        }
        if findings.is_valid() {
            for check in &self.checks {
                check(data, findings);
            }
        }
    }
}

tool_core::debug_fields!(OutputType, this =>
    name: this.name, has_schema: this.schema.is_some(), checks: this.checks.len());

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

/// Maximum number of type names in a message or a schema.
pub(super) const MAX_NAMES: usize = 20;

/// Output types of an application, by name. Clones share the types.
///
/// The default contains only [`domain_map()`].
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_builtin::checks::{OutputType, OutputTypes};
///
/// let report = OutputType::named("report").schema(json!({"type": "object", "required": ["title"]}))?;
/// let types = OutputTypes::default().with(report);
/// assert_eq!(types.names().collect::<Vec<_>>(), ["domain_map", "report"]);
/// # Ok::<_, tool_core::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone)]
pub struct OutputTypes(BTreeMap<String, Arc<OutputType>>);

impl Default for OutputTypes {
    fn default() -> Self {
        Self::empty().with(domain_map())
    }
}

impl OutputTypes {
    /// Creates a collection without types.
    pub fn empty() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds a type, replacing one of the same name.
    #[must_use]
    pub fn with(mut self, output_type: OutputType) -> Self {
        self.0
            .insert(output_type.name().to_owned(), Arc::new(output_type));
        self
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Lists the known names in the description of the parameter for a type name.
    pub(crate) fn describe(&self, definition: ToolDefinition, parameter: &str) -> ToolDefinition {
        let names: Vec<&str> = self.names().take(MAX_NAMES).collect();
        if names.is_empty() {
            return definition;
        }
        let mut schema = definition.input_schema().clone();
        if let Some(description) =
            schema.pointer_mut(&format!("/properties/{parameter}/description"))
        {
            *description = format!("Name of the output type, such as {}.", names.join(", ")).into();
        }
        definition.with_input_schema(schema)
    }

    /// Returns the type with this name.
    pub fn named(&self, name: &str) -> Option<&Arc<OutputType>> {
        self.0.get(name)
    }
}

/// Maximum number of characters of one message.
const MAX_CHARS: usize = 500;

/// Findings of the checks of an output type: errors, which make the data invalid, and warnings,
/// which do not.
///
/// Each is kept on one line of at most 500 characters.
///
/// # Examples
/// ```
/// use tools_builtin::checks::Findings;
///
/// let mut findings = Findings::default();
/// findings.error("`/items/3/price` is below the cost");
/// findings.warn("`/items` has only one item");
/// assert!(!findings.is_valid());
/// assert_eq!(findings.errors(), ["`/items/3/price` is below the cost"]);
/// assert_eq!(findings.warnings(), ["`/items` has only one item"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Findings {
    /// Adds an error, which makes the data invalid. State the problem and its location as a JSON
    /// pointer into the data.
    pub fn error(&mut self, text: impl AsRef<str>) {
        self.errors.push(one_line(text.as_ref(), MAX_CHARS));
    }

    /// Adds a warning, which does not make the data invalid.
    pub fn warn(&mut self, text: impl AsRef<str>) {
        self.warnings.push(one_line(text.as_ref(), MAX_CHARS));
    }

    /// Returns whether there are no errors.
    pub fn is_valid(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the errors, followed by the number of omitted ones.
    pub fn errors(&self) -> Vec<String> {
        self.errors.clone()
    }

    /// Returns the warnings, followed by the number of omitted ones.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

/// Returns the output type `domain_map`: an object with the domains of a code base, its layout and
/// a summary.
///
/// `domains` must be a non-empty array. If `layout` or `summary` is not an object, a warning is
/// added.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tools_builtin::checks::domain_map;
///
/// let findings = domain_map().validate(&json!({"domains": [], "layout": {}, "summary": {}}));
/// assert_eq!(findings.errors(), ["Missing 'domains' array"]);
/// ```
pub fn domain_map() -> OutputType {
    OutputType::named("domain_map").check(check)
}

fn check(data: &Value, findings: &mut Findings) {
    let domains = data.get("domains").and_then(Value::as_array);
    if domains.is_none_or(Vec::is_empty) {
        findings.error("Missing 'domains' array");
    }
    for part in ["layout", "summary"] {
        if !data.get(part).is_some_and(Value::is_object) {
            findings.warn(format!("Missing '{part}' object"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncates_long_messages_to_one_line() {
        let mut findings = Findings::default();

        findings.warn(format!("one\n{}", "ä".repeat(600)));

        assert_eq!(findings.warnings(), [format!("one {}…", "ä".repeat(496))]);
        assert!(findings.is_valid());
    }
}
