//! Schemas derived from Rust types.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Value, json};
use tool_core::{Dialect, LossKind, ToolDefinition};

use crate::{Options, Provider, StrictMode};

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Search {
    /// Text to search for.
    query: String,
    /// Maximum number of results.
    limit: Option<u32>,
    order: Order,
    filters: Vec<Filter>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
enum Order {
    Newest,
    Best,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Filter {
    field: String,
    /// Additional filter.
    more: Option<Box<Filter>>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Labels {
    labels: BTreeMap<String, String>,
}

fn tool<T: JsonSchema>() -> ToolDefinition {
    ToolDefinition::new("f", "F", schemars::schema_for!(T).to_value())
}

#[test]
fn derived_schema_has_only_described_losses() {
    for provider in Provider::ALL {
        let inlines = matches!(provider, Provider::GeminiOpenApi | Provider::Ollama);
        let parallel = usize::from(*provider == Provider::Azure);
        let cut = usize::from(inlines) + parallel;
        let converted = provider.convert(&[tool::<Search>()]);

        let unsaid = converted
            .losses
            .iter()
            .filter(|loss| loss.action != LossKind::Described);
        assert_eq!(unsaid.count(), cut, "{provider}: {:#?}", converted.losses);
        assert_eq!(converted.refused, []);
    }
}

#[test]
fn derived_schema_is_strict_if_supported() {
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
    // Anthropic does not support recursive strict schemas.
    assert_eq!(strict(Provider::Anthropic, tool::<Search>()), Value::Null);
    assert_eq!(strict(Provider::Anthropic, tool::<Sorted>()), json!(true));
    for provider in Provider::ALL {
        let reported = strict(*provider, tool::<Labels>());
        assert!(
            !reported.as_bool().unwrap_or_default(),
            "{provider}: {reported}"
        );
    }
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Sorted {
    order: Order,
    limit: Option<u32>,
}

/// Scalar fields of all kinds.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is used")]
struct Scalars {
    text: String,
    letter: char,
    small: u8,
    large: u64,
    signed: i32,
    single: f32,
    double: f64,
    flag: bool,
    nothing: (),
    bytes: std::num::NonZeroU16,
    path: std::path::PathBuf,
    wait: std::time::Duration,
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only the schema is used")]
struct Collections {
    list_of_lists: Vec<Vec<String>>,
    pair: (String, u32),
    three: [f64; 3],
    set: std::collections::BTreeSet<String>,
    map: BTreeMap<String, Filter>,
    maybe: Option<Vec<Option<u8>>>,
    anything: Value,
    boxed: Box<Order>,
    #[serde(default)]
    with_default: u32,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
enum External {
    Nothing,
    Wrapped(String),
    Pair(u8, bool),
    Fields { a: Option<u8> },
}

#[derive(JsonSchema)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "only the schema is used")]
enum Internal {
    Nothing,
    Fields { a: String },
    Wrapped(Filter),
}

#[derive(JsonSchema)]
#[serde(tag = "kind", content = "value")]
#[expect(dead_code, reason = "only the schema is used")]
enum Adjacent {
    Nothing,
    Wrapped(String),
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only the schema is used")]
enum Untagged {
    Text(String),
    Many(Vec<String>),
    Fields { a: u8 },
}

#[derive(JsonSchema)]
#[serde(transparent)]
#[expect(dead_code, reason = "only the schema is used")]
struct Wrapper(Filter);

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Enums {
    external: External,
    internal: Internal,
    adjacent: Adjacent,
    untagged: Option<Untagged>,
    wrapper: Wrapper,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema is used")]
struct Flattened {
    own: String,
    #[serde(flatten)]
    more: Filter,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(JsonSchema)]
struct NoInput {}

#[test]
fn converts_every_derived_shape_in_every_mode() {
    let tools = [
        ("scalars", tool::<Scalars>()),
        ("collections", tool::<Collections>()),
        ("enums", tool::<Enums>()),
        ("internal", tool::<Internal>()),
        ("flattened", tool::<Flattened>()),
        ("wrapper", tool::<Wrapper>()),
        ("nothing", tool::<NoInput>()),
    ];
    for provider in Provider::ALL {
        for mode in [StrictMode::Auto, StrictMode::On, StrictMode::Off] {
            for (shape, tool) in &tools {
                let dialect = provider.with_options(Options::default().with_strict(mode));

                let converted = dialect.convert(std::slice::from_ref(tool));

                assert_eq!(converted.refused, [], "{} {shape}", dialect.id());
                let sent = super::sent_schema(&converted.tools);
                let kind = sent.as_ref().map(|schema| schema["type"].clone());
                assert!(
                    kind.is_none_or(|kind| kind == "object"),
                    "{} {shape}",
                    dialect.id()
                );
                let known =
                    sent.is_none_or(|schema| jsonschema::draft202012::meta::is_valid(&schema));
                assert!(known, "{} {shape}", dialect.id());
            }
        }
    }
}

#[test]
fn sends_no_bound_beyond_2_to_the_53() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX},
        "b": {"type": "integer", "minimum": 1, "maximum": u64::MAX},
    }});
    let tool = ToolDefinition::new("f", "F", schema);
    for provider in Provider::ALL {
        for mode in [StrictMode::Auto, StrictMode::On, StrictMode::Off] {
            let dialect = provider.with_options(Options::default().with_strict(mode));

            let converted = dialect.convert(std::slice::from_ref(&tool));

            let sent = converted.tools.to_string();
            assert!(!sent.contains("922337"), "{provider} {mode:?}: {sent}");
            assert!(!sent.contains("184467"), "{provider} {mode:?}: {sent}");
            let dropped = converted.losses.iter().filter(|loss| {
                let is_bound = ["minimum", "maximum"].contains(&loss.keyword.as_str());
                is_bound && loss.action == LossKind::Dropped
            });
            assert_eq!(dropped.count(), 3, "{provider} {mode:?}");
        }
    }
}
