//! Presentation of one tool: names, descriptions, fixed values, limits and wording.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::Value;

use super::rendering::{ErrorMap, Rendering};
use crate::{Arguments, OutputLimit, RiskLevel, TextLimit, ToolDefinition, ToolError};

/// Edit of one parameter.
#[derive(Debug, Clone)]
pub(super) enum Edit {
    Rename { to: String },
    Alias { alias: String },
    Pin { value: Value },
    Hide,
    Describe { text: String },
    Default { value: Value },
    Schema { schema: Value },
    Clamp { range: RangeInclusive<i64> },
}

/// Presentation of one tool. Edits refer to the tool's own parameters and apply in one step, so two names may be swapped.
///
/// Functions that render outputs and errors also receive the arguments: the values as sent by the model, under the tool's
/// own names, including pinned values.
///
/// # Examples
/// ```
/// use serde_json::{Value, json};
/// use tool_core::{Arguments, DynamicTool, AdaptedTool, Registry, ToolDefinition, ToolError, ToolOutput, Presentation};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// fn path<'a>(arguments: &'a Arguments<'_>) -> &'a str {
///     arguments.get("path").and_then(|path| path.as_str()).unwrap_or_default()
/// }
///
/// let schema = json!({"properties": {"path": {"type": "string"}}, "required": ["path"]});
/// let count = DynamicTool::new(ToolDefinition::new("count", "Counts.", schema), |_, arguments| async move {
///     match arguments["path"].as_str() {
///         Some("a.txt") => Ok(ToolOutput::json(json!({"lines": 3}))),
///         _ => Err(ToolError::file_not_found("path", "does not exist")),
///     }
/// });
/// let presentation = Presentation::new("count_lines", "Counts the lines of a file.")
///     .rename("path", "file")
///     .render(|output: &Value, arguments| format!("{} has {} lines", path(arguments), output["lines"]))
///     .note("lines", |output: &Value, _| output["lines"].clone())
///     .map_error(|error, arguments| error.with_text(format!("No such file: {}", path(arguments))));
///
/// let registry = Registry::of(AdaptedTool::new(count, presentation)?)?;
/// let counted = registry.execute("count_lines", json!({"file": "a.txt"})).await;
/// let missing = registry.execute("count_lines", json!({"file": "b.txt"})).await;
/// assert_eq!(counted.text(), "a.txt has 3 lines");
/// assert_eq!(counted.metadata.extra["lines"], 3);
/// assert_eq!(missing.text(), "No such file: b.txt");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Presentation<O = Value> {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) edits: Vec<(String, Edit)>,
    pub(super) only: Option<Vec<String>>,
    pub(super) open: bool,
    pub(super) limits: TextLimit,
    pub(super) output_limit: Option<OutputLimit>,
    pub(super) min_risk: Option<RiskLevel>,
    pub(super) rendering: Rendering<O>,
    pub(super) map_error: Option<ErrorMap>,
}

