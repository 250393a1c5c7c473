//! Schemas as they are derived from Rust types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Value, json};
use tool_core::{Dialect, LossAction, ToolDefinition};

use crate::Provider;

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is looked at")]
struct Search {
    /// What to look for.
    query: String,
    /// At most so many.
    limit: Option<u32>,
    order: Order,
    filters: Vec<Filter>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is looked at")]
enum Order {
    Newest,
    Best,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is looked at")]
struct Filter {
    field: String,
    /// Beside the first one.
    more: Option<Box<Filter>>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is looked at")]
struct Labels {
    labels: BTreeMap<String, String>,
}

fn tool<T: JsonSchema>() -> ToolDefinition {
    ToolDefinition::new("f", "F", schemars::schema_for!(T).to_value())
}

#[test]
fn a_derived_schema_loses_nothing_but_words_where_it_ends() {
    for provider in Provider::ALL {
        let inlines = matches!(provider, Provider::GeminiOpenApi | Provider::Ollama);
        let parallel = usize::from(*provider == Provider::Azure);
        let cut = usize::from(inlines) + parallel;
        let converted = provider.convert(&[tool::<Search>()]);

        let unsaid = converted
            .losses
            .iter()
            .filter(|loss| loss.action != LossAction::Described);
        assert_eq!(unsaid.count(), cut, "{provider}: {:#?}", converted.losses);
        assert_eq!(converted.refused, []);
    }
}

#[test]
fn a_derived_schema_is_strict_where_it_can_be() {
    let strict = |provider: Provider, tool: ToolDefinition| -> Value {
        let mut converted = provider.convert(&[tool]);
        let tool = converted.tools[0].take();
        let holders = ["function", "toolSpec"];
        let holder = holders
            .iter()
            .find_map(|key| tool.get(*key))
            .unwrap_or(&tool);
        holder.get("strict").cloned().unwrap_or_default()
    };

    assert_eq!(strict(Provider::OpenAi, tool::<Search>()), json!(true));
    // A schema that goes on inside itself cannot be strict there.
    assert_eq!(strict(Provider::Anthropic, tool::<Search>()), Value::Null);
    assert_eq!(strict(Provider::Anthropic, tool::<Sorted>()), json!(true));
    for provider in Provider::ALL {
        let told = strict(*provider, tool::<Labels>());
        assert!(!told.as_bool().unwrap_or_default(), "{provider}: {told}");
    }
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is looked at")]
struct Sorted {
    order: Order,
    limit: Option<u32>,
}
