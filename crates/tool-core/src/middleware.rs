//! Middleware around the run of a tool. There is none by default: the steps of a call are built in.
//!
//! The first middleware added to the builder is the outermost. A limit on the number or the rate of calls needs the
//! application's own keys and units, so it is the application's middleware; the book shows one.

mod retry;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;

use crate::{Arguments, CallFuture, CallPlan, Tool, ToolContext, ToolError, ToolOutput};

pub use retry::{Backoff, Retry};

/// Wrapper around the run of every tool of a registry. The first one is the outermost.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use tool_core::middleware::{Call, Middleware, Next};
/// use tool_core::{ToolError, ToolOutput};
///
/// /// Repeats a failed call of an idempotent tool.
/// struct RetryOnce;
///
/// #[async_trait]
/// impl Middleware for RetryOnce {
///     async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
///         match next.run(call).await {
///             Err(error) if error.retryable() && call.tool.definition().hints().idempotent => next.run(call).await,
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
    /// Runs `next` any number of times.
    ///
    /// # Errors
    /// Returns the error of the tool or of the middleware.
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError>; // needs `#[async_trait]` above the `impl`
}

/// The call that a middleware wraps.
///
/// # Examples
/// See [`Middleware`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Call<'c> {
    /// The tool.
    pub tool: &'c dyn Tool,
    /// The context of the call.
    pub context: &'c ToolContext,
    /// The validated arguments, including defaults.
    pub arguments: &'c Arguments<'c>,
    /// What the call would do.
    pub plan: &'c CallPlan,
    pub(crate) attempts: &'c AtomicU32,
}

impl Call<'_> {
    /// Prepares the call once more for another attempt.
    async fn again(self) -> Result<ToolOutput, ToolError> {
        let prepared = self.tool.prepare(self.context, self.arguments)?;
        // A call that would do something else by now was not approved.
        prepared.same_as(self.plan)?.run().await
    }
}

debug_fields!(Call<'_>, this => context: this.context);

/// Rest of the chain to the tool.
///
/// # Examples
/// See [`Middleware`].
pub struct Next<'c> {
    rest: &'c [Arc<dyn Middleware>],
    /// The prepared run, until the first attempt takes it.
    first: Mutex<Option<CallFuture<'c, ToolOutput>>>,
}

impl<'c> Next<'c> {
    pub(crate) fn new(
        rest: &'c [Arc<dyn Middleware>],
        first: Option<CallFuture<'c, ToolOutput>>,
    ) -> Self {
        // The prepared call can run once, and a middleware may share what it was given.
        let first = Mutex::new(first);
        Self { rest, first }
    }

    /// Runs the next middleware, or the tool. Each run after the first prepares the call again.
    pub fn run<'r>(&'r self, call: Call<'r>) -> CallFuture<'r, ToolOutput> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        let first = first.take();
        match self.rest {
            [] => {
                // A call is polled by one thread at a time, so that this is not a race.
                let before = call.attempts.load(Ordering::Relaxed);
                call.attempts
                    .store(before.saturating_add(1), Ordering::Relaxed);
                if before > 0 {
                    // Discard the partial output of the failed attempt.
                    drop(call.context.take_partial_output());
                }
                match first {
                    Some(first) => first,
                    None => Box::pin(call.again()),
                }
            }
            [middleware, rest @ ..] => middleware.around(call, Next::new(rest, first)),
        }
    }
}

debug_fields!(Next<'_>, this => more: this.rest.len());

#[cfg(test)]
mod tests;