impl<O> Presentation<O> {
    /// Creates a presentation of a tool under `name`.
    ///
    /// The schema is closed: unknown parameters are rejected.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            edits: Vec::new(),
            only: None,
            open: false,
            limits: TextLimit::default(),
            output_limit: None,
            min_risk: None,
            rendering: Rendering::default(),
            map_error: None,
        }
    }

    fn edit(mut self, parameter: &str, edit: Edit) -> Self {
        self.edits.push((parameter.to_owned(), edit));
        self
    }

    /// Returns the name for the model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Renames the parameter; its own name is rejected.
    #[must_use]
    pub fn rename(self, parameter: &str, to: impl Into<String>) -> Self {
        self.edit(parameter, Edit::Rename { to: to.into() })
    }

    /// Accepts another name for the parameter without showing it. A hidden parameter is accepted under this name only.
    #[must_use]
    pub fn alias(self, parameter: &str, alias: impl Into<String>) -> Self {
        let alias = alias.into();
        self.edit(parameter, Edit::Alias { alias })
    }

    /// Fixes the value of the parameter and hides it.
    #[must_use]
    pub fn pin(self, parameter: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.edit(parameter, Edit::Pin { value })
    }

    /// Hides the parameter; its own default applies.
    ///
    /// In suggestions and warnings of the tool, sentences with a hidden parameter in backticks are omitted, and renamed
    /// parameters in backticks are replaced by the shown name.
    #[must_use]
    pub fn hide(self, parameter: &str) -> Self {
        self.edit(parameter, Edit::Hide)
    }

    /// Hides all other parameters, including parameters of later versions of the tool. Pinned parameters stay pinned.
    #[must_use]
    pub fn only<'p>(mut self, parameters: impl IntoIterator<Item = &'p str>) -> Self {
        self.only = Some(parameters.into_iter().map(str::to_owned).collect());
        self
    }

    /// Replaces the description of the parameter.
    #[must_use]
    pub fn describe(self, parameter: &str, text: impl Into<String>) -> Self {
        self.edit(parameter, Edit::Describe { text: text.into() })
    }

    /// Replaces the default of the parameter.
    #[must_use]
    pub fn default(self, parameter: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.edit(parameter, Edit::Default { value })
    }

    /// Replaces the schema of the parameter. The tool's own schema must accept all values that `schema` allows.
    #[must_use]
    pub fn schema(self, parameter: &str, schema: Value) -> Self {
        self.edit(parameter, Edit::Schema { schema })
    }

    /// Clamps numbers to `range` with a warning.
    #[must_use]
    pub fn clamp(self, parameter: &str, range: RangeInclusive<i64>) -> Self {
        self.edit(parameter, Edit::Clamp { range })
    }

    /// Ignores unknown parameters with a warning; they are rejected by default.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Sets the limits that the tool receives.
    #[must_use]
    pub fn limits(mut self, limits: TextLimit) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the minimum risk of every call, for tools whose risk depends on the arguments.
    #[must_use]
    pub fn min_risk(mut self, risk: RiskLevel) -> Self {
        self.min_risk = Some(risk);
        self
    }

    /// Sets the maximum size of the output for the model, which replaces the registry's limit.
    #[must_use]
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.output_limit = Some(limit);
        self
    }

    /// Replaces the tool's rendering of the output.
    #[must_use]
    pub fn render(
        mut self,
        render: impl Fn(&O, &Arguments<'_>) -> String + Send + Sync + 'static,
    ) -> Self {
        self.rendering.render = Some(Arc::new(render));
        self
    }

    /// Adds `key` to the metadata of each result.
    #[must_use]
    pub fn note<V: Into<Value>>(
        mut self,
        key: impl Into<String>,
        value: impl Fn(&O, &Arguments<'_>) -> V + Send + Sync + 'static,
    ) -> Self {
        let value = move |output: &O, arguments: &Arguments<'_>| value(output, arguments).into();
        self.rendering.notes.push((key.into(), Arc::new(value)));
        self
    }

    /// Treats an output as a failure if `fail` returns an error, such as for a command with a nonzero exit code.
    ///
    /// The error carries the data, metadata and warnings of the output, and no text unless the error has its own output.
    #[must_use]
    pub fn fail(
        mut self,
        fail: impl Fn(&O, &Arguments<'_>) -> Option<ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.rendering.fail = Some(Arc::new(fail));
        self
    }

    /// Adds a warning if `warning` returns a string.
    #[must_use]
    pub fn warn(
        mut self,
        warning: impl Fn(&O, &Arguments<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.rendering.warnings.push(Arc::new(warning));
        self
    }

    /// Replaces the text of each warning, including warnings of the presentation.
    #[must_use]
    pub fn map_warning(mut self, map: impl Fn(String) -> String + Send + Sync + 'static) -> Self {
        self.rendering.map_warning = Some(Arc::new(map));
        self
    }

    /// Replaces errors of the tool. The error's parameter has the shown name.
    ///
    /// [`ToolError::reworded`] replaces code and message, [`ToolError::with_text`] the complete text for the model. Errors
    /// of the registry, such as arguments that violate the schema, are not replaced.
    #[must_use]
    pub fn map_error(
        mut self,
        map: impl Fn(ToolError, &Arguments<'_>) -> ToolError + Send + Sync + 'static,
    ) -> Self {
        self.map_error = Some(Arc::new(map));
        self
    }
}

impl Presentation {
    /// Returns the same edits for another tool, which keeps its name and description.
    pub(crate) fn of_tool(&self, tool: &ToolDefinition) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            ..self.clone()
        }
    }

    /// Returns the parameters with edits.
    pub(crate) fn parameters(&self) -> impl Iterator<Item = &str> {
        self.edits.iter().map(|(parameter, _)| parameter.as_str())
    }
}

impl<O> fmt::Debug for Presentation<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Presentation")
            .field("name", &self.name)
            .field("edits", &self.edits)
            .finish_non_exhaustive()
    }
}
