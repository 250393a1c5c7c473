//! How one tool is shown: names, descriptions, fixed values, limits and words of its own.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::Value;

use super::wording::{ErrorMap, Wording};
use crate::{Arguments, OutputLimit, TextLimit, ToolDefinition, ToolError};

/// A toolset that cannot be built.
///
/// # Examples
/// ```
/// use tool_core::PresentationError;
///
/// let error = PresentationError::UnknownParameter { tool: "read".into(), parameter: "pth".into() };
/// assert_eq!(error.to_string(), "`read` has no parameter `pth` to present");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PresentationError {
    /// An edit names a parameter that the tool lacks.
    #[error("`{tool}` has no parameter `{parameter}` to present")]
    UnknownParameter {
        /// The tool as shown.
        tool: String,
        /// The parameter that was named.
        parameter: String,
    },
    /// Two parameters, or a parameter and an alias, have one name.
    #[error("two parameters of `{tool}` are called `{name}`")]
    NameCollision {
        /// The tool as shown.
        tool: String,
        /// The name they share.
        name: String,
    },
    /// Two tools of a toolset have one name.
    #[error("the toolset `{toolset}` has two tools called `{tool}`")]
    DuplicateTool {
        /// The toolset.
        toolset: String,
        /// The name they share.
        tool: String,
    },
}

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

/// How one tool is shown. All edits name the tool's own parameters and apply at once, so two names may be swapped.
///
/// The words for outputs and errors see the arguments too, with their values as the model wrote them, under the tool's own
/// names and with what is pinned.
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
    pub(super) wording: Wording<O>,
    pub(super) map_error: Option<ErrorMap>,
}

impl<O> Presentation<O> {
    /// Creates a presentation that shows a tool under `name`.
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
            wording: Wording::default(),
            map_error: None,
        }
    }
}

impl<O> Presentation<O> {
    fn edit(mut self, parameter: &str, edit: Edit) -> Self {
        self.edits.push((parameter.to_owned(), edit));
        self
    }

    /// The name that the model sees.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Shows the parameter under another name; its own is no longer taken.
    #[must_use]
    pub fn rename(self, parameter: &str, to: impl Into<String>) -> Self {
        self.edit(parameter, Edit::Rename { to: to.into() })
    }

    /// Accepts another name for the parameter without showing it.
    #[must_use]
    pub fn alias(self, parameter: &str, alias: impl Into<String>) -> Self {
        self.edit(
            parameter,
            Edit::Alias {
                alias: alias.into(),
            },
        )
    }

    /// Fixes the parameter and does not show it.
    #[must_use]
    pub fn pin(self, parameter: &str, value: impl Into<Value>) -> Self {
        self.edit(
            parameter,
            Edit::Pin {
                value: value.into(),
            },
        )
    }

    /// Does not show the parameter; its own default applies.
    ///
    /// In what the tool suggests and warns of, sentences that name a parameter in backticks which is not shown are left
    /// out, and those that name one which is shown otherwise give that name.
    #[must_use]
    pub fn hide(self, parameter: &str) -> Self {
        self.edit(parameter, Edit::Hide)
    }

    /// Hides every parameter but these, also those that the tool comes to have later; what is pinned stays pinned.
    #[must_use]
    pub fn only<'p>(mut self, parameters: impl IntoIterator<Item = &'p str>) -> Self {
        self.only = Some(parameters.into_iter().map(str::to_owned).collect());
        self
    }

    /// Describes the parameter in other words.
    #[must_use]
    pub fn describe(self, parameter: &str, text: impl Into<String>) -> Self {
        self.edit(parameter, Edit::Describe { text: text.into() })
    }

    /// Gives the parameter another default.
    #[must_use]
    pub fn default(self, parameter: &str, value: impl Into<Value>) -> Self {
        self.edit(
            parameter,
            Edit::Default {
                value: value.into(),
            },
        )
    }

    /// Shows another schema for the parameter; the tool's own must take what it allows.
    #[must_use]
    pub fn schema(self, parameter: &str, schema: Value) -> Self {
        self.edit(parameter, Edit::Schema { schema })
    }

    /// Brings numbers that are out of `range` to its border, with a warning, instead of leaving them to the tool.
    #[must_use]
    pub fn clamp(self, parameter: &str, range: RangeInclusive<i64>) -> Self {
        self.edit(parameter, Edit::Clamp { range })
    }

    /// Ignores unknown parameters with a warning, instead of refusing them.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Sets how much the tool may give.
    #[must_use]
    pub fn limits(mut self, limits: TextLimit) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how much of the output the model is shown, in place of the registry's limit.
    #[must_use]
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.output_limit = Some(limit);
        self
    }

    /// Shows the output in other words.
    #[must_use]
    pub fn render(
        mut self,
        render: impl Fn(&O, &Arguments<'_>) -> String + Send + Sync + 'static,
    ) -> Self {
        self.wording.render = Some(Arc::new(render));
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
        self.wording.notes.push((key.into(), Arc::new(value)));
        self
    }

    /// Takes some outputs for failures, such as those of a command with an exit code other than zero.
    ///
    /// The error carries the output's data, metadata and warnings, and its text only where it is given one.
    #[must_use]
    pub fn fail(
        mut self,
        fail: impl Fn(&O, &Arguments<'_>) -> Option<ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.wording.fail = Some(Arc::new(fail));
        self
    }

    /// Warns of some outputs.
    #[must_use]
    pub fn warn(
        mut self,
        warning: impl Fn(&O, &Arguments<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.wording.warnings.push(Arc::new(warning));
        self
    }

    /// Says warnings in other words, the presentation's own too.
    #[must_use]
    pub fn map_warning(mut self, map: impl Fn(String) -> String + Send + Sync + 'static) -> Self {
        self.wording.map_warning = Some(Arc::new(map));
        self
    }

    /// Says errors in other words. An error comes with its parameter under the shown name.
    ///
    /// [`ToolError::reworded`] gives it another code and message, [`ToolError::with_text`] what the model reads to the
    /// letter. Errors that the registry finds, such as arguments that do not fit the schema, are not the tool's.
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
    /// The same edits for another tool, which keeps its name and its description.
    pub(crate) fn of_tool(&self, tool: &ToolDefinition) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            ..self.clone()
        }
    }

    /// The parameters that are shown differently.
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
