//! Typed tools in a registry.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Deserializer};

use schemars::JsonSchema;

use super::*;
use crate::middleware::{Call, Middleware, Next};
use crate::{CallPlan, Registry, ToolOutput, Toolset};

static READS: AtomicUsize = AtomicUsize::new(0);

#[derive(JsonSchema)]
struct Input {
    path: String,
}

/// Counts how often it is read.
impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Plain {
            path: String,
        }
        READS.fetch_add(1, Ordering::SeqCst);
        Plain::deserialize(deserializer).map(|plain| Self { path: plain.path })
    }
}

struct Write;

impl TypedTool for Write {
    type Input = Input;
    type Output = String;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    fn plan(&self, _cx: &ToolContext, input: &Input) -> Result<CallPlan, ToolError> {
        if input.path.is_empty() {
            return Err(ToolError::invalid_arguments("path", "is empty"));
        }
        Ok(CallPlan::of(Self::RISK).writes(&input.path))
    }
    async fn run(&self, _cx: &ToolContext, input: Input) -> Result<String, ToolError> {
        Ok(input.path)
    }
}

struct Twice;

#[async_trait]
impl Middleware for Twice {
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        next.run(call).await?;
        next.run(call).await
    }
}

#[test]
fn name_conflict_names_both_toolsets() {
    let toolset = |name| {
        Toolset::named(name)
            .with_tool(Typed::new("write", "Writes.", Write))
            .unwrap()
    };
    let builder = Registry::builder().toolset(&toolset("first")).unwrap();

    let taken = builder.toolset(&toolset("second")).unwrap_err().to_string();

    assert!(
        taken.starts_with(
            "two tools are named `write`: one is from the toolset `first` (\"Writes.\"), \
             the other from the toolset `second` (\"Writes.\");"
        ),
        "{taken}"
    );
}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

struct Echo;

impl TypedTool for Echo {
    type Input = Text;
    type Output = String;

    const RISK: RiskLevel = RiskLevel::SafeWrite;

    async fn run(&self, _cx: &ToolContext, input: Text) -> Result<String, ToolError> {
        Ok(input.text)
    }
}

#[tokio::test]
async fn function_and_typed_tool_have_same_builders() {
    let function = crate::tool_fn("f", "F.", |_, input: Text| async { Ok(input.text) })
        .define(|definition| definition.with_title("Echo"))
        .risk(RiskLevel::Dangerous);
    let typed = Typed::new("f", "F.", Echo)
        .define(|definition| definition.with_title("Echo"))
        .risk(RiskLevel::Dangerous);
    let arguments = Arguments::from_value(serde_json::json!({"text": "a\nb"}));

    let cx = ToolContext::test();

    for tool in [&function as &dyn Tool, &typed] {
        let definition = tool.definition();
        assert_eq!(definition.title(), Some("Echo"));
        assert!(definition.hints().destructive);

        let prepared = tool.prepare(&cx, &arguments).unwrap();
        assert_eq!(prepared.plan, CallPlan::of(RiskLevel::Dangerous));
        let output = prepared.run().await.unwrap();
        assert_eq!(output.content[0].as_text(), Some("a\nb"));
    }
}

/// One test, because the reads of all are counted in one place.
#[tokio::test]
async fn reads_input_once_per_attempt() {
    let typed = Typed::new("write", "Writes.", Write);
    let shown = Toolset::named("c")
        .with_tool(Typed::new("write", "Writes.", Write))
        .unwrap();
    let toolset = |builder: crate::RegistryBuilder| builder.toolset(&shown).unwrap().build();
    for (registry, reads) in [
        (Registry::of(typed).unwrap(), 1),
        (toolset(Registry::builder()), 1),
        (toolset(Registry::builder().middleware(Twice)), 2),
    ] {
        READS.store(0, Ordering::SeqCst);

        let result = registry.execute("write", r#"{"path": "a"}"#).await;

        assert_eq!(result.to_string(), "a");
        assert_eq!(READS.load(Ordering::SeqCst), reads);
    }
}
