//! The trait of tools.

use std::sync::Arc;

use async_trait::async_trait;

use crate::approval::{Assessment, Preview};
use crate::ledger::Verified;
use crate::{
    Arguments, Concurrency, RiskLevel, ToolContext, ToolDefinition, ToolError, ToolOutput,
};

/// A tool that a model can call.
///
/// Most tools are easier to write as a [`TypedTool`](crate::TypedTool) or as a closure with [`tool_fn`](crate::tool_fn).
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

    /// Returns `true` if [`check`](Self::check), [`risk_of`](Self::risk_of) and
    /// [`assess`](Self::assess) are the defaults, so that the registry can skip them. Only this
    /// crate can implement it, for tools without checks.
    #[doc(hidden)]
    fn uses_default_checks(&self, _: Sealed) -> bool {
        false
    }

    /// Checks constraints that a schema cannot express. `arguments` match the schema, including defaults.
    ///
    /// # Errors
    /// Returns [`ToolError::invalid_arguments`] with the parameter and the remedy if a constraint is violated.
    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        let _ = (cx, arguments);
        Ok(())
    }

    /// Returns the risk of a call with these arguments. The default is the definition's risk.
    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        let _ = arguments;
        self.definition().risk()
    }

    /// Assesses the arguments for the policy: a reason to require approval, and parts that rules match one by one.
    ///
    /// Called after [`check`](Self::check) and before the approval, also if nothing runs in the end. Called again after an
    /// approval: if its [grants](Assessment::grants) have changed by then, the call does not run. A tool that wraps another
    /// one must forward this method like `check`.
    ///
    /// # Errors
    /// Returns an error, such as [`ToolError::command_forbidden`], if the call must not run even if it is approved.
    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        let _ = arguments;
        Ok(Assessment::default())
    }

    /// Returns the key for [`Concurrency::PerKey`]: calls with the same key run sequentially.
    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        let _ = arguments;
        None
    }

    /// Returns the files that a call with these arguments would write, for its approver.
    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        match self.definition().concurrency() {
            Concurrency::PerKey => self.key_of(arguments).into_iter().collect(),
            Concurrency::Parallel | Concurrency::Exclusive => Vec::new(),
        }
    }

    /// Returns a preview of the changes for the approver, such as a diff; `None` if there is nothing to show.
    ///
    /// Called only if approval is required. Must not change anything. Messages sent through `cx` are discarded. A preview
    /// that fails, panics or takes over two seconds is omitted.
    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        let _ = (cx, arguments);
        None
    }

    /// Returns a key that equal calls share, such as the number of an invoice to pay, so that the same payment requested
    /// under two ids is one call. The default is `None`: each call id is a call of its own.
    ///
    /// Used only with a [ledger](crate::ledger). A tool that wraps another one must forward this method.
    fn idempotency_key(&self, arguments: &Arguments<'_>) -> Option<String> {
        let _ = arguments;
        None
    }

    /// Determines whether a call whose outcome is unknown took effect, for [`Registry::recover`](crate::Registry::recover).
    /// [`ToolContext::call_key`] returns its key. Must not change anything.
    ///
    /// `arguments` are without secrets unless the host stores all of them, in plain text or encrypted
    /// ([`StoredArguments`](crate::ledger::StoredArguments)). A tool that wraps another one must forward this method.
    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let _ = (cx, arguments);
        Verified::Unknown
    }

    /// Runs the tool once. May be called concurrently as [`ToolDefinition::concurrency`] allows.
    ///
    /// # Errors
    /// Returns [`ToolError`] if the tool fails. The registry adds timeout, cancellation, panic and denial.
    ///
    /// # Cancellation
    /// Dropping the future must stop the work. A tool that started a process must kill it and its children.
    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError>;
}

/// Argument of methods that only this crate can implement or call.
#[derive(Debug, Clone, Copy)]
pub struct Sealed(());

impl Sealed {
    pub(crate) const TOKEN: Self = Self(());
}

#[async_trait]
impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn definition(&self) -> &ToolDefinition {
        self.as_ref().definition()
    }

    fn uses_default_checks(&self, sealed: Sealed) -> bool {
        self.as_ref().uses_default_checks(sealed)
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

    fn idempotency_key(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.as_ref().idempotency_key(arguments)
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        self.as_ref().verify(cx, arguments).await
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        self.as_ref().execute(cx, arguments).await
    }
}
