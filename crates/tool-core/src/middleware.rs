//! What wraps the run of a tool. Empty by default: the steps of a call are built in.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use async_trait::async_trait;

use crate::{Arguments, Tool, ToolContext, ToolError, ToolOutput};

/// Wraps the run of every tool of a registry, the first one outermost.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_core::middleware::{Call, Middleware, Next};
/// use tool_core::{ToolError, ToolOutput};
///
/// /// Runs a call once more when that can do no harm.
/// struct RetryOnce;
///
/// #[async_trait]
/// impl Middleware for RetryOnce {
///     async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
///         match next.run(call).await {
///             Err(error) if error.retryable() && call.tool().definition().hints().idempotent => next.run(call).await,
///             outcome => outcome,
///         }
///     }
/// }
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a middleware",
    note = "implement `Middleware` for `{Self}`; it has one method, `around`"
)]
pub trait Middleware: Send + Sync {
    /// Runs `next`, once, more often or not at all.
    ///
    /// # Errors
    /// Those of the tool, or its own.
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError>;
}

/// The call that a middleware wraps.
///
/// # Examples
/// See [`Middleware`].
#[derive(Clone, Copy)]
pub struct Call<'c> {
    tool: &'c dyn Tool,
    cx: &'c ToolContext,
    arguments: &'c Arguments<'c>,
    attempts: &'c AtomicU32,
}

impl<'c> Call<'c> {
    pub(crate) fn new(
        tool: &'c dyn Tool,
        cx: &'c ToolContext,
        arguments: &'c Arguments<'c>,
        attempts: &'c AtomicU32,
    ) -> Self {
        Self {
            tool,
            cx,
            arguments,
            attempts,
        }
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &'c dyn Tool {
        self.tool
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &'c ToolContext {
        self.cx
    }

    /// The arguments, validated and with defaults.
    #[must_use]
    pub fn arguments(&self) -> &'c Arguments<'c> {
        self.arguments
    }
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("cx", self.cx)
            .finish_non_exhaustive()
    }
}

/// The rest of the way to the tool.
///
/// # Examples
/// See [`Middleware`].
#[derive(Clone, Copy)]
pub struct Next<'c> {
    rest: &'c [Arc<dyn Middleware>],
}

impl<'c> Next<'c> {
    pub(crate) fn new(rest: &'c [Arc<dyn Middleware>]) -> Self {
        Self { rest }
    }

    /// Goes on to the next middleware, or to the tool.
    #[must_use]
    pub fn run(
        self,
        call: Call<'c>,
    ) -> Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'c>> {
        match self.rest {
            [] => {
                call.attempts.fetch_add(1, Ordering::Relaxed);
                call.tool.execute(call.cx, call.arguments)
            }
            [first, rest @ ..] => first.around(call, Next { rest }),
        }
    }
}

impl std::fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Next({} more)", self.rest.len())
    }
}
