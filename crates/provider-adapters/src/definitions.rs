//! Parser for tool definitions in JSON.

use serde::de::DeserializeOwned;
use serde_json::Value;
use tool_core::{Hints, RiskLevel, ToolDefinition};

use crate::Object;

/// Keys of the input schema.
const SCHEMA_KEYS: [&str; 4] = ["input_schema", "inputSchema", "parameters", "schema"];

/// Keys of the output schema.
const OUTPUT_KEYS: [&str; 2] = ["output_schema", "outputSchema"];

/// Keys of the example arguments.
const EXAMPLE_KEYS: [&str; 2] = ["examples", "input_examples"];

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
/// and `risk`, `hints` and `annotations`.
///
/// Every tool has the risk [`Dangerous`](tool_core::RiskLevel::Dangerous), regardless of the risk,
/// hints and annotations in the JSON: claims of a foreign tool may raise its risk, but not lower it.
/// To lower it, call [`ToolDefinition::with_trusted_risk`] for each tool that you
/// reviewed, or use [`trusted_definitions_from_json`] for definitions that you wrote.
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
/// assert_eq!(definitions[0].risk(), tool_core::RiskLevel::Dangerous);
/// # Ok::<_, provider_adapters::DefinitionsError>(())
/// ```
pub fn definitions_from_json(text: &str) -> Result<Vec<ToolDefinition>, DefinitionsError> {
    // Without trust, a claim could only raise the risk, and it is the highest already.
    read(text, |_| (RiskLevel::Dangerous, UNKNOWN))
}

/// Like [`definitions_from_json`], but with the risk, hints and annotations in the JSON, because the
/// host vouches for them. Not for definitions from a server or a user.
///
/// `risk` and `hints` have the format of [`ToolDefinition::to_value`], `annotations` that of the
/// Model Context Protocol. If only some are present, the risk follows from the hints and the hints
/// follow from the risk. A tool without them is [`Dangerous`](tool_core::RiskLevel::Dangerous).
///
/// # Errors
/// Like [`definitions_from_json`].
///
/// # Examples
/// ```
/// use provider_adapters::trusted_definitions_from_json;
/// use tool_core::RiskLevel;
///
/// let text = r#"{"name": "now", "annotations": {"readOnlyHint": true}}"#;
/// let definitions = trusted_definitions_from_json(text)?;
/// assert_eq!(definitions[0].risk(), RiskLevel::ReadOnly);
/// # Ok::<_, provider_adapters::DefinitionsError>(())
/// ```
pub fn trusted_definitions_from_json(text: &str) -> Result<Vec<ToolDefinition>, DefinitionsError> {
    read(text, claims)
}

/// Returns the risk and the hints of an entry.
type Classify = fn(&Object) -> (RiskLevel, Hints);

fn read(text: &str, classify: Classify) -> Result<Vec<ToolDefinition>, DefinitionsError> {
    let text = text.trim_start_matches('\u{feff}');
    entries(text)?
        .iter()
        .enumerate()
        .map(|(index, entry)| definition(index, entry, classify))
        .collect()
}

fn entries(text: &str) -> Result<Vec<Value>, DefinitionsError> {
    let text = shallow(text);
    let values = serde_json::Deserializer::from_str(&text)
        .into_iter::<Value>()
        .collect::<Result<Vec<Value>, _>>()?;
    Ok(values
        .into_iter()
        .flat_map(|value| match value {
            Value::Array(entries) => entries,
            other => vec![other],
        })
        .collect())
}

/// Maximum number of levels to read. Exceeds the maximum depth of a schema including the objects around it, so that
/// conversion still detects a schema that is too deep.
const MAX_DEPTH: usize = 126;

/// Returns the text with null instead of arrays and objects below [`MAX_DEPTH`]. `serde_json` would reject the whole list of
/// definitions because of one schema that is too deep.
fn shallow(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for character in text.chars() {
        let opens = !is_string && matches!(character, '{' | '[');
        depth += usize::from(opens);
        if depth <= MAX_DEPTH {
            kept.push(character);
        } else if opens && depth == MAX_DEPTH + 1 {
            kept.push_str("null");
        }
        let closes = !is_string && matches!(character, '}' | ']');
        depth = depth.saturating_sub(usize::from(closes));
        is_string ^= character == '"' && !is_escaped;
        is_escaped = is_string && character == '\\' && !is_escaped;
    }
    kept
}

fn definition(
    index: usize,
    entry: &Value,
    classify: Classify,
) -> Result<ToolDefinition, DefinitionsError> {
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
    let (risk, hints) = classify(entry);
    let definition = ToolDefinition::new(name, description, schema)
        .with_risk(risk)
        .with_hints(hints);
    Ok(described(definition, entry))
}

fn schema_of(entry: &Object, keys: &[&str]) -> Option<Value> {
    let schema = keys.iter().find_map(|key| entry.get(*key))?;
    // Bedrock wraps the schema in `{"json": …}`, which is not a valid form of a schema.
    let schema = match schema.as_object() {
        Some(outer) if outer.len() == 1 => outer.get("json").unwrap_or(schema),
        _ => schema,
    };
    (!schema.is_null()).then(|| schema.clone())
}

/// Adds the optional members of `entry` to the definition.
fn described(mut definition: ToolDefinition, entry: &Object) -> ToolDefinition {
    if let Some(title) = text_of(entry, "title") {
        definition = definition.with_title(title);
    }
    if let Some(schema) = schema_of(entry, &OUTPUT_KEYS) {
        definition = definition.with_output_schema(schema);
    }
    let mut examples = EXAMPLE_KEYS
        .iter()
        .filter_map(|key| entry.get(*key)?.as_array());
    for example in examples.next().into_iter().flatten() {
        definition = definition.with_example(example.clone());
    }
    definition
}

