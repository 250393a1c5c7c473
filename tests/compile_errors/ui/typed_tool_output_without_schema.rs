use tool_core::{RiskLevel, ToolContext, ToolError, TypedTool};

struct Count;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {}

#[derive(serde::Serialize)]
struct Output {
    words: usize,
}

impl TypedTool for Count {
    type Input = Input;
    type Output = Output;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(&self, _cx: &ToolContext, _: Input) -> Result<Output, ToolError> {
        Ok(Output { words: 1 })
    }
}

fn main() {}
