//! A tool from a closure, the shortest form.

use std::fmt;
use std::marker::PhantomData;

use super::{ToolInput, ToolReturn};
use crate::{
    Arguments, CallPlan, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError,
};

/// Creates a tool from a closure.
///
/// The closure takes the context by value, which is a cheap clone. It may be called concurrently, so clone
/// captured values before the `async move` block.
///
/// The risk is [`RiskLevel::SafeWrite`] unless [`FunctionTool::define`] changes it.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use tool_core::{Tool, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// How much to add.
///     by: u64,
/// }
///
/// let total = Arc::new(AtomicU64::new(0));
/// let count = tool_fn("count", "Adds to the total.", move |_cx, input: Input| {
///     let total = Arc::clone(&total);
///     async move { Ok(total.fetch_add(input.by, Ordering::Relaxed) + input.by) }
/// });
/// assert_eq!(count.definition().name(), "count");
/// ```
#[must_use]
pub fn tool_fn<F, I, Fut, O>(name: &str, description: &str, function: F) -> FunctionTool<F, I>
where
    F: Fn(ToolContext, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<O, ToolError>> + Send,
    I: ToolInput,
    O: ToolReturn,
{
    FunctionTool {
        function,
        definition: O::define::<I>(name, description),
        is_exclusive: false,
        input: PhantomData,
    }
}

/// A tool made of a closure by [`tool_fn`].
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::{RiskLevel, Tool, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct NoInput {}
///
/// let ping = tool_fn("ping", "Answers.", |_, _: NoInput| async { Ok("pong") })
///     .risk(RiskLevel::ReadOnly)
///     .define(|definition| definition.with_timeout(Duration::from_secs(1)));
/// assert!(ping.definition().hints().read_only);
/// ```
pub struct FunctionTool<F, I> {
    function: F,
    definition: ToolDefinition,
    is_exclusive: bool,
    input: PhantomData<fn(I)>,
}

impl<F, I> FunctionTool<F, I> {
    /// Changes the definition: risk, title, timeout, hints, examples.
    #[must_use]
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }

    /// Sets the risk.
    #[must_use]
    pub fn risk(self, risk: RiskLevel) -> Self {
        self.define(|definition| definition.with_risk(risk))
    }

    /// Runs each call alone: no other call of the registry runs at the same time. A tool that calls the registry must not
    /// be exclusive, because both calls would wait for each other.
    #[must_use]
    pub fn exclusive(mut self) -> Self {
        self.is_exclusive = true;
        self
    }
}

impl<F, I, Fut, O> Tool for FunctionTool<F, I>
where
    F: Fn(ToolContext, I) -> Fut + Send + Sync,
    Fut: Future<Output = Result<O, ToolError>> + Send,
    I: ToolInput,
    O: ToolReturn,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let input = arguments.deserialize()?;
        let mut plan = CallPlan::of(self.definition.risk());
        if self.is_exclusive {
            plan = plan.exclusive();
        }
        let run = async move {
            let output = (self.function)(cx.clone(), input).await?;
            output.into_output()
        };
        Ok(PreparedCall::new(plan, run).quick())
    }
}

impl<F, I> fmt::Debug for FunctionTool<F, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionTool")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
