//! Definitions of tools as listed.

use serde_json::{Map, Value, json};

use super::Listed;
use crate::client::risk::ToolClaims;
use crate::hygiene;

/// Maximum length of a description and a title in characters.
pub(super) const MAX_DESCRIPTION: usize = 2_048;
const MAX_TITLE: usize = 100;

/// Maximum size and depth of a schema.
const MAX_SCHEMA: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;

/// Returns the name of a tool, or a placeholder for reports.
pub(super) fn name_of(tool: &Value) -> String {
    let name = tool.get("name").and_then(Value::as_str);
    name.map_or_else(
        || "(no name)".to_owned(),
        |name| hygiene::clean(name, 256).text,
    )
}

/// Reads a tool. `budget` is the remaining length of all descriptions in characters.
///
/// # Errors
/// Returns the reason why the tool is omitted.
pub(super) fn parse(
    tool: Value,
    budget: &mut usize,
    warnings: &mut Vec<String>,
) -> Result<Listed, String> {
    let Value::Object(mut tool) = tool else {
        return Err(format!("it is {}, not an object", kind(&tool)));
    };
    let Some(Value::String(name)) = tool.remove("name") else {
        return Err("it has no name".to_owned());
    };
    let mut reports = Reports {
        tool: &name,
        warnings,
        hidden: 0,
    };
    let input_schema = input_schema(tool.remove("inputSchema"), &mut reports)?;
    let output_schema = output_schema(tool.remove("outputSchema"), &mut reports);
    let title = title(&mut tool).map(|title| reports.clean("title", &title, MAX_TITLE));
    let description = match tool.remove("description") {
        Some(Value::String(text)) => {
            reports.clean("description", &text, MAX_DESCRIPTION.min(*budget))
        }
        _ => String::new(),
    };
    *budget = budget.saturating_sub(description.chars().count());
    let hidden = reports.hidden;
    let claims = ToolClaims::of(tool.get("annotations"));
    Ok(Listed {
        name,
        title,
        description,
        input_schema,
        output_schema,
        claims,
        hidden,
    })
}

fn title(tool: &mut Map<String, Value>) -> Option<String> {
    let own = tool.remove("title");
    let title = own.or_else(|| tool.get("annotations")?.get("title").cloned());
    title?.as_str().map(str::to_owned)
}

fn input_schema(schema: Option<Value>, reports: &mut Reports<'_>) -> Result<Value, String> {
    let mut schema = match schema {
        None => return Err("it has no inputSchema".to_owned()),
        Some(Value::Object(schema)) => schema,
        Some(other) => {
            return Err(format!(
                "its inputSchema is {}, not an object",
                kind(&other)
            ));
        }
    };
    for absent in ["required", "properties"] {
        if schema.get(absent).is_some_and(Value::is_null) {
            schema.shift_remove(absent);
            reports.warn(&format!(
                "`{absent}` of the inputSchema is null and is ignored"
            ));
        }
    }
    match schema.get("type") {
        None => {
            schema.insert("type".to_owned(), json!("object"));
            reports.warn("the inputSchema has no type and is treated as an object");
        }
        Some(Value::String(kind)) if kind == "object" => {}
        Some(other) => {
            return Err(format!(
                "its inputSchema has the type {other}, not \"object\""
            ));
        }
    }
    checked(Value::Object(schema), "inputSchema", reports)
}

fn output_schema(schema: Option<Value>, reports: &mut Reports<'_>) -> Option<Value> {
    let schema = schema.filter(Value::is_object)?;
    match checked(schema, "outputSchema", reports) {
        Ok(schema) => Some(schema),
        Err(reason) => {
            reports.warn(&format!("{reason}; it is ignored"));
            None
        }
    }
}

/// Checks size and depth of a schema, and cleans its descriptions.
fn checked(mut schema: Value, label: &str, reports: &mut Reports<'_>) -> Result<Value, String> {
    if depth(&schema) > MAX_DEPTH {
        return Err(format!("its {label} has more than {MAX_DEPTH} levels"));
    }
    if schema.to_string().len() > MAX_SCHEMA {
        return Err(format!(
            "its {label} has more than {} KiB",
            MAX_SCHEMA / 1024
        ));
    }
    let hidden = |path| format!("its {label} has hidden characters in a name or value at `{path}`");
    let changed = hygiene::clean_schema(&mut schema).map_err(hidden)?;
    if changed > 0 {
        reports.warn(&format!(
            "{changed} descriptions of the {label} were cleaned or truncated"
        ));
    }
    Ok(schema)
}

/// Depth of a value. Parsed messages have at most 128 levels.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or_default()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Warnings about one tool.
struct Reports<'r> {
    tool: &'r str,
    warnings: &'r mut Vec<String>,
    /// Number of removed hidden characters.
    hidden: usize,
}

impl Reports<'_> {
    fn warn(&mut self, warning: &str) {
        self.warnings
            .push(format!("The tool \"{}\": {warning}.", self.tool));
    }

    fn clean(&mut self, label: &str, text: &str, limit: usize) -> String {
        let cleaned = hygiene::clean(text, limit);
        self.hidden += cleaned.hidden;
        if cleaned.hidden > 0 {
            self.warn(&format!(
                "{} hidden characters of the {label} were removed",
                cleaned.hidden
            ));
        }
        if cleaned.cut > 0 {
            self.warn(&format!(
                "the {label} was truncated by {} characters",
                cleaned.cut
            ));
        }
        cleaned.text
    }
}