fn text_of<'e>(entry: &'e Object, key: &str) -> Option<&'e str> {
    entry.get(key).and_then(Value::as_str)
}

/// Hints of a tool without trusted claims.
const UNKNOWN: Hints = Hints {
    read_only: false,
    destructive: true,
    idempotent: false,
    open_world: true,
};

/// Returns the risk and the hints that the entry claims. A missing risk follows from the hints,
/// missing hints follow from the risk.
fn claims(entry: &Object) -> (RiskLevel, Hints) {
    let hints = member(entry, "hints").or_else(|| entry.get("annotations").map(hints_of));
    match (member(entry, "risk"), hints) {
        (Some(risk), Some(hints)) => (risk, hints),
        (Some(risk), None) => (risk, Hints::of(risk)),
        (None, Some(hints)) => (risk_of(hints), hints),
        (None, None) => (RiskLevel::Dangerous, UNKNOWN),
    }
}

/// Reads annotations of the Model Context Protocol, which defines the value of each missing one.
fn hints_of(annotations: &Value) -> Hints {
    let hint = |name: &str, missing: bool| {
        let hint = annotations.get(name).and_then(Value::as_bool);
        hint.unwrap_or(missing)
    };
    Hints {
        read_only: hint("readOnlyHint", UNKNOWN.read_only),
        destructive: hint("destructiveHint", UNKNOWN.destructive),
        idempotent: hint("idempotentHint", UNKNOWN.idempotent),
        open_world: hint("openWorldHint", UNKNOWN.open_world),
    }
}

/// Returns the risk that follows from hints. The protocol ignores `destructive` on tools that only
/// read.
fn risk_of(hints: Hints) -> RiskLevel {
    match (hints.read_only, hints.destructive) {
        (true, _) => RiskLevel::ReadOnly,
        (false, false) => RiskLevel::SafeWrite,
        (false, true) => RiskLevel::Dangerous,
    }
}

fn member<T: DeserializeOwned>(entry: &Object, key: &str) -> Option<T> {
    serde_json::from_value(entry.get(key)?.clone()).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::Dialect;
    use tool_core::RiskLevel::{Dangerous, ReadOnly, SafeWrite};

    use super::*;
    use crate::Provider;

    fn foreign(schema: Value) -> ToolDefinition {
        ToolDefinition::new("f", "F", schema)
            .with_risk(tool_core::RiskLevel::Dangerous)
            .with_hints(UNKNOWN)
    }

    #[test]
    fn reads_every_schema_key() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        for key in SCHEMA_KEYS {
            let text = json!([{"name": "f", "description": "F", (key): schema}]).to_string();

            let definitions = definitions_from_json(&text).unwrap();

            assert_eq!(definitions, [foreign(schema.clone())], "{key}");
        }
    }

    #[test]
    fn reads_output_of_to_value() {
        let written = ToolDefinition::new("f", "F", json!({"type": "object"}))
            .with_title("The f")
            .with_risk(tool_core::RiskLevel::ReadOnly)
            .with_output_schema(json!({"type": "object"}));
        let text = written.to_value().to_string();

        let definitions = trusted_definitions_from_json(&text).unwrap();

        let hints = written.hints();
        assert_eq!(definitions, [written.with_hints(hints)]);
    }

    #[test]
    fn reads_bedrock_tool_spec() {
        let spec =
            json!({"name": "f", "description": "F", "inputSchema": {"json": {"type": "object"}}});

        let definitions = definitions_from_json(&json!({"toolSpec": spec}).to_string()).unwrap();

        assert_eq!(definitions, [foreign(json!({"type": "object"}))]);
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

    fn claims() -> [(Value, RiskLevel); 8] {
        let hints_of = |hints: Value| json!({"name": "f", "annotations": hints});
        let hints = json!(Hints::of(SafeWrite));
        [
            (json!({"name": "f"}), Dangerous),
            (hints_of(json!({})), Dangerous),
            (hints_of(json!({"destructiveHint": true})), Dangerous),
            (hints_of(json!({"destructiveHint": false})), SafeWrite),
            (hints_of(json!({"readOnlyHint": true})), ReadOnly),
            (json!({"name": "f", "risk": "read_only"}), ReadOnly),
            (json!({"name": "f", "risk": "harmless"}), Dangerous),
            (json!({"name": "f", "hints": hints}), SafeWrite),
        ]
    }

    #[test]
    fn claims_do_not_lower_risk_of_foreign_tools() {
        for (entry, _) in claims() {
            let definition = definitions_from_json(&entry.to_string()).unwrap().remove(0);

            assert_eq!(definition.risk(), Dangerous, "{entry}");
            assert_eq!(definition.hints(), UNKNOWN, "{entry}");
        }
    }

    #[test]
    fn claims_of_trusted_tools_set_risk() {
        for (entry, risk) in claims() {
            let text = entry.to_string();
            let definition = trusted_definitions_from_json(&text).unwrap().remove(0);

            assert_eq!(definition.risk(), risk, "{entry}");
            let read_only = risk == ReadOnly;
            assert_eq!(definition.hints().read_only, read_only, "{entry}");
        }
    }

    #[test]
    fn host_lowers_risk_of_single_tool() {
        let foreign = definitions_from_json(r#"{"name": "f"}"#).unwrap().remove(0);

        let reviewed = foreign.with_trusted_risk(ReadOnly);

        assert_eq!(reviewed.risk(), ReadOnly);
        assert!(reviewed.hints().read_only && reviewed.hints().open_world);
    }
}
