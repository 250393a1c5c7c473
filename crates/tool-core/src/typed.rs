//! Tools from Rust types and from closures.

mod bounds;
mod conversion;
mod function;
mod returns;
mod typed_tool;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

pub use bounds::{ToolData, ToolInput};
use conversion::definition_of;
pub(crate) use conversion::output_of;
pub use function::{FunctionTool, tool_fn};
pub use returns::ToolReturn;
pub use typed_tool::TypedTool;

use crate::approval::Preview;
use crate::ledger::Verified;
use crate::prepared_call::LazyInspect;
use crate::{
    Arguments, CallFuture, Hints, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition,
    ToolError,
};

/// A [`TypedTool`] with a name and a description.
///
/// # Examples
/// See [`TypedTool`].
pub struct Typed<T> {
    tool: Arc<T>,
    definition: ToolDefinition,
    /// Replacement of the tool's risk.
    risk: Option<RiskLevel>,
}

impl<T: TypedTool> Typed<T> {
    /// Creates a tool with a name and a description for the model, and derives its schemas from the types.
    #[must_use]
    pub fn new(name: &str, description: &str, tool: T) -> Self {
        Self::shared(name, description, Arc::new(tool))
    }

    /// Creates a tool like [`new`](Self::new) from one that others use, too.
    #[must_use]
    pub fn shared(name: &str, description: &str, tool: Arc<T>) -> Self {
        let mut definition =
            definition_of::<T::Input, T::Output>(name, description).with_risk(T::RISK);
        for (alias, parameter) in T::ALIASES {
            definition = definition.with_alias(*alias, *parameter);
        }
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
            risk: None,
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
impl<T: TypedTool> Tool for Typed<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let input: T::Input = arguments.deserialize()?;
        let mut plan = self.tool.plan(cx, &input)?;
        plan.risk = self.risk_of(plan.risk);
        let run = async move {
            let output = self.tool.run(cx, input).await?;
            output_of(&output, Some(T::render(&output)))
        };
        Ok(PreparedCall::new(plan, run).inspect_by(self, cx, arguments))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        match arguments.deserialize() {
            Ok(input) => self.tool.verify(cx, input).await,
            Err(_) => Verified::Unknown,
        }
    }
}

impl<T: TypedTool> LazyInspect for Typed<T> {
    // Reads the input again, because the run owns it. That costs less than a person who decides.
    fn inspect<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> CallFuture<'a, Option<Preview>> {
        Box::pin(async move {
            let input: T::Input = arguments.deserialize()?;
            self.tool.inspect(cx, &input).await
        })
    }
}

impl<T> fmt::Debug for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
