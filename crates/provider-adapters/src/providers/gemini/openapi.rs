//! Conversion of definitions to a subset of `OpenAPI` schemas.

use serde_json::Value;
use tool_core::LossKind;

use super::tools::{declaration, has_no_properties};
use crate::Object;
use crate::schema::{self, Losses};
use crate::wire::{SourceTool, WireTool};

/// Keywords that `parameters` supports.
const KNOWN: [&str; 21] = [
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
    "type",
];

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let schema = source.definition.input_schema();
    let schema = openapi_schema(schema, losses)?;
    record_open_root(&source, &schema, losses);
    Ok(declaration(source, "parameters", schema))
}

/// Records a loss if the root allows any keys, which the format cannot express.
fn record_open_root(source: &SourceTool<'_>, sent: &Value, losses: &mut Losses) {
    let rest = source.definition.input_schema().get("additionalProperties");
    if has_no_properties(sent) && rest == Some(&Value::Bool(true)) {
        let detail = "the provider does not support additional properties; no parameters are sent";
        losses.add(
            "/additionalProperties",
            "additionalProperties",
            LossKind::Dropped,
            detail,
        );
    }
}

fn openapi_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::inline(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    schema::merge_all_of(&mut schema, losses);
    schema::merge_alternatives(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::drop_conditions(object, losses);
        schema::drop_impossible(object, losses);
        schema::weaken_one_of(object, losses);
        schema::type_into_branches(object);
        schema::null_branch_to_nullable(object, losses);
        schema::null_to_nullable(object, losses);
        schema::flatten_tuple(object, losses);
        schema::bound_tuple(object);
        schema::describe_values(object, is_sendable, losses);
        schema::const_to_enum(object);
        schema::type_of_values(object);
        schema::require_items(object);
    });
    schema::inner_first(&mut schema, &mut |object| {
        schema::single_type(object);
        describe_foreign_values(object, losses);
        schema::include_bounds(object);
        describe_format(object, losses);
        drop_map(object, losses);
        schema::keep_only(object, &KNOWN, losses);
        schema::infer_type(object, losses);
        schema::clear_beside_any_of(object, losses);
        schema::require_known(object, losses);
        schema::order_known(object);
    });
    if let Value::Object(root) = &mut schema {
        drop_empty_properties(root, losses);
    }
    Ok(schema::unmark(schema))
}

/// Removes empty `properties` below the root, because Gemini rejects them.
fn drop_empty_properties(root: &mut Object, losses: &mut Losses) {
    schema::for_each_child_mut(root, &mut |child| {
        schema::inner_first(child, &mut |object| {
            let properties = object.get("properties").and_then(Value::as_object);
            if properties.is_some_and(Object::is_empty) {
                object.shift_remove("properties");
                let detail = "the provider rejects empty `properties`";
                losses.add_at(object, "properties", LossKind::Dropped, detail);
            }
        });
    });
}

/// Returns `true` if the value may be sent in `enum`. Null becomes `nullable`, and Gemini rejects
/// empty strings.
fn is_sendable(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| !text.is_empty())
}

/// Moves `enum` to the description if the type is not a string, because Gemini supports only string
/// values.
fn describe_foreign_values(object: &mut Object, losses: &mut Losses) {
    if object.get("type").is_some_and(|kind| kind != "string") {
        schema::describe(object, &["enum"], losses);
    }
}

fn describe_format(object: &mut Object, losses: &mut Losses) {
    let known: &[&str] = match object.get("type").and_then(Value::as_str) {
        Some("string") => &["date-time"],
        Some("integer") => &["int32", "int64"],
        Some("number") => &["float", "double"],
        _ => &[],
    };
    schema::describe_format(object, known, losses);
}

fn drop_map(object: &mut Object, losses: &mut Losses) {
    if object
        .get("additionalProperties")
        .is_some_and(Value::is_object)
    {
        // Only Vertex has this field. The Gemini API rejects the request.
        object.shift_remove("additionalProperties");
        let detail = "the provider does not support additional properties";
        losses.add_at(object, "additionalProperties", LossKind::Dropped, detail);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn describes_enum_values_of_other_types() {
        let given =
            json!({"type": "object", "properties": {"a": {"type": "integer", "enum": ["x"]}}});
        let mut losses = Losses::new("f");

        let schema = openapi_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema["properties"]["a"],
            json!({"type": "integer", "description": "One of \"x\"."})
        );
        assert!(losses.only_described() && losses.distinct().len() == 1);
    }

    #[test]
    fn nested_objects_have_no_empty_properties() {
        let empty = json!({"type": "object", "properties": {}});
        let given = json!({
            "type": "object",
            "properties": {"a": empty, "b": {"type": "array", "items": empty}, "properties": empty},
        });
        let mut losses = Losses::new("f");

        let schema = openapi_schema(&given, &mut losses).unwrap();

        let object = json!({"type": "object"});
        assert_eq!(
            schema["properties"],
            json!({"a": object, "b": {"type": "array", "items": object}, "properties": object})
        );
        let places: Vec<String> = losses
            .distinct()
            .into_iter()
            .map(|loss| loss.pointer)
            .collect();
        let expected = ["/a", "/b/items", "/properties"];
        assert_eq!(
            places,
            expected.map(|place| format!("/properties{place}/properties"))
        );
    }

    #[test]
    fn schema_has_only_openapi_keywords() {
        let given = json!({
            "type": "object",
            "properties": {
                "unit": {"$ref": "#/$defs/Unit"},
                "at": {"type": ["string", "null"], "format": "date"},
                "level": {"type": "integer", "enum": [1, 2]},
                "value": {"type": ["string", "integer"]},
            },
            "required": ["unit"],
            "$defs": {"Unit": {"oneOf": [{"const": "C", "description": "Celsius"}, {"const": "F"}]}},
        });
        let mut losses = Losses::new("f");

        let schema = openapi_schema(&given, &mut losses).unwrap();

        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "unit": {"anyOf": [
                        {"type": "string", "enum": ["C"], "description": "Celsius"},
                        {"type": "string", "enum": ["F"]},
                    ]},
                    "at": {"type": "string", "nullable": true, "description": "Format: date."},
                    "level": {"type": "integer", "description": "One of 1, 2."},
                    "value": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                },
                "required": ["unit"],
            })
        );
        let keywords: Vec<String> = losses
            .distinct()
            .into_iter()
            .map(|loss| loss.keyword)
            .collect();
        assert_eq!(keywords, ["oneOf", "enum", "format"]);
    }
}
