use tool_core::{Registry, RiskLevel, ToolContext, ToolError, TypedTool};

struct Count;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {}

impl TypedTool for Count {
    type Input = Input;
    type Output = u64;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(&self, _cx: &ToolContext, _: Input) -> Result<u64, ToolError> {
        Ok(1)
    }
}

fn main() {
    let _ = Registry::new().register(Count);
}
