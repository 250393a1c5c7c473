//! Adapter of one tool to a presentation.

use std::borrow::Cow;
use std::fmt;

use async_trait::async_trait;
use serde_json::Value;

use super::apply::apply;
use super::error::PresentationError;
use super::mapping::Mapping;
use super::presentation::Presentation;
use super::rendering::{ErrorMap, Rendering};
use crate::approval::Preview;
use crate::ledger::Verified;
use crate::prepared_call::LazyInspect;
use crate::{
    Arguments, CallFuture, CallPlan, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition,
    ToolError, ToolOutput,
};

/// A tool with a presentation: other names, fixed parameters, other wording.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{DynamicTool, AdaptedTool, Registry, ToolDefinition, ToolOutput, Presentation};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schema = json!({"properties": {"path": {"type": "string"}, "mode": {"type": "string"}}});
/// let open = DynamicTool::new(ToolDefinition::new("open", "Opens.", schema), |_, a| async { Ok(ToolOutput::json(a)) });
///
/// let read = AdaptedTool::new(open, Presentation::new("read", "Reads a file.").rename("path", "file").pin("mode", "r"))?;
///
/// let result = Registry::of(read)?.execute("read", json!({"file": "a.txt"})).await;
/// assert_eq!(result.data, Some(json!({"path": "a.txt", "mode": "r"})));
/// # Ok(()) }
/// ```
pub struct AdaptedTool<T> {
    tool: T,
    definition: ToolDefinition,
    applied: Applied,
}

/// The changes of a presentation, without the type of the tool: the methods are compiled once.
#[derive(Default)]
struct Applied {
    mapping: Mapping,
    min_risk: Option<RiskLevel>,
    map_error: Option<ErrorMap>,
    /// `None` if the tool renders its outputs.
    rendering: Option<Rendering<Value>>,
}

impl<T: Tool> AdaptedTool<T> {
    /// Adapts `tool` to `presentation`.
    ///
    /// # Errors
    /// Returns [`PresentationError`] if an edit names an unknown parameter or two names collide.
    pub fn new(tool: T, presentation: Presentation) -> Result<Self, PresentationError> {
        let rendering = presentation.rendering.clone();
        let mut adapted = Self::of(tool, presentation)?;
        adapted.applied.rendering = Some(rendering);
        Ok(adapted)
    }

    /// Replaces the inner tool by a function of the mapping.
    pub(super) fn with_tool(self, change: impl FnOnce(T, &Mapping) -> T) -> Self {
        Self {
            tool: change(self.tool, &self.applied.mapping),
            ..self
        }
    }

    /// Returns the mapping of the shown arguments to the arguments of the inner tool.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.applied.mapping
    }

    /// Adapts a tool that renders its outputs.
    pub(super) fn of<O>(tool: T, presentation: Presentation<O>) -> Result<Self, PresentationError> {
        let map_error = presentation.map_error.clone();
        let min_risk = presentation.min_risk;
        let (definition, mapping) = apply(tool.definition(), presentation)?;
        Ok(Self {
            tool,
            definition,
            applied: Applied {
                mapping,
                min_risk,
                map_error,
                rendering: None,
            },
        })
    }
}

impl Applied {
    /// Returns the error of the tool with the names of the presentation. `own` are the tool's own arguments.
    fn error(&self, error: ToolError, own: &Arguments<'_>) -> ToolError {
        let error = self.mapping.error(error);
        match &self.map_error {
            Some(map) => map(error, own),
            None => error,
        }
    }

    /// Returns the plan of the tool with the names of the presentation.
    fn plan(&self, mut plan: CallPlan) -> CallPlan {
        let shown = |own: &str| self.mapping.shown_name(own).map(str::to_owned);
        plan.findings = plan.findings.renamed(shown);
        plan.risk = self
            .min_risk
            .map_or(plan.risk, |least| least.max(plan.risk));
        plan
    }

    fn verified(&self, found: Verified, cx: &ToolContext, own: &Arguments<'_>) -> Verified {
        match (&self.rendering, found) {
            (Some(rendering), Verified::Happened(output)) => match output.data.clone() {
                Some(data) => rendering
                    .apply(&data, own, cx, output)
                    .map_or(Verified::Unknown, Verified::Happened),
                None => Verified::Happened(output),
            },
            (_, found) => found,
        }
    }

    /// Renders the outcome of a call. Warnings after the first `earlier` ones are from the tool.
    fn outcome(
        &self,
        outcome: Result<ToolOutput, ToolError>,
        earlier: usize,
        cx: &ToolContext,
        own: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let rendered = outcome.and_then(|mut output| {
            let Some(rendering) = &self.rendering else {
                return Ok(output);
            };
            self.mapping.move_additions_to(cx, earlier, &mut output);
            match output.data.clone() {
                Some(data) => rendering.apply(&data, own, cx, output),
                None => Ok(output),
            }
        });
        rendered.map_err(|error| self.error(error, own))
    }
}

impl<T: Tool> AdaptedTool<T> {
    /// Runs a call that was prepared with `plan`.
    async fn run(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
        plan: &CallPlan,
    ) -> Result<ToolOutput, ToolError> {
        for warning in self.mapping().warnings(arguments) {
            cx.warn(warning);
        }
        let earlier = cx.warning_count();
        let own = self.mapping().own(arguments);
        let outcome = match self
            .tool
            .prepare(cx, &own)
            .and_then(|call| call.as_in(plan))
        {
            Ok(prepared) => prepared.run().await,
            Err(error) => Err(error),
        };
        self.applied.outcome(outcome, earlier, cx, &own)
    }
}

#[async_trait]
impl<T: Tool> Tool for AdaptedTool<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let prepared = match self.mapping().own(arguments) {
            Cow::Borrowed(own) => {
                let prepared = self.tool.prepare(cx, own);
                let mut prepared = prepared.map_err(|error| self.applied.error(error, own))?;
                prepared.plan = self.applied.plan(prepared.plan);
                prepared.wrap(|run| async move {
                    let earlier = cx.warning_count();
                    self.applied.outcome(run.await, earlier, cx, own)
                })
            }
            // Renamed arguments live no longer than this function, so the run prepares the tool again.
            Cow::Owned(own) => {
                let prepared = self.tool.prepare(cx, &own);
                let prepared = prepared.map_err(|error| self.applied.error(error, &own))?;
                let plan = prepared.plan;
                let shown = self.applied.plan(plan.clone());
                let run = async move { self.run(cx, arguments, &plan).await };
                PreparedCall::new(shown, run)
            }
        };
        Ok(prepared.inspect_by(self, cx, arguments))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let own = self.mapping().own(arguments);
        let found = self.tool.verify(cx, &own).await;
        self.applied.verified(found, cx, &own)
    }
}

impl<T: Tool> LazyInspect for AdaptedTool<T> {
    fn inspect<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> CallFuture<'a, Option<Preview>> {
        Box::pin(async move {
            let own = self.mapping().own(arguments);
            let looked = match self.tool.prepare(cx, &own)?.take_inspect() {
                Some(look) => look.await,
                None => Ok(None),
            };
            looked.map_err(|error| self.applied.error(error, &own))
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for AdaptedTool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdaptedTool")
            .field("tool", &self.tool)
            .field("definition", &self.definition)
            .field("mapping", &self.applied.mapping)
            .finish_non_exhaustive()
    }
}
