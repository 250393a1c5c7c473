//! Keywords without a provider equivalent, moved to the description.

use serde_json::Value;
use tool_core::LossKind;

use super::Losses;
use super::origin::{pointer_of, unmark};
use crate::Object;

/// Maximum characters of one sentence. Longer rules are dropped, because every request contains the
/// description.
const MAX_CHARS: usize = 300;

/// Moves keywords to the description, each with a loss.
pub(crate) fn describe(schema: &mut Object, keywords: &[&str], losses: &mut Losses) {
    for keyword in keywords {
        if let Some(value) = schema.shift_remove(*keyword) {
            describe_one(schema, keyword, value, losses);
        }
    }
}

fn describe_one(schema: &mut Object, keyword: &str, value: Value, losses: &mut Losses) {
    let pointer = pointer_of(schema, keyword);
    let sentence = sentence(keyword, &without_marks(keyword, value));
    if sentence.is_empty() {
        return;
    }
    // Dropping is safe: the registry validates every call with the original schema.
    if sentence.chars().count() > MAX_CHARS {
        let detail = "the provider does not support this keyword, and the value is too long for the description";
        losses.add(pointer, keyword, LossKind::Dropped, detail);
        return;
    }
    append(schema, &sentence);
    losses.add(pointer, keyword, LossKind::Described, sentence);
}

/// Removes place markers from the value of a keyword that contains schemas.
fn without_marks(keyword: &str, value: Value) -> Value {
    let holder = Object::from_iter([(keyword.to_owned(), value)]);
    match unmark(Value::Object(holder)) {
        Value::Object(mut holder) => holder.shift_remove(keyword).unwrap_or_default(),
        other => other,
    }
}

/// Appends a sentence to the description.
pub(crate) fn append(schema: &mut Object, sentence: &str) {
    let old = schema.get("description").and_then(Value::as_str);
    let old = old.unwrap_or_default().trim_end();
    let new = match old.chars().last() {
        None => sentence.to_owned(),
        Some('.' | '!' | '?' | ':') => format!("{old} {sentence}"),
        Some(_) => format!("{old}. {sentence}"),
    };
    schema.insert("description".to_owned(), new.into());
}

/// Returns the rule as a sentence, or an empty string if the rule has no effect.
fn sentence(keyword: &str, value: &Value) -> String {
    let plain = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match keyword {
        // These values have no effect.
        "minLength" | "minItems" | "minProperties" if *value == 0 => String::new(),
        "default" if value.is_null() => String::new(),
        "minimum" => format!("At least {plain}."),
        "maximum" => format!("At most {plain}."),
        "exclusiveMinimum" => format!("More than {plain}."),
        "exclusiveMaximum" => format!("Less than {plain}."),
        "multipleOf" => format!("A multiple of {plain}."),
        "minLength" => format!("At least {plain} characters."),
        "maxLength" => format!("At most {plain} characters."),
        "minItems" => format!("At least {plain} items."),
        "maxItems" => format!("At most {plain} items."),
        "minProperties" => format!("At least {plain} keys."),
        "maxProperties" => format!("At most {plain} keys."),
        "uniqueItems" if *value == Value::Bool(true) => "Items are unique.".to_owned(),
        "uniqueItems" => String::new(),
        "pattern" => format!("Matches the regular expression `{plain}`."),
        "format" => format!("Format: {plain}."),
        "default" => format!("Default: {value}."),
        "const" => format!("Always {value}."),
        "enum" => format!("One of {}.", listed(value)),
        "additionalProperties" => format!("Any key; each value matches the schema {value}."),
        other => format!("Rule `{other}`: {value}."),
    }
}

fn listed(values: &Value) -> String {
    let texts: Vec<String> = values
        .as_array()
        .into_iter()
        .flatten()
        .map(Value::to_string)
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::ConversionLoss;

    use super::super::origin::mark;
    use super::*;

    #[test]
    fn moves_bound_to_description_with_loss() {
        let mut schema = mark(&json!({"type": "integer", "description": "How many", "minimum": 1}));
        let mut losses = Losses::new("f");

        describe(
            schema.as_object_mut().unwrap(),
            &["minimum", "maximum"],
            &mut losses,
        );

        assert_eq!(
            unmark(schema),
            json!({"type": "integer", "description": "How many. At least 1."})
        );
        assert_eq!(
            losses.distinct(),
            [ConversionLoss::new(
                "f",
                "/minimum",
                "minimum",
                LossKind::Described,
                "At least 1."
            )]
        );
    }

    #[test]
    fn drops_rules_without_effect_silently() {
        for rule in [
            json!({"default": null}),
            json!({"minItems": 0}),
            json!({"uniqueItems": false}),
        ] {
            let mut schema = mark(&rule);
            let mut losses = Losses::new("f");

            describe(
                schema.as_object_mut().unwrap(),
                &["default", "minItems", "uniqueItems"],
                &mut losses,
            );

            assert_eq!(unmark(schema), json!({}));
            assert_eq!(losses.distinct(), []);
        }
    }

    #[test]
    fn describes_schemas_without_place_markers() {
        let given = json!({"patternProperties": {"^x-": {"items": {"type": "string"}}}});
        let mut schema = mark(&given);
        let mut losses = Losses::new("f");

        describe(
            schema.as_object_mut().unwrap(),
            &["patternProperties"],
            &mut losses,
        );

        let sentence = r#"Rule `patternProperties`: {"^x-":{"items":{"type":"string"}}}."#;
        assert_eq!(unmark(schema), json!({"description": sentence}));
        assert_eq!(losses.distinct()[0].detail, sentence);
    }

    #[test]
    fn drops_rule_over_length_limit() {
        let mut schema = mark(&json!({"pattern": "x".repeat(400)}));
        let mut losses = Losses::new("f");

        describe(schema.as_object_mut().unwrap(), &["pattern"], &mut losses);

        assert_eq!(unmark(schema), json!({}));
        assert_eq!(losses.distinct()[0].action, LossKind::Dropped);
    }
}
