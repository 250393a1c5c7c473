//! Value types of JSON Schema keywords.

/// Value type of a keyword, in 2020-12 or draft 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Schema,
    /// One or more schemas.
    Schemas,
    /// One schema, or a list of schemas as in draft 7.
    SchemaOrList,
    /// Schemas by name.
    Named,
    /// Schemas by name pattern.
    ByPattern,
    /// One type or several unique types.
    Type,
    /// Unique names.
    Names,
    /// Lists of unique names by name.
    NamesByName,
    /// Lists of names or schemas by name.
    Dependencies,
    Text,
    Pattern,
    Number,
    Positive,
    Count,
    /// A number, or a boolean as in draft 4.
    Bound,
    Flag,
    List,
    /// String annotation.
    Note,
    /// Boolean annotation.
    Mark,
    /// List annotation.
    Samples,
}

/// Returns the value type of `keyword`, or `None` for an unknown keyword, which may have any value.
pub(super) fn wants(keyword: &str) -> Option<Wants> {
    let wants = match keyword {
        "type" => Wants::Type,
        "properties" | "$defs" | "definitions" | "dependentSchemas" => Wants::Named,
        "patternProperties" => Wants::ByPattern,
        "required" => Wants::Names,
        "items" => Wants::SchemaOrList,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Wants::Schemas,
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
        | "unevaluatedProperties" => Wants::Schema,
        "enum" => Wants::List,
        "pattern" => Wants::Pattern,
        "minimum" | "maximum" => Wants::Number,
        "exclusiveMinimum" | "exclusiveMaximum" => Wants::Bound,
        "multipleOf" => Wants::Positive,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => Wants::Count,
        "uniqueItems" => Wants::Flag,
        "dependentRequired" => Wants::NamesByName,
        "dependencies" => Wants::Dependencies,
        "$anchor" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$ref" | "$schema" | "format" => {
            Wants::Text
        }
        "$comment" | "contentEncoding" | "contentMediaType" | "description" | "title" => {
            Wants::Note
        }
        "deprecated" | "nullable" | "readOnly" | "writeOnly" => Wants::Mark,
        "examples" => Wants::Samples,
        _ => return None,
    };
    Some(wants)
}

/// Names of the JSON Schema types.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
