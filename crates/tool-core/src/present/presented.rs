//! Any tool under another face.

use async_trait::async_trait;
use serde_json::Value;

use super::apply::{Mapping, apply};
use super::presentation::{Presentation, PresentationError};
use crate::approval::{Assessment, Preview};
use crate::{Arguments, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// Any tool under another face: other names, fixed parameters, other words.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::{DynamicTool, Presented, Registry, ToolDefinition, ToolOutput, show};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schema = json!({"properties": {"path": {"type": "string"}, "mode": {"type": "string"}}});
/// let open = DynamicTool::new(ToolDefinition::new("open", "Opens.", schema), |_, a| async { Ok(ToolOutput::json(a)) });
///
/// let read = Presented::new(open, show("read", "Reads a file.").rename("path", "file").pin("mode", "r"))?;
///
/// let result = Registry::of(read)?.execute("read", json!({"file": "a.txt"})).await;
/// assert_eq!(result.data, Some(json!({"path": "a.txt", "mode": "r"})));
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Presented<T> {
    tool: T,
    definition: ToolDefinition,
    mapping: Mapping,
    map_error: Option<fn(ToolError) -> ToolError>,
    render: Option<fn(&Value) -> String>,
}

impl<T: Tool> Presented<T> {
    /// Shows `tool` as `presentation` says.
    ///
    /// # Errors
    /// [`PresentationError`] where an edit names a parameter that the tool lacks, or two names collide.
    pub fn new(tool: T, presentation: Presentation) -> Result<Self, PresentationError> {
        let render = presentation.render;
        Self::with_renderer(tool, presentation, render)
    }

    /// Shows `tool` as it is.
    pub(crate) fn unchanged(tool: T) -> Self {
        Self {
            definition: tool.definition().clone(),
            tool,
            mapping: Mapping::default(),
            map_error: None,
            render: None,
        }
    }

    /// The same with another name or description. Parameters must stay.
    pub(crate) fn redefined(self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        Self {
            definition: change(self.definition),
            ..self
        }
    }

    /// The same for a tool that renders its output itself.
    /// How the arguments of this face become those of the tool behind it.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    pub(super) fn of<O>(tool: T, presentation: Presentation<O>) -> Result<Self, PresentationError> {
        Self::with_renderer(tool, presentation, None)
    }

    fn with_renderer<O>(
        tool: T,
        presentation: Presentation<O>,
        render: Option<fn(&Value) -> String>,
    ) -> Result<Self, PresentationError> {
        let map_error = presentation.map_error;
        let (definition, mapping) = apply(tool.definition(), presentation)?;
        Ok(Self {
            tool,
            definition,
            mapping,
            map_error,
            render,
        })
    }

    fn error(&self, error: ToolError) -> ToolError {
        let error = self.mapping.error(error);
        match self.map_error {
            Some(map) => map(error),
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
impl<T: Tool> Tool for Presented<T> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn check(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Result<(), ToolError> {
        self.own(arguments, |own| self.tool.check(cx, own))
            .map_err(|error| self.error(error))
    }

    fn risk_of(&self, arguments: &Arguments<'_>) -> RiskLevel {
        self.own(arguments, |own| self.tool.risk_of(own))
    }

    fn assess(&self, arguments: &Arguments<'_>) -> Result<Assessment, ToolError> {
        self.own(arguments, |own| self.tool.assess(own))
            .map(|found| found.renamed(|own| self.mapping.shown_name(own).map(str::to_owned)))
            .map_err(|error| self.error(error))
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

    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let outcome = match self.mapping.own(arguments) {
            Some(own) => self.tool.execute(cx, &own).await,
            None => self.tool.execute(cx, arguments).await,
        };
        let mut output = outcome.map_err(|error| self.error(error))?;
        if let (Some(render), Some(data)) = (self.render, &output.data) {
            let text = render(data);
            output.content.retain(|block| block.as_text().is_none());
            output.content.insert(0, crate::ContentBlock::text(text));
        }
        Ok(output)
    }
}
