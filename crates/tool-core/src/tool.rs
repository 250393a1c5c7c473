//! The contract between a tool and the registry that runs it.

use std::sync::Arc;

use async_trait::async_trait;

use crate::approval::{Assessment, Preview};
use crate::{
    Arguments, Concurrency, RiskLevel, ToolContext, ToolDefinition, ToolError, ToolOutput,
};

/// Something that a model can call.
///
/// Most tools are easier to write as a [`TypedTool`](crate::TypedTool), a closure with
/// [`tool_fn`](crate::tool_fn) or an [`Engine`](crate::Engine), which all become this trait.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use serde_json::json;
/// use tool_core::{Arguments, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};
///
/// struct Echo(ToolDefinition);
///
/// #[async_trait]
/// impl Tool for Echo {
///     fn definition(&self) -> &ToolDefinition {
///         &self.0
///     }
///
///     async fn execute(&self, _cx: &ToolContext, arguments: &Arguments<'_>) -> Result<ToolOutput, ToolError> {
///         Ok(ToolOutput::json(arguments.to_value()))
///     }
/// }
///
/// let echo = Echo(ToolDefinition::new("echo", "Says it again.", json!({"type": "object"})));
/// assert_eq!(echo.definition().name(), "echo");
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    note = "make one with `tool_fn`, wrap a `TypedTool` in `Typed::new`, or implement `Tool`"
)]
pub trait Tool: Send + Sync {
    /// What model and host are told. Always the same value.
    fn definition(&self) -> &ToolDefinition;

    /// Whether [`check`](Self::check), [`risk_of`](Self::risk_of) and [`assess`](Self::assess) are the tool's own.
    ///
    /// They are not asked of a tool that says no, and that has the risk of its definition whatever the arguments: its calls
    /// are faster. Tools made of closures say no.
    fn has_checks(&self) -> bool {
        true
    }

    /// Checks what no schema can say. The arguments have passed the schema and their defaults are filled in.
    ///
    /// # Errors
    /// [`ToolError::invalid_arguments`] names the parameter and says what would be right.
    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        let _ = (cx, arguments);
        Ok(())
    }

    /// The risk of a call with these arguments.
    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        let _ = arguments;
        self.definition().risk()
    }

    /// What these arguments amount to, for the policy: a reason to ask, and parts that rules are to see one by one.
    ///
    /// Asked for after [`check`](Self::check) and before anybody is asked to approve, also when nothing runs in the end. A
    /// tool that runs another one passes this on as it does `check`.
    ///
    /// # Errors
    /// What is not to be run whoever approves, such as [`ToolError::command_forbidden`].
    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        let _ = arguments;
        Ok(Assessment::default())
    }

    /// For [`Concurrency::PerKey`]: calls with the same key run one after the other.
    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        let _ = arguments;
        None
    }

    /// The files that a call with these arguments would write, shown to the person who must approve.
    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        match self.definition().concurrency() {
            Concurrency::PerKey => self.key_of(arguments).into_iter().collect(),
            Concurrency::Parallel | Concurrency::Exclusive => Vec::new(),
        }
    }

    /// What a call with these arguments would change, shown to the person who must approve, such as a diff. `None` where
    /// there is nothing to show.
    ///
    /// It is asked for only when somebody is asked, may take two seconds, and changes nothing. What is said through the
    /// context goes nowhere. A preview that fails, panics or takes longer is left out.
    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        let _ = (cx, arguments);
        None
    }

    /// Runs the tool once. Calls may overlap as [`ToolDefinition::concurrency`] allows.
    ///
    /// # Errors
    /// Everything that goes wrong in the tool's own work. The registry adds timeout, cancellation, panic and
    /// denial.
    ///
    /// # Cancellation
    /// Dropping the future stops the work. A tool that started a process ends it, with its children.
    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError>;
}

#[async_trait]
impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn definition(&self) -> &ToolDefinition {
        self.as_ref().definition()
    }

    fn has_checks(&self) -> bool {
        self.as_ref().has_checks()
    }

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        self.as_ref().check(cx, arguments)
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        self.as_ref().risk_of(arguments)
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        self.as_ref().assess(arguments)
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.as_ref().key_of(arguments)
    }

    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        self.as_ref().files_of(arguments)
    }

    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        self.as_ref().preview(cx, arguments).await
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        self.as_ref().execute(cx, arguments).await
    }
}
