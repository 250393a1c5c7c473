//! Any tool under another face.

use std::fmt;

use async_trait::async_trait;
use serde_json::Value;

use super::apply::{Mapping, apply};
use super::presentation::{Presentation, PresentationError};
use super::wording::{ErrorMap, Wording};
use crate::approval::{Assessment, Preview};
use crate::{Arguments, RiskLevel, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput};

/// Any tool under another face: other names, fixed parameters, other words.
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
    map_error: Option<ErrorMap>,
    /// Nothing where the tool words its outputs itself.
    wording: Option<Wording<Value>>,
}

impl<T: Tool> AdaptedTool<T> {
    /// Shows `tool` as `presentation` says.
    ///
    /// # Errors
    /// [`PresentationError`] where an edit names a parameter that the tool lacks, or two names collide.
    pub fn new(tool: T, presentation: Presentation) -> Result<Self, PresentationError> {
        let wording = presentation.wording.clone();
        let shown = Self::of(tool, presentation)?;
        Ok(Self {
            wording: Some(wording),
            ..shown
        })
    }

    /// Shows `tool` as it is.
    pub(crate) fn unchanged(tool: T) -> Self {
        Self {
            definition: tool.definition().clone(),
            tool,
            mapping: Mapping::default(),
            map_error: None,
            wording: None,
        }
    }

    /// The same with another name or description. Arguments must stay.
    pub(crate) fn redefined(self, change: impl FnOnce(ToolDefinition) -> ToolDefinition) -> Self {
        Self {
            definition: change(self.definition),
            ..self
        }
    }

    /// The same with the tool behind it told how it is shown.
    pub(super) fn with_tool(self, change: impl FnOnce(T, &Mapping) -> T) -> Self {
        Self {
            tool: change(self.tool, &self.mapping),
            ..self
        }
    }

    /// How the arguments of this face become those of the tool behind it.
    pub(crate) fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// Shows a tool that words its outputs itself.
    pub(super) fn of<O>(tool: T, presentation: Presentation<O>) -> Result<Self, PresentationError> {
        let map_error = presentation.map_error.clone();
        let (definition, mapping) = apply(tool.definition(), presentation)?;
        Ok(Self {
            tool,
            definition,
            mapping,
            map_error,
            wording: None,
        })
    }

    /// The tool's error as it is shown; `own` are the tool's own arguments.
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
        self.own(arguments, |own| self.tool.risk_of(own))
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
            let Some(wording) = &self.wording else {
                return Ok(output);
            };
            self.mapping.say_in(cx, earlier, &mut output);
            match output.data.clone() {
                Some(data) => wording.apply(&data, own, cx, output),
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
