//! What JSON Schema asks of the value of each keyword.

/// What the value of a keyword has to be, in 2020-12 or in draft 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Schema,
    /// One or more schemas.
    Schemas,
    /// One schema, or a list of them as draft 7 has it.
    SchemaOrList,
    /// Schemas by name.
    Named,
    /// Schemas by the pattern of a name.
    ByPattern,
    /// A type, or several different ones.
    Type,
    /// Different names.
    Names,
    /// Lists of different names by name.
    NamesByName,
    /// Lists of names or schemas by name.
    Dependencies,
    Text,
    Pattern,
    Number,
    Positive,
    Count,
    /// A number, or a flag as draft 4 has it.
    Bound,
    Flag,
    List,
    /// A text for people, which rules nothing.
    Note,
    /// A flag for people, which rules nothing.
    Mark,
    /// A list for people, which rules nothing.
    Samples,
}

/// What `keyword` asks for; a keyword that is not known may hold anything.
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

/// The names of types.
pub(super) const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];
