//! Registries as services.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use tower_service::Service;

use crate::{CallOptions, Registry, ToolCall, ToolResult};

/// A registry as a `tower` service that turns calls into results.
///
/// The service never fails, because every call has a result. A layer that stops a call drops it and returns its own error
/// instead. Cloning is cheap, and all clones are one registry.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use tool_core::tower::RegistryService;
/// use tool_core::{CallOptions, DynamicTool, Registry, ToolCall, ToolDefinition};
/// use tower::{ServiceBuilder, ServiceExt};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let definition = ToolDefinition::new("ping", "Returns pong.", json!({"type": "object"}));
/// let registry = Registry::of(DynamicTool::new(definition, |_, _| async { Ok("pong".into()) }))?;
///
/// let service = ServiceBuilder::new()
///     .concurrency_limit(4)
///     .timeout(Duration::from_secs(30))
///     .service(RegistryService::new(registry, CallOptions::default()));
/// let result = service.oneshot(ToolCall::new("ping", "{}")).await?;
/// assert_eq!(result.to_string(), "pong");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct RegistryService {
    registry: Registry,
    options: CallOptions,
}

impl RegistryService {
    /// Creates a service that runs all calls with `options`.
    #[must_use]
    pub fn new(registry: Registry, options: CallOptions) -> Self {
        Self { registry, options }
    }
}

impl Service<ToolCall> for RegistryService {
    type Response = ToolResult;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<ToolResult, Infallible>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let Self { registry, options } = self.clone();
        Box::pin(async move { Ok(registry.execute_call(&call, &options).await) })
    }
}
