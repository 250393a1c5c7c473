//! Parser for tool definitions in JSON.

mod shallow;

use serde_json::{Map, Value};
use tool_core::{Hints, ToolDefinition};

use shallow::Shallow;

/// Keys of the input schema.
const SCHEMA_KEYS: [&str; 4] = ["input_schema", "inputSchema", "parameters", "schema"];

/// Keys of the output schema.
const OUTPUT_KEYS: [&str; 2] = ["output_schema", "outputSchema"];

/// Keys of the example arguments.
const EXAMPLE_KEYS: [&str; 2] = ["examples", "input_examples"];

/// Hints of a tool that has neither `risk` nor `hints`.
const UNKNOWN: Hints = Hints {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// Error returned when tool definitions cannot be read.
///
/// # Examples
/// ```
/// use provider_adapters::definitions_from_json;
///
/// let error = definitions_from_json(r#"[{"description": "no name"}]"#).unwrap_err();
/// assert_eq!(error.to_string(), "definition 0 has no string `name`");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionsError {
    /// The input is neither a JSON array nor JSON Lines.
    #[error("the definitions are neither a JSON array nor one JSON object per line: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The entry with this index, counted from 0, is not an object.
    #[error("definition {0} is not an object")]
    NotAnObject(usize),
    /// The entry with this index, counted from 0, has no name.
    #[error("definition {0} has no string `name`")]
    NoName(usize),
}

/// Reads definitions from a JSON array or from JSON Lines.
///
/// Each entry has the form `{name, description, input_schema}`. The schema may also be named
/// `inputSchema`, `parameters` or `schema`, and the entry may be wrapped in
/// `{type: "function", function: {…}}` or `{toolSpec: {…}}`. A tool without a schema has no
/// parameters.
///
/// Optional members are `title`, `output_schema` or `outputSchema`, `examples` or `input_examples`,
/// and `risk` and `hints` in the format of [`ToolDefinition::to_value`]. `annotations` are not
/// trusted and therefore ignored. A tool with neither `risk` nor `hints` is treated as destructive
/// and open-world.
///
/// A schema that is nested too deeply for any provider is read incompletely. Conversion rejects its
/// tool and no others. Join paginated lists (`nextCursor` of the Model Context Protocol) before
/// calling this function.
///
/// # Errors
/// Returns [`DefinitionsError`] if the input is not JSON, an entry is not an object, or an entry
/// has no string `name`.
///
/// # Examples
/// ```
/// use provider_adapters::definitions_from_json;
///
/// let text = r#"{"name": "a", "description": "A", "schema": {"type": "object"}}
/// {"type": "function", "function": {"name": "b", "parameters": {"type": "object"}}}"#;
/// let definitions = definitions_from_json(text)?;
/// assert_eq!((definitions[0].name(), definitions[1].name()), ("a", "b"));
/// # Ok::<_, provider_adapters::DefinitionsError>(())
/// ```
pub fn definitions_from_json(text: &str) -> Result<Vec<ToolDefinition>, DefinitionsError> {
    let text = text.trim_start_matches('\u{feff}');
    entries(text)?
        .iter()
        .enumerate()
        .map(|(index, entry)| definition(index, entry))
        .collect()
}

fn entries(text: &str) -> Result<Vec<Value>, DefinitionsError> {
    let values = serde_json::Deserializer::from_str(text)
        .into_iter::<Shallow>()
        .collect::<Result<Vec<Shallow>, _>>()?;
    Ok(values
        .into_iter()
        .flat_map(|value| match value.0 {
            Value::Array(entries) => entries,
            other => vec![other],
        })
        .collect())
}

fn definition(index: usize, entry: &Value) -> Result<ToolDefinition, DefinitionsError> {
    let outer = entry
        .as_object()
        .ok_or(DefinitionsError::NotAnObject(index))?;
    let enclosed = ["function", "toolSpec"]
        .iter()
        .find_map(|key| outer.get(*key).and_then(Value::as_object));
    let entry = enclosed.unwrap_or(outer);
    let name = text_of(entry, "name").ok_or(DefinitionsError::NoName(index))?;
    let schema = schema_of(entry, &SCHEMA_KEYS)
        .unwrap_or_else(|| serde_json::json!({"type": "object", "properties": {}}));
    let description = text_of(entry, "description").unwrap_or_default();
    Ok(described(
        ToolDefinition::new(name, description, schema),
        entry,
    ))
}

fn schema_of(entry: &Map<String, Value>, keys: &[&str]) -> Option<Value> {
    let schema = keys.iter().find_map(|key| entry.get(*key))?;
    // Bedrock wraps the schema in `{"json": …}`, which is not a valid form of a schema.
    let schema = match schema
        .as_object()
        .map(|schema| (schema.len(), schema.get("json")))
    {
        Some((1, Some(inner))) => inner,
        _ => schema,
    };
    (!schema.is_null()).then(|| schema.clone())
}

