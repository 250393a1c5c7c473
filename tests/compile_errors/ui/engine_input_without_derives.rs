use async_trait::async_trait;
use tool_core::{Engine, TextLimit, RiskLevel, ToolContext, ToolError};

struct Count;

struct Input;

#[async_trait]
impl Engine for Count {
    type Input = Input;
    type Output = u64;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(&self, _cx: &ToolContext, _: Input, _limits: &TextLimit) -> Result<u64, ToolError> {
        Ok(1)
    }
}

fn main() {}
