//! What a provider has no keyword for, said in the description.

use serde_json::{Map, Value};
use tool_core::LossKind;

use super::Losses;
use super::place::{place_of, unmark};

/// A longer value is left out: a description is read by a model with every request.
const MAX_CHARS: usize = 300;

/// Moves keywords into the description, each with a loss.
pub(crate) fn describe(schema: &mut Map<String, Value>, keywords: &[&str], losses: &mut Losses) {
    for keyword in keywords {
        if let Some(value) = schema.shift_remove(*keyword) {
            say(schema, keyword, value, losses);
        }
    }
}

fn say(schema: &mut Map<String, Value>, keyword: &str, value: Value, losses: &mut Losses) {
    let pointer = place_of(schema, keyword);
    let sentence = sentence(keyword, &without_marks(keyword, value));
    if sentence.is_empty() {
        return;
    }
    if sentence.chars().count() > MAX_CHARS {
        let detail = "the provider has no such keyword, and it is too long for the description";
        losses.add(pointer, keyword, LossKind::Dropped, detail);
        return;
    }
    append(schema, &sentence);
    losses.add(pointer, keyword, LossKind::Described, sentence);
}

/// The value without marks, which stand where the keyword holds schemas.
fn without_marks(keyword: &str, value: Value) -> Value {
    let holder = Map::from_iter([(keyword.to_owned(), value)]);
    match unmark(Value::Object(holder)) {
        Value::Object(mut holder) => holder.shift_remove(keyword).unwrap_or_default(),
        other => other,
    }
}

/// Adds a sentence to the description.
pub(crate) fn append(schema: &mut Map<String, Value>, sentence: &str) {
    let old = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .trim_end();
    let new = match old.chars().last() {
        None => sentence.to_owned(),
        Some('.' | '!' | '?' | ':') => format!("{old} {sentence}"),
        Some(_) => format!("{old}. {sentence}"),
    };
    schema.insert("description".to_owned(), new.into());
}

/// The rule in words; empty for a rule that rules nothing out.
fn sentence(keyword: &str, value: &Value) -> String {
    let plain = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match keyword {
        // A bound of nothing and a default of nothing say what holds anyway.
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
        "uniqueItems" if *value == Value::Bool(true) => "No item twice.".to_owned(),
        "uniqueItems" => String::new(),
        "pattern" => format!("Matches the regular expression `{plain}`."),
        "format" => format!("Format: {plain}."),
        "default" => format!("Default: {value}."),
        "const" => format!("Always {value}."),
        "enum" => format!("One of {}.", listed(value)),
        "additionalProperties" => format!("Any key; each value fits the schema {value}."),
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

    use super::super::place::mark;
    use super::*;

    #[test]
    fn a_bound_goes_into_the_description_with_a_loss() {
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
    fn a_rule_that_rules_nothing_out_goes_without_a_word() {
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
    fn the_schemas_of_a_rule_are_said_as_they_were_given() {
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
    fn a_rule_that_is_too_long_is_dropped() {
        let mut schema = mark(&json!({"pattern": "x".repeat(400)}));
        let mut losses = Losses::new("f");

        describe(schema.as_object_mut().unwrap(), &["pattern"], &mut losses);

        assert_eq!(unmark(schema), json!({}));
        assert_eq!(losses.distinct()[0].action, LossKind::Dropped);
    }
}
