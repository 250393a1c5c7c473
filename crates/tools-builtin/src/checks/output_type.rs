//! One type of output that an application takes.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde_json::Value;
use tool_core::answer::{TrimError, trim_to_json};
use tool_core::{CompiledSchema, Fault, SchemaError, schema_of};

use super::Findings;

type Check = dyn Fn(&Value, &mut Findings) + Send + Sync;

/// A type of output: its name, and what makes data of it valid. Clones share the checks.
///
/// The checks in code run only on data that the schema takes, so that they need not ask for what it promises.
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
/// # Ok::<_, tool_core::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct OutputType {
    name: String,
    schema: Option<CompiledSchema>,
    checks: Vec<Arc<Check>>,
}

impl OutputType {
    /// A type that takes anything until it is given a schema or a check.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            schema: None,
            checks: Vec::new(),
        }
    }

    /// A type whose schema is that of a Rust type.
    ///
    /// # Errors
    /// [`SchemaError`] where the schema is larger than a schema may be.
    pub fn of<T: JsonSchema>(name: impl Into<String>) -> Result<Self, SchemaError> {
        Self::named(name).schema(schema_of::<T>())
    }

    /// Takes only data that fits this JSON Schema.
    ///
    /// # Errors
    /// [`SchemaError`] where it is no schema, or one that refers to something outside.
    pub fn schema(mut self, schema: impl Into<Value>) -> Result<Self, SchemaError> {
        self.schema = Some(CompiledSchema::compile(schema)?);
        Ok(self)
    }

    /// Adds a check in code. It runs on a thread that may block.
    #[must_use]
    pub fn check(mut self, check: impl Fn(&Value, &mut Findings) + Send + Sync + 'static) -> Self {
        self.checks.push(Arc::new(check));
        self
    }

    /// What the model calls it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Holds data against the schema, then against each check.
    ///
    /// A text that is not itself taken by the schema is read as the JSON in it, because models often send one in place of the
    /// other. A text around that JSON is a warning; a JSON that was cut off or cannot be read is an error.
    #[must_use]
    pub fn validate(&self, data: &Value) -> Findings {
        let mut findings = Findings::default();
        let Some(text) = data.as_str().filter(|_| !self.takes(data)) else {
            self.hold(data, &mut findings);
            return findings;
        };
        match trim_to_json(text) {
            Ok(found) => {
                if found.was_trimmed() {
                    findings.warn("The data has text around its JSON, which was left out.");
                }
                self.hold(found.value(), &mut findings);
            }
            Err(TrimError::CutOff { .. }) => {
                findings.error("the data was cut off: it ends inside a JSON value");
            }
            Err(TrimError::Invalid { reason, .. }) => {
                findings.error(format!("the data cannot be read as JSON: {reason}"));
            }
            Err(TrimError::TooLarge { max_bytes }) => {
                findings.error(format!("the data has more than {max_bytes} bytes"));
            }
            Err(_) => self.hold(data, &mut findings),
        }
        findings
    }

    /// Whether the schema takes the data as it is.
    fn takes(&self, data: &Value) -> bool {
        self.schema
            .as_ref()
            .is_some_and(|schema| schema.is_valid(data))
    }

    fn hold(&self, data: &Value, findings: &mut Findings) {
        if let Some(schema) = &self.schema {
            let faults = schema.faults(data);
            for fault in &faults {
                findings.error(told(fault));
            }
            if faults.len() >= CompiledSchema::MAX_FAULTS {
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

/// A fault with its JSON pointer, which leads to the member even where that is missing or unknown.
fn told(fault: &Fault) -> String {
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
