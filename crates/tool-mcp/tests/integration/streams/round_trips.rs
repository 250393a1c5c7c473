//! Definitions and results from a registry over a server and a manager to a registry.

use proptest::prelude::*;
use tool_core::{ContentBlock, Hints, ResourceContents, ToolError, ToolOutput};

use super::*;

/// Text without hidden characters.
const TEXT: &str = "[ -~äß€語😀\n]{1,80}";

fn schema() -> impl Strategy<Value = Value> {
    let property = (
        prop::sample::select(vec!["string", "integer", "boolean", "array", "object"]),
        prop::option::of(TEXT),
    );
    let property = property.prop_map(|(kind, description)| {
        let mut property = json!({"type": kind});
        if let Some(description) = description {
            property["description"] = description.into();
        }
        property
    });
    let properties = prop::collection::btree_map("[a-z][a-z_]{0,10}", property, 0..5);
    (properties, any::<bool>()).prop_map(|(properties, is_required)| {
        let names: Vec<&String> = properties.keys().filter(|_| is_required).collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    })
}

fn definition() -> impl Strategy<Value = ToolDefinition> {
    let risks = [
        RiskLevel::ReadOnly,
        RiskLevel::SafeWrite,
        RiskLevel::Dangerous,
    ];
    let hints = (
        prop::sample::select(risks.to_vec()),
        any::<bool>(),
        any::<bool>(),
    );
    let schemas = (schema(), prop::option::of(schema()));
    (prop::option::of(TEXT), TEXT, schemas, hints).prop_map(
        |(title, description, (input, output), (risk, idempotent, open_world))| {
            let own = Hints::of(risk);
            let hints = Hints {
                idempotent: own.idempotent || idempotent,
                open_world,
                ..own
            };
            let mut definition = ToolDefinition::new("tool", description, input)
                .with_risk(risk)
                .with_hints(hints);
            if let Some(title) = title {
                definition = definition.with_title(title);
            }
            match output {
                Some(output) => definition.with_output_schema(output),
                None => definition,
            }
        },
    )
}

fn block() -> impl Strategy<Value = ContentBlock> {
    let base64 = || "([A-Za-z0-9+/]{4}){0,20}";
    let media_type = || prop::option::of(Just("text/plain".to_owned()));
    let image = base64().prop_map(|data| ContentBlock::Image {
        media_type: "image/png".into(),
        data,
    });
    let audio = base64().prop_map(|data| ContentBlock::Audio {
        media_type: "audio/wav".into(),
        data,
    });
    let link = (TEXT, media_type()).prop_map(|(name, media_type)| ContentBlock::ResourceLink {
        uri: "file:///a".into(),
        title: media_type.clone(),
        description: None,
        size: media_type.as_ref().map(|_| 7),
        name,
        media_type,
    });
    let contents = prop_oneof![
        TEXT.prop_map(ResourceContents::Text),
        base64().prop_map(ResourceContents::Blob),
    ];
    let resource =
        (contents, media_type()).prop_map(|(contents, media_type)| ContentBlock::Resource {
            uri: "file:///b".into(),
            media_type,
            contents,
        });
    prop_oneof![
        TEXT.prop_map(ContentBlock::text),
        image,
        audio,
        link,
        resource
    ]
}

fn output(content: Vec<ContentBlock>, data: Option<Value>) -> ToolOutput {
    let mut output = ToolOutput::default();
    (output.content, output.data) = (content, data);
    output
}

/// Returns the blocks that a model receives.
fn without_blanks(mut content: Vec<ContentBlock>) -> Vec<ContentBlock> {
    content.retain(|block| block.as_text().is_none_or(|text| !text.trim().is_empty()));
    content
}

/// Serves a tool and returns its definition and the result of a call.
async fn round_trip(tool: DynamicTool) -> (ToolDefinition, ToolResult) {
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    registry.register(tool).unwrap();
    let one = One::start(McpServer::new(registry), trusted()).await;
    let definition = one.registry.list().remove(0);
    let result = one.registry.execute("s__tool", json!({})).await;
    one.end().await;
    (definition, result)
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let builder = &mut tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap().block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn definitions_are_kept(definition in definition()) {
        let tool = DynamicTool::new(definition.clone(), |_, _| async { Ok("x".into()) });

        let (listed, _) = run(round_trip(tool));

        prop_assert_eq!(listed.name(), "s__tool");
        prop_assert_eq!(listed.title(), definition.title());
        prop_assert_eq!(listed.description(), definition.description());
        prop_assert_eq!(listed.input_schema(), definition.input_schema());
        prop_assert_eq!(listed.output_schema(), definition.output_schema());
        prop_assert_eq!((listed.risk(), listed.hints()), (definition.risk(), definition.hints()));
    }

    #[test]
    fn content_is_kept(content in prop::collection::vec(block(), 0..4)) {
        let sent = content.clone();
        let definition = ToolDefinition::new("tool", "T.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition, move |_, _| {
            let output = output(sent.clone(), None);
            async move { Ok(output) }
        });

        let (_, result) = run(round_trip(tool));

        prop_assert!(result.success);
        prop_assert_eq!(result.content, without_blanks(content));
    }

    #[test]
    fn content_and_data_are_kept(number in any::<i64>(), text in TEXT, block in block()) {
        let data = json!({"number": number, "text": text, "list": [null, 1.5, {}]});
        let content = vec![ContentBlock::text("shown"), block];
        let sent = output(content.clone(), Some(data.clone()));
        let definition = ToolDefinition::new("tool", "T.", json!({"type": "object"}))
            .with_output_schema(json!({"type": "object"}));
        let tool = DynamicTool::new(definition, move |_, _| {
            let output = sent.clone();
            async move { Ok(output) }
        });

        let (_, result) = run(round_trip(tool));

        prop_assert_eq!(result.data, Some(data));
        prop_assert_eq!(result.content, without_blanks(content));
    }

    #[test]
    fn text_of_errors_is_kept(message in "[A-Z][a-zäß€ ]{0,40}[a-z]", has_suggestion in any::<bool>()) {
        let definition = ToolDefinition::new("tool", "T.", json!({"type": "object"}));
        let tool = DynamicTool::new(definition, move |_, _| {
            let error = ToolError::failed(message.clone());
            let error = if has_suggestion { error.suggest("Try later.") } else { error };
            async move { Err::<ToolOutput, _>(error) }
        });
        let own = run(Registry::of(tool.clone()).unwrap().execute("tool", json!({})));

        let (_, result) = run(round_trip(tool));

        prop_assert!(!result.success);
        prop_assert_eq!(result.text(), own.text());
    }
}
