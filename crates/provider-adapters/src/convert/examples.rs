//! Examples of arguments, for providers that have no place for them.

use std::borrow::Cow;

use serde_json::Value;
use tool_core::{LossKind, ToolDefinition};

use crate::Options;
use crate::schema::Losses;
use crate::wire::Wire;

/// A longer example is left out: a description is read by a model with every request.
const MAX_CHARS: usize = 600;

/// The definition as it is told: its examples go into the description where the provider has no place for them.
pub(crate) fn told<'d>(
    wire: &Wire,
    options: &Options,
    definition: &'d ToolDefinition,
    losses: &mut Losses,
) -> Cow<'d, ToolDefinition> {
    let examples = definition.examples();
    if !options.examples || examples.is_empty() || wire.extras.examples {
        return Cow::Borrowed(definition);
    }
    let short: Vec<String> = examples
        .iter()
        .map(Value::to_string)
        .filter(|example| example.chars().count() <= MAX_CHARS)
        .collect();
    if short.len() < examples.len() {
        let detail = "an example is too long for the description";
        losses.add("", "examples", LossKind::Dropped, detail);
    }
    if short.is_empty() {
        return Cow::Borrowed(definition);
    }
    let sentence = format!("Example arguments: {}", short.join(" or "));
    losses.add("", "examples", LossKind::Described, sentence.as_str());
    let description = format!("{}\n{sentence}", definition.description());
    Cow::Owned(
        definition
            .clone()
            .with_description(description.trim_start()),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::Dialect;

    use crate::Provider;

    use super::*;

    #[test]
    fn examples_are_said_in_the_description_where_there_is_no_place_for_them() {
        let tool = ToolDefinition::new("add", "Adds.", json!({"type": "object"}))
            .with_example(json!({"a": 1}))
            .with_example(json!({"a": "x".repeat(1000)}));
        let options = Options::default().with_examples(true);

        let converted = Provider::Mistral.with_options(options).convert(&[tool]);

        let description = &converted.tools[0]["function"]["description"];
        assert_eq!(description, "Adds.\nExample arguments: {\"a\":1}");
        let actions: Vec<LossKind> = converted.losses.iter().map(|loss| loss.action).collect();
        assert_eq!(actions, [LossKind::Dropped, LossKind::Described]);
    }
}
