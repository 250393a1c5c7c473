//! Conversion of definitions, conversations and responses.

mod conversion_plan;
mod decode;
mod dialect;
mod encode;
mod plan;
mod request;
mod stream;

use serde_json::Value;
use tool_core::ProviderTools;

pub use conversion_plan::ConversionPlan;
pub use decode::{decode, decode_bytes};
pub use dialect::ProviderDialect;
pub use encode::{Encoded, encode};
pub use plan::{batch_convert_to_provider, convert_to_provider};
pub use stream::StreamDecoder;

use crate::Object;
use crate::schema::strip_added_nulls;

/// Maps arguments back to the keys of the definition and removes nulls added for strict schemas.
/// Returns whether anything changed.
fn arguments_from_wire(tools: &ProviderTools, wire: &str, arguments: &mut Object) -> bool {
    let keys = tools.keys.get(wire).into_iter().flatten();
    let renamed = rename_keys(arguments, keys);
    let definition = tools.nullable.get(wire);
    let stripped = definition.is_some_and(|tool| strip_added_nulls(tool.input_schema(), arguments));
    renamed || stripped
}

/// Maps arguments to the keys on the wire.
fn arguments_to_wire(tools: &ProviderTools, wire: &str, arguments: &mut Object) {
    let keys = tools.keys.get(wire).into_iter().flatten();
    rename_keys(arguments, keys.map(|(wire, own)| (own, wire)));
}

fn rename_keys<'k>(
    arguments: &mut Object,
    keys: impl Iterator<Item = (&'k String, &'k String)>,
) -> bool {
    // Remove all values before inserting them, because two keys may be swapped.
    let taken: Vec<(String, Value)> = keys
        .filter_map(|(from, to)| Some((to.clone(), arguments.shift_remove(from)?)))
        .collect();
    let changed = !taken.is_empty();
    arguments.extend(taken);
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tool_core::{Dialect, ToolDefinition};

    use super::*;
    use crate::{Options, Provider, StrictMode};

    #[test]
    fn removes_only_nulls_that_conversion_allowed() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let tools = [ToolDefinition::new("f", "F", schema)];
        for (provider, expected) in [
            (Provider::OpenAi, json!({})),
            (Provider::OpenAiResponses, json!({})),
            (Provider::Anthropic, json!({"a": null})),
            (Provider::Bedrock, json!({"a": null})),
            (Provider::Gemini, json!({"a": null})),
        ] {
            let options = Options::default().with_strict(StrictMode::On);
            let tools = provider.with_options(options).convert(&tools);
            let mut arguments = Object::from_iter([("a".to_owned(), Value::Null)]);

            let changed = arguments_from_wire(&tools, "f", &mut arguments);

            assert_eq!(
                (changed, Value::Object(arguments)),
                (expected == json!({}), expected.clone()),
                "{provider}"
            );
        }
    }
}
