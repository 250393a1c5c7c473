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
        let shown = Self::of(tool, presentation)?;
        Ok(Self {
            rendering: Some(rendering),
            ..shown
        })
    }

    /// Wraps `tool` unchanged.
    pub(crate) fn unchanged(tool: T) -> Self {
        Self {
            definition: tool.definition().clone(),
            tool,
            mapping: Mapping::default(),
            min_risk: None,
            map_error: None,
            rendering: None,
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
            tool: change(self.tool, &self.mapping),
            ..self
        }
    }

    /// Returns the mapping of the shown arguments to the arguments of the inner tool.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Adapts a tool that renders its outputs.
    pub(super) fn of<O>(tool: T, presentation: Presentation<O>) -> Result<Self, PresentationError> {
        let map_error = presentation.map_error.clone();
        let min_risk = presentation.min_risk;
        let (definition, mapping) = apply(tool.definition(), presentation)?;
        Ok(Self {
            tool,
            definition,
            mapping,
            min_risk,
            map_error,
            rendering: None,
        })
    }

    /// Returns the tool's error under shown names. `own` are the tool's own arguments.
    fn error(&self, error: ToolError, own: &Arguments<'_>) -> ToolError {
        let error = self.mapping.error(error);
        match &self.map_error {
            Some(map) => map(error, own),
            None => error,
        }
    }

    /// Calls `with` with the tool's own arguments.
    fn own<R>(&self, arguments: &Arguments<'_>, with: impl FnOnce(&Arguments<'_>) -> R) -> R {
        match self.mapping.own(arguments) {
            Some(own) => with(&own),
            None => with(arguments),
        }
    }
}

#[async_trait]
impl<T: Tool> Tool for AdaptedTool<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        self.own(arguments, |own| {
            let checked = self.tool.check(cx, own);
            checked.map_err(|error| self.error(error, own))
        })
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        let risk = self.own(arguments, |own| self.tool.risk_of(own));
        self.min_risk.map_or(risk, |least| least.max(risk))
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        self.own(arguments, |own| {
            let found = self.tool.assess(own);
            found
                .map(|found| found.renamed(|own| self.mapping.shown_name(own).map(str::to_owned)))
                .map_err(|error| self.error(error, own))
        })
    }

    fn key_of(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.own(arguments, |own| self.tool.key_of(own))
    }

    fn files_of(&self, arguments: &Arguments<'_>) -> Vec<String> {
        self.own(arguments, |own| self.tool.files_of(own))
    }

    async fn preview(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Option<Preview> {
        match self.mapping.own(arguments) {
            Some(own) => self.tool.preview(cx, &own).await,
            None => self.tool.preview(cx, arguments).await,
        }
    }

    fn idempotency_key(&self, arguments: &Arguments<'_>) -> Option<String> {
        self.own(arguments, |own| self.tool.idempotency_key(own))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        let mapped = self.mapping.own(arguments);
        let own = mapped.as_ref().unwrap_or(arguments);
        let found = self.tool.verify(cx, own).await;
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

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        for warning in self.mapping.warnings(arguments) {
            cx.warn(warning);
        }
        let earlier = cx.warning_count();
        let mapped = self.mapping.own(arguments);
        let own = mapped.as_ref().unwrap_or(arguments);
        let outcome = self.tool.execute(cx, own).await.and_then(|output| {
            let mut output = output;
            let Some(rendering) = &self.rendering else {
                return Ok(output);
            };
            self.mapping.move_additions_to(cx, earlier, &mut output);
            match output.data.clone() {
                Some(data) => rendering.apply(&data, own, cx, output),
                None => Ok(output),
            }
        });
        outcome.map_err(|error| self.error(error, own))
    }
}

impl<T: fmt::Debug> fmt::Debug for AdaptedTool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdaptedTool")
            .field("tool", &self.tool)
            .field("definition", &self.definition)
            .field("mapping", &self.mapping)
            .finish_non_exhaustive()
    }
}
