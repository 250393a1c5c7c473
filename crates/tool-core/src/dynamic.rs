//! Tools whose schema is only known at run time.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::{
    Arguments, CallPlan, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput,
};

type Answer = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;
type Function = dyn Fn(ToolContext, Value) -> Answer + Send + Sync;

/// A tool from a definition and a closure, for schemas from a file, a server or a user.
///
/// Calls are validated against the definition's schema.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{DynamicTool, Registry, ToolDefinition, ToolOutput};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), tool_core::RegisterError> {
/// let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
/// let double = DynamicTool::new(ToolDefinition::new("double", "Doubles.", schema), |_cx, arguments| async move {
///     Ok(ToolOutput::json(json!(arguments["n"].as_i64().map(|n| n * 2))))
/// });
/// let result = Registry::of(double)?.execute("double", json!({"n": 21})).await;
/// assert_eq!(result.data, Some(json!(42)));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct DynamicTool {
    definition: ToolDefinition,
    function: Arc<Function>,
}

impl DynamicTool {
    /// Creates a tool that runs `function` for each call.
    pub fn new<F, Fut>(definition: ToolDefinition, function: F) -> Self
    where
        F: Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
    {
        let function = move |cx, arguments| -> Answer { Box::pin(function(cx, arguments)) };
        Self {
            definition,
            function: Arc::new(function),
        }
    }
}

impl Tool for DynamicTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        let run = async { (self.function)(cx.clone(), arguments.to_value()).await };
        Ok(PreparedCall::new(plan, run).quick())
    }
}

debug_fields!(DynamicTool, this => definition: this.definition);
