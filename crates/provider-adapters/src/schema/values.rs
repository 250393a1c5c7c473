//! Fixed values: `const` and `enum`.

use serde_json::{Map, Value, json};

use super::Losses;
use super::describe::describe;

/// Says `const` as an `enum` of one value.
pub(crate) fn const_to_enum(object: &mut Map<String, Value>) {
    if let Some(value) = object.remove("const") {
        object.insert("enum".to_owned(), json!([value]));
    }
}

/// Moves an `enum` that holds other values than `allowed` into the description, with a loss.
///
/// The type stays; where none was given it is that of the values, if they have one in common.
pub(crate) fn describe_values(
    object: &mut Map<String, Value>,
    allowed: fn(&Value) -> bool,
    losses: &mut Losses,
) {
    let Some(Value::Array(values)) = object.get("enum") else {
        return;
    };
    if values.iter().all(allowed) {
        return;
    }
    if !object.contains_key("type") {
        let kinds = kinds_of(values);
        object.extend(kinds.map(|kind| ("type".to_owned(), kind)));
    }
    describe(object, &["enum"], losses);
}

/// Gives an `enum` without a type the type of its values.
pub(crate) fn type_of_values(object: &mut Map<String, Value>) {
    if let (false, Some(Value::Array(values))) = (object.contains_key("type"), object.get("enum")) {
        let kinds = kinds_of(values);
        object.extend(kinds.map(|kind| ("type".to_owned(), kind)));
    }
}

fn kinds_of(values: &[Value]) -> Option<Value> {
    let mut kinds: Vec<Value> = Vec::new();
    for value in values {
        let kind = Value::from(kind_of(value));
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    match <[Value; 1]>::try_from(kinds) {
        Ok([only]) => Some(only),
        Err(kinds) if kinds.is_empty() => None,
        Err(kinds) => Some(Value::Array(kinds)),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::{mark, unmark};
    use super::*;

    #[test]
    fn values_that_are_not_allowed_go_into_the_description() {
        for (schema, expected, losses) in [
            (json!({"enum": ["a"]}), json!({"enum": ["a"]}), 0),
            (
                json!({"enum": [1, 2]}),
                json!({"type": "integer", "description": "One of 1, 2."}),
                1,
            ),
        ] {
            let mut changed = mark(&schema);
            let mut recorded = Losses::new("f");

            describe_values(
                changed.as_object_mut().unwrap(),
                Value::is_string,
                &mut recorded,
            );

            assert_eq!(unmark(changed), expected);
            assert_eq!(recorded.into_list().len(), losses);
        }
    }

    #[test]
    fn a_constant_is_an_enum_of_one() {
        let mut schema = json!({"const": "a"});

        const_to_enum(schema.as_object_mut().unwrap());
        type_of_values(schema.as_object_mut().unwrap());

        assert_eq!(schema, json!({"type": "string", "enum": ["a"]}));
    }
}