/// Adds the optional members of `entry` to the definition.
fn described(mut definition: ToolDefinition, entry: &Map<String, Value>) -> ToolDefinition {
    if let Some(title) = text_of(entry, "title") {
        definition = definition.with_title(title);
    }
    if let Some(schema) = schema_of(entry, &OUTPUT_KEYS) {
        definition = definition.with_output_schema(schema);
    }
    if let Some(risk) = read(entry, "risk") {
        definition = definition.with_risk(risk);
    }
    match read(entry, "hints") {
        Some(hints) => definition = definition.with_hints(hints),
        None if !entry.contains_key("risk") => definition = definition.with_hints(UNKNOWN),
        None => {}
    }
    let examples = EXAMPLE_KEYS
        .iter()
        .find_map(|key| entry.get(*key).and_then(Value::as_array));
    examples
        .into_iter()
        .flatten()
        .fold(definition, |definition, example| {
            definition.with_example(example.clone())
        })
}

fn read<T: serde::de::DeserializeOwned>(entry: &Map<String, Value>, key: &str) -> Option<T> {
    serde_json::from_value(entry.get(key)?.clone()).ok()
}

fn text_of<'e>(entry: &'e Map<String, Value>, key: &str) -> Option<&'e str> {
    entry.get(key).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::Dialect;

    use crate::Provider;

    use super::*;

    #[test]
    fn reads_every_schema_key() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        for key in SCHEMA_KEYS {
            let text = json!([{"name": "f", "description": "F", (key): schema}]).to_string();

            let definitions = definitions_from_json(&text).unwrap();

            assert_eq!(
                definitions,
                [ToolDefinition::new("f", "F", schema.clone()).with_hints(UNKNOWN)],
                "{key}"
            );
        }
    }

    #[test]
    fn reads_output_of_to_value() {
        let written = ToolDefinition::new("f", "F", json!({"type": "object"}))
            .with_title("The f")
            .with_risk(tool_core::RiskLevel::Dangerous)
            .with_output_schema(json!({"type": "object"}));
        let text = written.to_value().to_string();

        let definitions = definitions_from_json(&text).unwrap();

        let hints = written.hints();
        assert_eq!(definitions, [written.with_hints(hints)]);
    }

    #[test]
    fn reads_bedrock_tool_spec() {
        let spec =
            json!({"name": "f", "description": "F", "inputSchema": {"json": {"type": "object"}}});

        let definitions = definitions_from_json(&json!({"toolSpec": spec}).to_string()).unwrap();

        assert_eq!(
            definitions,
            [ToolDefinition::new("f", "F", json!({"type": "object"})).with_hints(UNKNOWN)]
        );
    }

    #[test]
    fn assumes_destructive_hints_without_risk() {
        let read = |entry: Value| definitions_from_json(&entry.to_string()).unwrap()[0].hints();

        let annotated = json!({"name": "f", "annotations": {"readOnlyHint": true}});

        assert_eq!(read(annotated), UNKNOWN);
        assert_eq!(
            read(json!({"name": "f", "risk": "read_only"})),
            Hints::of(tool_core::RiskLevel::ReadOnly)
        );
    }

    #[test]
    fn rejects_only_tools_nested_too_deeply() {
        let open = "{\"type\":\"object\",\"properties\":{\"a\":";
        for levels in [63, 100, 5_000] {
            let deep = format!("{}{{}}{}", open.repeat(levels), "}}".repeat(levels));
            for around in [
                "{\"name\":\"deep\",\"schema\":SCHEMA}",
                "{\"toolSpec\":{\"name\":\"deep\",\"inputSchema\":{\"json\":SCHEMA}}}",
            ] {
                let entry = around.replace("SCHEMA", &deep);
                let text = format!("[{{\"name\":\"good\"}},{entry},{{\"name\":\"also_good\"}}]");

                let definitions = definitions_from_json(&text).unwrap();
                let converted = Provider::OpenAi.convert(&definitions);

                let sent: Vec<&str> = converted.names.values().map(String::as_str).collect();
                assert_eq!(sent, ["also_good", "good"]);
                assert_eq!(converted.refused.len(), 1);
                assert_eq!(
                    converted.refused[0].reason,
                    "the schema is nested deeper than 120 levels"
                );
            }
        }
    }

    #[test]
    fn reads_json_lines_like_json_array() {
        let array = definitions_from_json(r#"[{"name":"a"},{"name":"b"}]"#).unwrap();
        let lines =
            definitions_from_json("\u{feff}{\"name\":\"a\"}\r\n\n{\"name\":\"b\"}\n").unwrap();

        assert_eq!(array, lines);
    }

    #[test]
    fn error_names_invalid_entry() {
        for (text, message) in [
            ("[{\"name\":\"a\"},3]", "definition 1 is not an object"),
            ("{\"name\":3}", "definition 0 has no string `name`"),
        ] {
            assert_eq!(
                definitions_from_json(text).unwrap_err().to_string(),
                message
            );
        }
        assert!(matches!(
            definitions_from_json("{"),
            Err(DefinitionsError::NotJson(_))
        ));
    }
}
