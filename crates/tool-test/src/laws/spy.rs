//! Tool wrapper that counts executions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tool_core::approval::Assessment;
use tool_core::{Arguments, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// Wrapper that counts the executions of another tool.
#[derive(Clone)]
pub(super) struct Spy {
    tool: Arc<dyn Tool>,
    runs: Arc<AtomicUsize>,
}

impl Spy {
    pub(super) fn new(tool: Arc<dyn Tool>) -> Self {
        Self {
            tool,
            runs: Arc::default(),
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for Spy {
    fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        self.tool.check(cx, arguments)
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        self.tool.risk_of(arguments)
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        self.tool.assess(arguments)
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.tool.key_of(arguments)
    }

    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        self.tool.files_of(arguments)
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        self.tool.execute(cx, arguments).await
    }
}
