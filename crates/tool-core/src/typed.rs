//! Tools from Rust types and from closures.

mod bounds;
mod conversion;
mod function;
mod typed_tool;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use async_trait::async_trait;

pub use bounds::{ToolData, ToolInput};
use conversion::definition_of;
pub(crate) use conversion::output_of;
pub use function::{FunctionTool, tool_fn};
pub use typed_tool::TypedTool;

use crate::approval::Preview;
use crate::ledger::Verified;
use crate::prepared_call::LazyInspect;
use crate::{
    Arguments, CallFuture, Hints, PreparedCall, RiskLevel, TextLimit, Tool, ToolContext,
    ToolDefinition, ToolError, ToolOutput,
};

/// A [`TypedTool`] with a name and a description.
///
/// `S` is the shape of the arguments, which is the tool's own input unless [`Toolset::tool_as`](crate::Toolset::tool_as)
/// sets another one.
///
/// # Examples
/// See [`TypedTool`].
pub struct Typed<T: TypedTool, S = <T as TypedTool>::Input> {
    tool: Arc<T>,
    definition: ToolDefinition,
    limits: TextLimit,
    /// Replacement of the tool's risk.
    risk: Option<RiskLevel>,
    /// Conversion of the output by a presentation.
    show: Option<Box<ConvertOutput<T::Output>>>,
    shape: PhantomData<fn(S)>,
}

/// Converts an output. The number is the count of warnings before the call.
type ConvertOutput<O> =
    dyn Fn(&O, &Arguments<'_>, &ToolContext, usize) -> Result<ToolOutput, ToolError> + Send + Sync;

impl<T: TypedTool> Typed<T> {
    /// Creates a tool with a name and a description for the model, and derives its schemas from the types.
    #[must_use]
    pub fn new(name: &str, description: &str, tool: T) -> Self {
        Self::shared(name, description, Arc::new(tool))
    }
}

impl<T, S> Typed<T, S>
where
    T: TypedTool,
    S: ToolInput + TryInto<T::Input, Error: Into<ToolError>>,
{
    pub(crate) fn shared(name: &str, description: &str, tool: Arc<T>) -> Self {
        let mut definition = definition_of::<S, T::Output>(name, description).with_risk(T::RISK);
        // Unset hints follow a later change of the risk.
        if tool.hints() != Hints::of(T::RISK) {
            definition = definition.with_hints(tool.hints());
        }
        if let Some(timeout) = tool.timeout() {
            definition = definition.with_timeout(timeout);
        }
        Self {
            tool,
            definition,
            limits: TextLimit::default(),
            risk: None,
            show: None,
            shape: PhantomData,
        }
    }

    /// Changes the definition: title, timeout, hints, examples.
    #[must_use]
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }

    /// Sets the risk, which replaces [`TypedTool::RISK`]. A call for which
    /// [`TypedTool::plan`] returns another risk has the higher one.
    #[must_use]
    pub fn risk(mut self, risk: RiskLevel) -> Self {
        self.risk = Some(risk);
        self.define(|definition| definition.with_risk(risk))
    }

    /// Sets the limits that the tool receives. The default is 10 MiB.
    #[must_use]
    pub fn limits(mut self, limits: TextLimit) -> Self {
        self.limits = limits;
        self
    }

    /// Converts outputs with `show`, which also receives the arguments and the number of earlier warnings.
    pub(crate) fn with_converter(
        mut self,
        show: impl Fn(&T::Output, &Arguments<'_>, &ToolContext, usize) -> Result<ToolOutput, ToolError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.show = Some(Box::new(show));
        self
    }

    fn read(arguments: &Arguments<'_>) -> Result<T::Input, ToolError> {
        let shape: S = arguments.deserialize()?;
        shape.try_into().map_err(Into::into)
    }

    /// Returns the risk of a call whose tool plans `own`.
    fn risk_of(&self, own: RiskLevel) -> RiskLevel {
        match self.risk {
            None => own,
            Some(risk) if own == T::RISK => risk,
            Some(risk) => own.max(risk),
        }
    }
}

#[async_trait]
impl<T, S> Tool for Typed<T, S>
where
    T: TypedTool,
    S: ToolInput + TryInto<T::Input, Error: Into<ToolError>> + 'static,
{
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let input = Self::read(arguments)?;
        let mut plan = self.tool.plan(cx, &input)?;
        plan.risk = self.risk_of(plan.risk);
        let run = async move {
            let earlier = cx.warning_count();
            let output = self.tool.run(cx, input, &self.limits).await?;
            match &self.show {
                Some(show) => show(&output, arguments, cx, earlier),
                None => output_of(&output, Some(T::render(&output))),
            }
        };
        Ok(PreparedCall::new(plan, run).inspect_by(self, cx, arguments))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        match Self::read(arguments) {
            Ok(input) => self.tool.verify(cx, input).await,
            Err(_) => Verified::Unknown,
        }
    }
}

impl<T, S> LazyInspect for Typed<T, S>
where
    T: TypedTool,
    S: ToolInput + TryInto<T::Input, Error: Into<ToolError>> + 'static,
{
    // Reads the input again, because the run owns it. That costs less than a person who decides.
    fn inspect<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> CallFuture<'a, Option<Preview>> {
        Box::pin(async move {
            let input = Self::read(arguments)?;
            self.tool.inspect(cx, &input).await
        })
    }
}

impl<T: TypedTool, S> fmt::Debug for Typed<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
