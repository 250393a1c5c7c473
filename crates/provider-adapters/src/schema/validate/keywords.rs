//! Value types of JSON Schema keywords.

/// Value type of a keyword, in 2020-12 or draft 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Schema,
    /// One or more schemas.
    Schemas,
    /// One schema, or a list of schemas as in draft 7.
    SchemaOrList,
    /// Schemas by name.
    SchemasByName,
    /// Schemas by name pattern.
    SchemasByPattern,
    /// One type or several unique types.
    Type,
    /// Unique names.
    Names,
    /// Lists of unique names by name.
    NamesByName,
    /// Lists of names or schemas by name.
    Dependencies,
    String,
    Pattern,
    Number,
    Positive,
    Count,
    /// A number, or a boolean as in draft 4.
    Bound,
    Boolean,
    List,
    StringAnnotation,
    BooleanAnnotation,
    ListAnnotation,
}

/// Returns the value type of `keyword`, or `None` for an unknown keyword, which may have any value.
pub(super) fn value_kind(keyword: &str) -> Option<ValueKind> {
    let value_kind = match keyword {
        "type" => ValueKind::Type,
        "properties" | "$defs" | "definitions" | "dependentSchemas" => ValueKind::SchemasByName,
        "patternProperties" => ValueKind::SchemasByPattern,
        "required" => ValueKind::Names,
        "items" => ValueKind::SchemaOrList,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => ValueKind::Schemas,
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => ValueKind::Schema,
        "enum" => ValueKind::List,
        "pattern" => ValueKind::Pattern,
        "minimum" | "maximum" => ValueKind::Number,
        "exclusiveMinimum" | "exclusiveMaximum" => ValueKind::Bound,
        "multipleOf" => ValueKind::Positive,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => ValueKind::Count,
        "uniqueItems" => ValueKind::Boolean,
        "dependentRequired" => ValueKind::NamesByName,
        "dependencies" => ValueKind::Dependencies,
        "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$ref" | "$schema" | "format" => {
            ValueKind::String
        }
        "$comment" | "contentEncoding" | "contentMediaType" | "description" | "title" => {
            ValueKind::StringAnnotation
        }
        "deprecated" | "nullable" | "readOnly" | "writeOnly" => ValueKind::BooleanAnnotation,
        "examples" => ValueKind::ListAnnotation,
        _ => return None,
    };
    Some(value_kind)
}

/// Names of the JSON Schema types.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
