//! How one tool is shown: names, descriptions, fixed values, limits and words of its own.

use std::fmt;

use serde_json::Value;

use crate::{Limits, ToolDefinition, ToolError};

/// A contract that cannot be built.
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
    /// Two tools of a contract have one name.
    #[error("the contract `{contract}` has two tools called `{tool}`")]
    DuplicateTool {
        /// The contract.
        contract: String,
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
}

/// How one tool is shown. All edits name the tool's own parameters and apply at once, so two names may be swapped.
///
/// # Examples
/// ```
/// use tool_core::{Presentation, show};
///
/// let presentation: Presentation = show("open", "Opens a file.").rename("path", "file").pin("mode", "r");
/// assert_eq!(presentation.name(), "open");
/// ```
#[derive(Clone)]
pub struct Presentation<O = Value> {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) edits: Vec<(String, Edit)>,
    pub(super) open: bool,
    pub(super) limits: Limits,
    pub(super) render: Option<fn(&O) -> String>,
    pub(super) map_error: Option<fn(ToolError) -> ToolError>,
}

/// Shows a tool under `name`. The schema is closed: unknown parameters are refused.
///
/// # Examples
/// See [`Presentation`].
#[must_use]
pub fn show<O>(name: impl Into<String>, description: impl Into<String>) -> Presentation<O> {
    Presentation {
        name: name.into(),
        description: description.into(),
        edits: Vec::new(),
        open: false,
        limits: Limits::default(),
        render: None,
        map_error: None,
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
    #[must_use]
    pub fn hide(self, parameter: &str) -> Self {
        self.edit(parameter, Edit::Hide)
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

    /// Ignores unknown parameters with a warning, instead of refusing them.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Sets how much the tool may give.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Shows the output in other words.
    #[must_use]
    pub fn render(mut self, render: fn(&O) -> String) -> Self {
        self.render = Some(render);
        self
    }

    /// Says errors in other words.
    #[must_use]
    pub fn map_error(mut self, map: fn(ToolError) -> ToolError) -> Self {
        self.map_error = Some(map);
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
