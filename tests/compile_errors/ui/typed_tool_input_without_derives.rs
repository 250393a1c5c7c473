use tool_core::{RiskLevel, ToolContext, ToolError, TypedTool};

struct Count;

struct Input;

impl TypedTool for Count {
    type Input = Input;
    type Output = u64;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(&self, _cx: &ToolContext, _: Input) -> Result<u64, ToolError> {
        Ok(1)
    }
}

fn main() {}
