//! Inputs that are enums: messages, conversions and members of other variants, for each way in which serde tags them.

use serde_json::{Value, json};
use tool_core::{CallArguments, Registry, Validation, tool_fn};

/// Adds a tool whose input is an enum with these attributes, at the top or as the member `event`.
macro_rules! tool {
    ($registry:expr, $name:literal, nested, $(#[$attribute:meta])*) => {{
        tool!(@event $(#[$attribute])*);
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        struct Input {
            event: Event,
        }
        $registry.tool(tool_fn($name, "Changes.", |_, input: Input| async move { Ok(format!("{:?}", input.event)) })).unwrap()
    }};
    ($registry:expr, $name:literal, top, $(#[$attribute:meta])*) => {{
        tool!(@event $(#[$attribute])*);
        $registry.tool(tool_fn($name, "Changes.", |_, event: Event| async move { Ok(format!("{event:?}")) })).unwrap()
    }};
    (@event $(#[$attribute:meta])*) => {
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        $(#[$attribute])*
        #[serde(rename_all = "snake_case")]
        #[allow(dead_code, reason = "printed")]
        enum Event {
            /// Adds an event.
            Add {
                /// Title.
                title: String,
                minutes: Option<u32>,
            },
            /// Removes an event.
            Remove { id: u32 },
        }
    };
}

fn registry() -> Registry {
    let builder = Registry::builder();
    let builder = tool!(builder, "internal", top, #[serde(tag = "action")]);
    let builder =
        tool!(builder, "internal_closed", top, #[serde(tag = "action", deny_unknown_fields)]);
    let builder = tool!(builder, "internal_nested", nested, #[serde(tag = "action")]);
    let builder = tool!(builder, "adjacent", top, #[serde(tag = "action", content = "of")]);
    let builder = tool!(builder, "external", top,);
    let builder = tool!(builder, "external_nested", nested, #[serde(deny_unknown_fields)]);
    let builder = tool!(builder, "untagged", top, #[serde(untagged)]);
    let builder = tool!(builder, "untagged_closed", top, #[serde(untagged, deny_unknown_fields)]);
    let builder = tool!(builder, "untagged_nested", nested, #[serde(untagged)]);
    builder.build()
}

fn validated(tool: &str, arguments: Value) -> Validation {
    registry().validate(tool, &CallArguments::from(arguments))
}

#[test]
fn messages_name_the_tag_its_values_or_the_members_of_its_variant() {
    for (tool, arguments, message) in [
        (
            "internal",
            json!({"action": "ad"}),
            "`action` must be one of \"add\", \"remove\", not \"ad\" (did you mean `add`?)",
        ),
        ("internal", json!({"title": "x"}), "`action` is missing"),
        ("internal", json!({"action": "remove"}), "`id` is missing"),
        (
            "internal",
            json!({"action": "add", "title": 1.5, "minutes": "x"}),
            "`minutes` must be",
        ),
        (
            "internal_closed",
            json!({"action": "remove", "id": 1, "title": "x"}),
            "`title` belongs to `action` \"add\"",
        ),
        (
            "internal_closed",
            json!({"action": "remove", "id": 1, "it": 2}),
            "`it` is not a known parameter",
        ),
        (
            "internal_nested",
            json!({"event": {"action": "no"}}),
            "`event.action` must be one of \"add\", \"remove\"",
        ),
        (
            "internal_nested",
            json!({"event": {}}),
            "`event.action` is missing",
        ),
        (
            "adjacent",
            json!({"action": "no", "of": {}}),
            "`action` must be one of \"add\", \"remove\"",
        ),
        (
            "adjacent",
            json!({"action": "remove", "of": {"id": "x"}}),
            "`of.id` must be an integer",
        ),
        (
            "external",
            json!({"ad": {}}),
            "must be an object with one member: `add` or `remove`",
        ),
        ("external", json!({"remove": {}}), "`remove.id` is missing"),
        (
            "external_nested",
            json!({"event": {"remove": {"id": true}}}),
            "`event.remove.id` must be an integer",
        ),
        (
            "untagged",
            json!({}),
            "the arguments must be an object with `title`, or with `id`, not an empty object",
        ),
        (
            "untagged",
            json!({"titel": "x"}),
            "or with `id`, not an object with `titel` (did you mean `title`?)",
        ),
        ("untagged", json!({"minutes": 5}), "`title` is missing"),
        (
            "untagged",
            json!({"id": "x"}),
            "`id` must be an integer, not the string \"x\"",
        ),
        (
            "untagged_closed",
            json!({"id": 5, "title": "x"}),
            "`id` belongs to a form without `title`",
        ),
        (
            "untagged_closed",
            json!({"title": "x", "it": 5}),
            "`it` is not a known parameter. Known: `title`, `minutes`",
        ),
        (
            "untagged_nested",
            json!({"event": {"id": true}}),
            "`event.id` must be an integer, not true",
        ),
        (
            "untagged_nested",
            json!({"event": 5}),
            "`event` must be an object, not the number 5",
        ),
    ] {
        let error = validated(tool, arguments.clone()).error.unwrap();

        assert!(
            error.message.contains(message),
            "{tool} {arguments}: {}",
            error.message
        );
    }
}

#[test]
fn values_are_converted_inside_a_variant() {
    for (tool, arguments, expected) in [
        (
            "internal",
            json!({"action": "remove", "id": "5"}),
            json!({"action": "remove", "id": 5}),
        ),
        (
            "internal_closed",
            json!({"action": "remove", "id": 5, "title": "", "minutes": null}),
            json!({"action": "remove", "id": 5}),
        ),
        (
            "internal_nested",
            json!({"event": {"action": "add", "title": 5}}),
            json!({"event": {"action": "add", "title": "5"}}),
        ),
        (
            "internal_nested",
            json!({"event": "{\"action\": \"remove\", \"id\": 5}"}),
            json!({"event": {"action": "remove", "id": 5}}),
        ),
        (
            "adjacent",
            json!({"action": "remove", "of": {"id": "5"}}),
            json!({"action": "remove", "of": {"id": 5}}),
        ),
        (
            "external",
            json!({"remove": {"id": "5"}}),
            json!({"remove": {"id": 5}}),
        ),
        (
            "external_nested",
            json!({"event": {"remove": {"id": "5"}}}),
            json!({"event": {"remove": {"id": 5}}}),
        ),
        ("untagged", json!({"id": "5"}), json!({"id": 5})),
        (
            "untagged",
            json!({"title": 5, "minutes": null}),
            json!({"title": "5"}),
        ),
        (
            "untagged_closed",
            json!({"id": 5, "title": "", "minutes": null}),
            json!({"id": 5}),
        ),
        (
            "untagged_nested",
            json!({"event": {"id": "5"}}),
            json!({"event": {"id": 5}}),
        ),
        (
            "untagged_nested",
            json!({"event": "{\"id\": \"5\"}"}),
            json!({"event": {"id": 5}}),
        ),
    ] {
        let validation = validated(tool, arguments.clone());

        let error = validation.error.map(|error| error.message);
        assert_eq!(
            validation.arguments,
            Some(expected),
            "{tool} {arguments}: {error:?}"
        );
        assert!(!validation.changes.is_empty(), "{tool} {arguments}");
    }
}
