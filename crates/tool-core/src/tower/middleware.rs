//! A service as middleware.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};

use async_trait::async_trait;
use tower_service::Service;

use crate::middleware::{Call, Middleware, Next};
use crate::{Arguments, ErrorCode, Tool, ToolContext, ToolError, ToolOutput};

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// One run of a tool, as a request that can be stored, cloned and sent.
///
/// # Examples
/// See [`ServiceMiddleware`].
#[derive(Clone)]
pub struct Run {
    tool: Arc<dyn Tool>,
    cx: ToolContext,
    arguments: Arguments<'static>,
    rest: Arc<[Arc<dyn Middleware>]>,
    attempts: Arc<AtomicU32>,
}

impl Run {
    /// Returns the tool.
    #[must_use]
    pub fn tool(&self) -> &dyn Tool {
        self.tool.as_ref()
    }

    /// Returns the context.
    #[must_use]
    pub fn context(&self) -> &ToolContext {
        &self.cx
    }

    /// Returns the validated arguments, including defaults.
    #[must_use]
    pub fn arguments(&self) -> &Arguments<'static> {
        &self.arguments
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("cx", &self.cx)
            .finish_non_exhaustive()
    }
}

/// Innermost service of a stack, which runs the tool.
///
/// # Examples
/// See [`ServiceMiddleware`].
#[derive(Debug, Clone, Copy, Default)]
pub struct RunTool;

impl Service<Run> for RunTool {
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, run: Run) -> Self::Future {
        Box::pin(async move {
            let call = Call::new(&run.tool, &run.cx, &run.arguments, &run.attempts);
            Next::new(&run.rest).run(call).await
        })
    }
}

/// Middleware that runs every tool through a stack of `tower` layers.
///
/// The stack is cloned for each call; its layers share the state that their clones share, such as the permits of a
/// concurrency limit. Wrap a service that cannot be cloned in `tower::buffer`.
///
/// # Errors
/// Returns a [`ToolError`] of the stack unchanged. Any other error becomes the source of an error with
/// [`ErrorCode::Unavailable`]; `ServiceBuilder::map_err` can convert it to a more precise one.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::tower::{RunTool, ServiceMiddleware};
/// use tool_core::{Registry, ToolError};
/// use tower::ServiceBuilder;
///
/// let longest = Duration::from_secs(5);
/// let stack = ServiceBuilder::new()
///     .map_err(move |_| ToolError::timeout(longest))
///     .timeout(longest)
///     .concurrency_limit(2)
///     .service(RunTool);
/// let registry = Registry::builder().middleware(ServiceMiddleware::new(stack)).build();
/// assert!(registry.list().is_empty());
/// ```
#[derive(Debug, Clone)]
pub struct ServiceMiddleware<S>(S);

impl<S> ServiceMiddleware<S> {
    /// Creates middleware from `service`, whose innermost service is [`RunTool`].
    #[must_use]
    pub fn new(service: S) -> Self {
        Self(service)
    }
}

/// Adds the attempts of a run to the call, even if it is dropped.
struct AttemptCounter<'c> {
    call: Call<'c>,
    attempts: Arc<AtomicU32>,
}

impl Drop for AttemptCounter<'_> {
    fn drop(&mut self) {
        self.call.count(self.attempts.load(Ordering::Relaxed));
    }
}

#[async_trait]
impl<S> Middleware for ServiceMiddleware<S>
where
    S: Service<Run, Response = ToolOutput> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError> + Send,
    S::Future: Send,
{
    async fn around(&self, call: Call<'_>, next: Next<'_>) -> Result<ToolOutput, ToolError> {
        let attempts = Arc::new(AtomicU32::new(0));
        let run = Run {
            tool: Arc::clone(call.shared_tool()),
            cx: call.context().clone(),
            arguments: Arguments::from_value(call.arguments().to_value()),
            rest: next.rest().into(),
            attempts: Arc::clone(&attempts),
        };
        let _counter = AttemptCounter { call, attempts };
        let mut service = self.0.clone();
        let ready = poll_fn(|cx| service.poll_ready(cx)).await;
        ready.map_err(|error| tool_error(error.into()))?;
        let output = service.call(run).await;
        output.map_err(|error| tool_error(error.into()))
    }
}

fn tool_error(error: BoxError) -> ToolError {
    match error.downcast::<ToolError>() {
        Ok(error) => *error,
        Err(source) => ToolError::new(ErrorCode::Unavailable, "A service around the tool failed")
            .suggest("Try again later, or continue without it.")
            .caused_by(source),
    }
}
