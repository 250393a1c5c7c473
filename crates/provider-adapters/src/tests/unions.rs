//! Inputs that are enums, for every provider: the sent schema describes each variant, and calls that fill the members of
//! other variants are valid.

use serde_json::{Value, json};
use tool_core::{CallArguments, Registry, tool_fn};

use super::meaning::Meaning;
use crate::{Provider, StrictMode};

/// Returns a tool whose input is an enum with these attributes, and one with it as the member `event`.
macro_rules! tools {
    ($(#[$attribute:meta])*) => {{
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        $(#[$attribute])*
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[allow(dead_code, reason = "printed")]
        enum Event {
            /// Adds an event.
            Add { title: String, minutes: Option<u32> },
            /// Removes an event.
            Remove { id: u32 },
        }
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        struct Input { event: Event }
        let top = tool_fn("top", "Changes.", |_, event: Event| async move { Ok(format!("{event:?}")) });
        let nested = tool_fn("nested", "Changes.", |_, input: Input| async move { Ok(format!("{:?}", input.event)) });
        Registry::builder().tool(top).unwrap().tool(nested).unwrap().build()
    }};
}

#[test]
fn every_provider_describes_variants_and_accepts_each() {
    let cases = [
        (
            tools!(#[serde(tag = "action")]),
            "Only with `action` \"add\".",
            json!({"action": "add", "title": "x", "minutes": null, "id": null}),
            json!({"action": "remove", "title": null, "minutes": null, "id": 5}),
        ),
        (
            tools!(#[serde(tag = "action", content = "of")]),
            "Removes an event.",
            json!({"action": "add", "of": {"title": "x", "minutes": null}}),
            json!({"action": "remove", "of": {"id": 5}}),
        ),
        (
            tools!(),
            "Adds an event. Not with `remove`.",
            json!({"add": {"title": "x", "minutes": null}, "remove": null}),
            json!({"add": null, "remove": {"id": 5}}),
        ),
        (
            tools!(#[serde(untagged)]),
            "Only with `title`.",
            json!({"title": "x", "minutes": null, "id": null}),
            json!({"title": null, "minutes": null, "id": 5}),
        ),
    ];
    for (registry, note, add, remove) in &cases {
        for provider in Provider::ALL {
            for mode in [StrictMode::Auto, StrictMode::On, StrictMode::Off] {
                for call in [add, remove] {
                    let top = accepted(registry, *provider, mode, "top", call);
                    let input = json!({"event": call});
                    let nested = accepted(registry, *provider, mode, "nested", &input);

                    // MCP keeps the alternatives, each with its own description.
                    let is_merged = *provider != Provider::Mcp;
                    let described = if is_merged { note } else { "Adds an event." };
                    assert!(top.contains(described), "{provider} {mode:?}: {top}");
                    assert!(
                        nested.contains("Adds an event."),
                        "{provider} {mode:?}: {nested}"
                    );
                }
            }
        }
    }
}

/// Passes a provider's call to the tool, which must accept it. Returns the descriptions of the sent schema.
fn accepted(
    registry: &Registry,
    provider: Provider,
    mode: StrictMode,
    tool: &str,
    call: &Value,
) -> String {
    let definitions = registry.list();
    let definition = definitions
        .iter()
        .find(|definition| definition.name() == tool)
        .unwrap();
    let meaning = Meaning::new(provider, mode, definition.input_schema());

    let arguments = meaning.unmapped(call);

    let validation = registry.validate(tool, &CallArguments::from(arguments));
    let error = validation.error.map(|error| error.message);
    assert_eq!(error, None, "{provider} {mode:?} {tool} {call}");
    meaning.sent.as_ref().map(descriptions).unwrap_or_default()
}

fn descriptions(schema: &Value) -> String {
    match schema {
        Value::Object(members) => {
            let own = members.get("description").and_then(Value::as_str);
            let inner = members.values().map(descriptions);
            inner.chain(own.map(str::to_owned)).collect()
        }
        Value::Array(items) => items.iter().map(descriptions).collect(),
        _ => String::new(),
    }
}
