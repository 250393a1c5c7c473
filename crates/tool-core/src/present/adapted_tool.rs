//! Adapter of one tool to a presentation.

use std::fmt;

use async_trait::async_trait;
use serde_json::Value;

use super::apply::apply;
use super::error::PresentationError;
use super::mapping::Mapping;
use super::presentation::Presentation;
use super::rendering::{ErrorMap, Rendering};
use crate::approval::{Assessment, Preview};
use crate::ledger::Verified;
use crate::{Arguments, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

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

    /// Wraps `tool` unchanged.
    pub(crate) fn unchanged(tool: T) -> Self {
        Self {
            definition: tool.definition().clone(),
            tool,
            applied: Applied::default(),
        }
    }

    /// Changes the definition, except for its arguments.
    pub(crate) fn redefined(self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        Self {
            definition: change(self.definition),
            ..self
        }
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

    /// Returns the assessment of the tool with the names of the presentation.
    fn assessment(
        &self,
        found: Result<Assessment, ToolError>,
        own: &Arguments<'_>,
    ) -> Result<Assessment, ToolError> {
        match found {
            Ok(found) => Ok(found.renamed(|own| self.mapping.shown_name(own).map(str::to_owned))),
            Err(error) => Err(self.error(error, own)),
        }
    }

    fn risk(&self, own: RiskLevel) -> RiskLevel {
        self.min_risk.map_or(own, |least| least.max(own))
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

#[async_trait]
impl<T: Tool> Tool for AdaptedTool<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        let own = self.mapping().own(arguments);
        let checked = self.tool.check(cx, &own);
        checked.map_err(|error| self.applied.error(error, &own))
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        let own = self.mapping().own(arguments);
        self.applied.risk(self.tool.risk_of(&own))
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        let own = self.mapping().own(arguments);
        self.applied.assessment(self.tool.assess(&own), &own)
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.tool.key_of(&self.mapping().own(arguments))
    }

    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        self.tool.files_of(&self.mapping().own(arguments))
    }

    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        let own = self.mapping().own(arguments);
        self.tool.preview(cx, &own).await
    }

    fn idempotency_key(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.tool.idempotency_key(&self.mapping().own(arguments))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let own = self.mapping().own(arguments);
        let found = self.tool.verify(cx, &own).await;
        self.applied.verified(found, cx, &own)
    }

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        for warning in self.mapping().warnings(arguments) {
            cx.warn(warning);
        }
        let earlier = cx.warning_count();
        let own = self.mapping().own(arguments);
        let outcome = self.tool.execute(cx, &own).await;
        self.applied.outcome(outcome, earlier, cx, &own)
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
