//! Examples of arguments for providers without a field for them.

use std::borrow::Cow;

use serde_json::Value;
use tool_core::{LossKind, ToolDefinition};

use crate::Options;
use crate::schema::Losses;
use crate::wire::Wire;

/// Maximum length of an example in characters. The model reads the description with every request.
const MAX_CHARS: usize = 600;

/// Returns the definition, with its examples in the description if the provider has no field for
/// them.
pub(crate) fn apply<'d>(
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
        let detail = "an example is too long for the description and is omitted";
        losses.add("", "examples", LossKind::Dropped, detail);
    }
    if short.is_empty() {
        return Cow::Borrowed(definition);
    }
    let sentence = format!("Example arguments: {}", short.join(" or "));
    losses.add("", "examples", LossKind::Described, sentence.as_str());
    let description = format!("{}\n{sentence}", definition.description());
    let definition = definition.clone();
    Cow::Owned(definition.with_description(description.trim_start()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::Dialect;

    use crate::Provider;

    use super::*;

    #[test]
    fn adds_examples_to_description_without_field() {
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
