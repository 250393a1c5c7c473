//! The trait of tools, and a call that a tool has prepared.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;

use crate::approval::Preview;
use crate::ledger::Verified;
use crate::{Arguments, CallPlan, RiskLevel, ToolContext, ToolDefinition, ToolError, ToolOutput};

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
    /// that a schema cannot express, or another error, such as [`ToolError::path_outside_workspace`], if the call must not run
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

macro_rules! tools_behind {
    ($($pointer:ident),+) => {$(
        #[async_trait]
        impl<T: Tool + ?Sized> Tool for $pointer<T> {
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
    )+};
}

tools_behind!(Arc, Box);

/// A future of a call, in a box so that [`Tool`] can be a trait object.
pub type CallFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send + 'a>>;

/// A call whose arguments were read, and of which nothing has run.
///
/// [`Tool::prepare`] returns it. The plan is data; a wrapper changes it before it hands the call on.
///
/// # Examples
/// ```
/// use tool_core::{CallPlan, PreparedCall, RiskLevel, ToolOutput};
///
/// let prepared = PreparedCall::new(CallPlan::of(RiskLevel::ReadOnly), async { Ok(ToolOutput::text("42")) });
/// assert_eq!(prepared.plan.risk, RiskLevel::ReadOnly);
/// ```
pub struct PreparedCall<'a> {
    /// What the call would do.
    pub plan: CallPlan,
    inspect: Option<Inspect<'a>>,
    pub(crate) run: CallFuture<'a, ToolOutput>,
    /// Whether the preparation only read the arguments, so that the registry need not measure it.
    pub(crate) is_quick: bool,
}

/// A look at the disk before approval.
enum Inspect<'a> {
    Future(CallFuture<'a, Option<Preview>>),
    /// Created when it is needed: most calls need no approval, and a future costs an allocation.
    Lazy(&'a dyn LazyInspect, &'a ToolContext, &'a Arguments<'a>),
}

/// A tool that looks at the disk before approval.
pub(crate) trait LazyInspect: Send + Sync {
    fn inspect<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> CallFuture<'a, Option<Preview>>;
}

impl<'a> PreparedCall<'a> {
    /// Creates a call from its plan and its run. Nothing of the run happens until the registry polls it.
    pub fn new(
        plan: CallPlan,
        run: impl Future<Output = Result<ToolOutput, ToolError>> + Send + 'a,
    ) -> Self {
        Self::boxed(plan, Box::pin(run))
    }

    pub(crate) fn boxed(plan: CallPlan, run: CallFuture<'a, ToolOutput>) -> Self {
        Self {
            plan,
            inspect: None,
            run,
            is_quick: false,
        }
    }

    /// Adds a look before approval, which may read but must not change anything. It returns the preview for the approver,
    /// or the error that stops the call without a request.
    ///
    /// It runs at most once, for at most two seconds, and only if approval is required; a look that takes longer or panics
    /// gives no preview.
    #[must_use]
    pub fn inspect(
        mut self,
        inspect: impl Future<Output = Result<Option<Preview>, ToolError>> + Send + 'a,
    ) -> Self {
        self.inspect = Some(Inspect::Future(Box::pin(inspect)));
        self
    }

    pub(crate) fn inspect_by(
        mut self,
        tool: &'a dyn LazyInspect,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Self {
        self.inspect = Some(Inspect::Lazy(tool, cx, arguments));
        self
    }

    /// Marks a preparation that only read the arguments.
    pub(crate) fn quick(mut self) -> Self {
        self.is_quick = true;
        self
    }

    /// Raises the risk of the call to `risk` if it is lower.
    pub(crate) fn at_least(mut self, risk: RiskLevel) -> Self {
        self.plan.risk = self.plan.risk.max(risk);
        self
    }

    /// Wraps the run, for tools that wrap another one.
    #[must_use]
    pub fn wrap<F>(self, wrap: impl FnOnce(CallFuture<'a, ToolOutput>) -> F) -> Self
    where
        F: Future<Output = Result<ToolOutput, ToolError>> + Send + 'a,
    {
        Self {
            run: Box::pin(wrap(self.run)),
            ..self
        }
    }

    /// Returns the call if its plan is the `earlier` one. What was approved is what runs, and a preparation that differs was
    /// not approved.
    pub(crate) fn same_as(self, earlier: &CallPlan) -> Result<Self, ToolError> {
        if self.plan == *earlier {
            return Ok(self);
        }
        let error = ToolError::failed("The call would now do something else than was planned");
        Err(error.suggest("Call the tool again."))
    }

    /// Returns the look before approval, if there is one.
    pub(crate) fn take_inspect(&mut self) -> Option<CallFuture<'a, Option<Preview>>> {
        Some(match self.inspect.take()? {
            Inspect::Future(future) => future,
            Inspect::Lazy(tool, cx, arguments) => tool.inspect(cx, arguments),
        })
    }

    /// Runs the call.
    ///
    /// # Errors
    /// Returns the error of the tool.
    pub async fn run(self) -> Result<ToolOutput, ToolError> {
        self.run.await
    }
}

debug_fields!(PreparedCall<'_>, this => plan: this.plan);
