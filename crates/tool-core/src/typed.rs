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

use crate::approval::{Assessment, Preview};
use crate::ledger::Verified;
use crate::{
    Arguments, Concurrency, Hints, RiskLevel, TextLimit, Tool, ToolContext, ToolDefinition,
    ToolError, ToolOutput,
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
        // Unset hints and concurrency follow a later change of the risk.
        if tool.hints() != Hints::of(T::RISK) {
            definition = definition.with_hints(tool.hints());
        }
        if tool.concurrency() != Concurrency::of(T::RISK) {
            definition = definition.with_concurrency(tool.concurrency());
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

    /// Changes the definition: title, timeout, concurrency, hints, examples.
    #[must_use]
    pub fn define(mut self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        self.definition = change(self.definition);
        self
    }

    /// Sets the risk, which replaces [`TypedTool::RISK`]. A call for which
    /// [`TypedTool::risk_of`] returns another risk has the higher one.
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

    fn read(arguments: &Arguments<'_>) -> Result<ConvertedInput<S, T::Input>, ToolError> {
        let shape: S = arguments.deserialize()?;
        let input = shape.try_into().map_err(Into::into)?;
        Ok(ConvertedInput {
            input,
            shape: PhantomData,
        })
    }
}

/// An input that was converted from the shape `S`. Another shape may convert the same arguments to another input.
struct ConvertedInput<S, I> {
    input: I,
    shape: PhantomData<fn(S)>,
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

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        arguments.with_input(Self::read, |read| self.tool.check(cx, &read.input))?
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        let own = arguments.with_input(Self::read, |read| self.tool.risk_of(&read.input));
        match (own, self.risk) {
            (Ok(own), None) => own,
            (Ok(own), Some(risk)) if own == T::RISK => risk,
            (Ok(own), Some(risk)) => own.max(risk),
            (Err(_), _) => RiskLevel::Dangerous,
        }
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        arguments.with_input(Self::read, |read| self.tool.assess(&read.input))?
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        arguments
            .with_input(Self::read, |read| self.tool.key_of(&read.input))
            .ok()?
    }

    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        arguments
            .with_input(Self::read, |read| self.tool.files_of(&read.input))
            .unwrap_or_default()
    }

    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        let input = arguments.input(Self::read).ok()?.input;
        self.tool.preview(cx, input).await
    }

    fn idempotency_key(&self, arguments: &Arguments<'_>) -> Option<String> {
        arguments
            .with_input(Self::read, |read| self.tool.idempotency_key(&read.input))
            .ok()?
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        match arguments.input(Self::read) {
            Ok(read) => self.tool.verify(cx, read.input).await,
            Err(_) => Verified::Unknown,
        }
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let input = arguments.input(Self::read)?.input;
        let earlier = cx.warning_count();
        let output = self.tool.run(cx, input, &self.limits).await?;
        match &self.show {
            Some(show) => show(&output, arguments, cx, earlier),
            None => output_of(&output, Some(T::render(&output))),
        }
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
