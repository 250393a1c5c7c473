use async_trait::async_trait;
use tool_core::{ToolContext, ToolError, TypedTool};

struct Count;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {}

#[derive(serde::Serialize)]
struct Output {
    words: usize,
}

#[async_trait]
impl TypedTool for Count {
    type Input = Input;
    type Output = Output;

    fn name(&self) -> &str {
        "count"
    }
    fn description(&self) -> &str {
        "Counts."
    }
    async fn run(&self, _cx: &ToolContext, _: Input) -> Result<Output, ToolError> {
        Ok(Output { words: 1 })
    }
}

fn main() {}
