//! The trait of tools.

use std::sync::Arc;

use async_trait::async_trait;

use crate::ledger::Verified;
use crate::{Arguments, PreparedCall, ToolContext, ToolDefinition, ToolError};

/// A tool that a model can call.
///
/// Most tools are easier to write as a [`TypedTool`](crate::TypedTool) or as a closure with [`tool_fn`](crate::tool_fn).
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use serde_json::json;
/// use tool_core::{Arguments, CallPlan, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
///
/// struct Echo(ToolDefinition);
///
/// #[async_trait]
/// impl Tool for Echo {
///     fn definition(&self) -> &ToolDefinition {
///         &self.0
///     }
///
///     fn prepare<'a>(
///         &'a self,
///         _cx: &'a ToolContext,
///         arguments: &'a Arguments<'a>,
///     ) -> Result<PreparedCall<'a>, ToolError> {
///         let plan = CallPlan::of(self.0.risk());
///         Ok(PreparedCall::new(plan, async { Ok(ToolOutput::json(arguments.to_value())) }))
///     }
/// }
///
/// let echo = Echo(ToolDefinition::new("echo", "Returns its arguments.", json!({"type": "object"})));
/// assert_eq!(echo.definition().name(), "echo");
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "use `tool_fn`, wrap a `TypedTool` in `Typed::new`, or implement `Tool`"
)]
pub trait Tool: Send + Sync {
    /// Returns the definition. Its value must never change.
    fn definition(&self) -> &ToolDefinition;

    /// Reads the arguments once, and returns what the call would do together with its run.
    ///
    /// `arguments` match the schema, including defaults. This step is pure: it looks at the arguments only, changes
    /// nothing, does not touch the disk and does not wait, because it also runs for calls that are then denied, and nothing
    /// can interrupt it. The same arguments always give the same plan. Edited arguments and retries are prepared again.
    ///
    /// # Errors
    /// Returns [`ToolError::invalid_arguments`] with the parameter and the remedy if the arguments violate a constraint
    /// that a schema cannot express, or another error, such as [`ToolError::command_forbidden`], if the call must not run
    /// even if it is approved. The run itself fails with [`ToolError`] if the tool fails; the registry adds timeout,
    /// cancellation, panic and denial.
    ///
    /// # Cancellation
    /// Dropping the run must stop the work. A tool that started a process must kill it and its children.
    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError>;

    /// Determines whether a call whose outcome is unknown took effect, for [`Registry::recover`](crate::Registry::recover).
    /// [`ToolContext::call_key`] returns its key. Must not change anything.
    ///
    /// `arguments` are without secrets unless the host stores all of them, in plain text or encrypted
    /// ([`StoredArguments`](crate::ledger::StoredArguments)). A tool that wraps another one must forward this method.
    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let _ = (cx, arguments);
        Verified::Unknown
    }
}

#[async_trait]
impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn definition(&self) -> &ToolDefinition {
        self.as_ref().definition()
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        self.as_ref().prepare(cx, arguments)
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        self.as_ref().verify(cx, arguments).await
    }
}
