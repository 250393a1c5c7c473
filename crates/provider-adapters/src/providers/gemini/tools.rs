//! Conversion of definitions with complete JSON Schemas, or to a subset of `OpenAPI` schemas.

use serde_json::{Value, json};
use tool_core::LossKind;

use crate::schema::{self, Losses};
use crate::wire::{Body, Draft, SourceTool, WireChoice, WireTool, tools_beside};
use crate::{Object, StrictMode};

/// Keywords that `parametersJsonSchema` supports.
const KNOWN: [&str; 18] = [
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "oneOf",
    "prefixItems",
    "properties",
    "propertyOrdering",
    "required",
    "type",
];

pub(crate) fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let schema = json_schema(source.definition.input_schema(), losses)?;
    Ok(declaration(source, "parametersJsonSchema", schema))
}

/// Creates a function declaration. Omits an empty schema, because Gemini rejects it.
fn declaration(source: SourceTool<'_>, key: &str, schema: Value) -> WireTool {
    let mut function = Object::new();
    function.insert("name".to_owned(), source.wire.into());
    // Gemini rejects a missing description, but accepts an empty one.
    let description = source.definition.description().into();
    function.insert("description".to_owned(), description);
    if !is_empty(&schema) {
        function.insert(key.to_owned(), without_empty_properties(schema));
    }
    WireTool::plain(function)
}

/// Removes empty `properties`, because Gemini rejects them.
fn without_empty_properties(mut schema: Value) -> Value {
    if let (true, Value::Object(root)) = (has_no_properties(&schema), &mut schema) {
        root.shift_remove("properties");
    }
    schema
}

fn is_empty(schema: &Value) -> bool {
    let rest = schema.get("additionalProperties");
    let takes_any = rest.is_some_and(|rest| rest.is_object() || *rest == Value::Bool(true));
    has_no_properties(schema) && !takes_any
}

fn has_no_properties(schema: &Value) -> bool {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .is_none_or(Object::is_empty)
}

fn json_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::hoist(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    schema::merge_all_of(&mut schema, losses);
    // Gemini accepts a cyclic reference only through an optional property.
    schema::relax_recursion(&mut schema, losses);
    schema::outer_first(&mut schema, &mut |object| {
        schema::drop_conditions(object, losses);
    });
    schema::inner_first(&mut schema, &mut |object| {
        schema::drop_impossible(object, losses);
        schema::bound_tuple(object);
        schema::describe_values(object, is_sendable, losses);
        schema::const_to_enum(object);
        schema::include_bounds(object);
        schema::keep_only(object, &KNOWN, losses);
        // Next to `$ref`, only keywords that begin with `$` are allowed.
        schema::isolate_reference(object, losses);
        schema::null_value_to_branch(object);
        schema::require_known(object, losses);
        schema::order_known(object);
    });
    Ok(schema::unmark(schema))
}

/// Returns `true` if the value may be sent in `enum`. Null becomes a separate alternative.
fn is_sendable(value: &Value) -> bool {
    value.is_string() || value.is_number() || value.is_null()
}

/// Returns the tool choice. There is no switch for parallel calls.
pub(crate) fn request(draft: &mut Draft<'_>) -> Object {
    let calling = match &draft.choice {
        // The `ANY` mode always enforces the schemas.
        WireChoice::Auto if draft.options.strict == StrictMode::On => json!({"mode": "VALIDATED"}),
        WireChoice::Auto => json!({"mode": "AUTO"}),
        WireChoice::None => json!({"mode": "NONE"}),
        WireChoice::Required => json!({"mode": "ANY"}),
        WireChoice::Named(names) => json!({"mode": "ANY", "allowedFunctionNames": names}),
    };
    let calling = json!({"functionCallingConfig": calling});
    draft.record_parallel_loss();
    crate::wire::member("toolConfig", calling)
}

/// Returns the members with all functions in one tool.
pub(super) fn body(functions: Vec<Value>, extra: Object) -> Body {
    let functions = Value::Array(functions);
    // The API expects the declarations of all functions in one tool.
    let tool = crate::wire::member("functionDeclarations", functions);
    tools_beside(vec![tool.into()], extra)
}

/// Keywords that `parameters` supports.
const OPENAPI_KNOWN: [&str; 21] = [
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

pub(crate) fn openapi_tool(
    source: SourceTool<'_>,
    losses: &mut Losses,
) -> Result<WireTool, String> {
    let schema = source.definition.input_schema();
    let schema = openapi_schema(schema, losses)?;
    record_open_root(&source, &schema, losses);
    Ok(declaration(source, "parameters", schema))
}

/// Records a loss if the root allows any keys, which the format cannot express.
fn record_open_root(source: &SourceTool<'_>, sent: &Value, losses: &mut Losses) {
    let rest = source.definition.input_schema().get("additionalProperties");
    if has_no_properties(sent) && rest == Some(&Value::Bool(true)) {
        let keyword = "additionalProperties";
        let detail = "the provider does not support additional properties; no parameters are sent";
        losses.add(format!("/{keyword}"), keyword, LossKind::Dropped, detail);
    }
}

fn openapi_schema(given: &Value, losses: &mut Losses) -> Result<Value, String> {
    let mut schema = schema::modernized(given);
    schema::inline(&mut schema, losses)?;
    schema::root_object(&mut schema, losses)?;
    schema::merge_all_of(&mut schema, losses);
    schema::merge_alternatives(&mut schema, losses);
    // First in the whole schema, because an alternative can become a part of the schema around it.
    schema::outer_first(&mut schema, &mut |object| {
        schema::weaken_one_of(object, losses);
    });
    schema::outer_first(&mut schema, &mut |object| {
        schema::drop_conditions(object, losses);
        schema::drop_impossible(object, losses);
        schema::type_into_branches(object);
        schema::null_branch_to_nullable(object, losses);
        // Again, because the only alternative besides null may have alternatives itself.
        schema::type_into_branches(object);
        schema::null_to_nullable(object, losses);
        schema::flatten_tuple(object, losses);
        schema::bound_tuple(object);
        schema::describe_values(object, is_openapi_sendable, losses);
        schema::const_to_enum(object);
        schema::type_of_values(object);
        schema::require_items(object);
    });
    schema::inner_first(&mut schema, &mut |object| {
        // Each schema has exactly one type here, and null is `nullable`.
        schema::single_type(object);
        describe_foreign_values(object, losses);
        schema::include_bounds(object);
        describe_format(object, losses);
        drop_map(object, losses);
        schema::keep_only(object, &OPENAPI_KNOWN, losses);
        schema::infer_type(object, losses);
        // The API rejects everything next to `anyOf` except `description` and `nullable`.
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
fn is_openapi_sendable(value: &Value) -> bool {
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
    let rest = object.get("additionalProperties");
    if rest.is_some_and(Value::is_object) {
        // Only Vertex has this field. The Gemini API rejects the request.
        object.shift_remove("additionalProperties");
        let detail = "the provider does not support additional properties";
        losses.add_at(object, "additionalProperties", LossKind::Dropped, detail);
    }
}

#[cfg(test)]
mod tests;
