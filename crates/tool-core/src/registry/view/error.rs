//! Why a view cannot show what it was told to.

use crate::{PresentationError, RegisterError};

/// A view that cannot be built, or a tool that it cannot show.
///
/// # Examples
/// ```
/// use tool_core::{Registry, ViewError};
///
/// let error = Registry::new().view().rename("read", "open").build().unwrap_err();
/// assert_eq!(error.to_string(), "the view names the tool `read`, which is not there");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A step names a tool that is not there, or no longer under this name.
    #[error("the view names the tool `{name}`, which is not there{}", hint(nearest.as_deref()))]
    UnknownTool {
        /// The name.
        name: String,
        /// The name that may have been meant.
        nearest: Option<String>,
    },
    /// Two tools would have one name.
    #[error("the tools `{first}` and `{second}` would both be called `{name}`")]
    NameCollision {
        /// The name they would share.
        name: String,
        /// The tool that has it, as the registry or the view below calls it.
        first: String,
        /// The tool that is left out.
        second: String,
    },
    /// No tool that a step covers has the parameter it names.
    #[error("no tool matching `{pattern}` has a parameter `{parameter}`")]
    UnknownParameter {
        /// The pattern of the step.
        pattern: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter cannot be shown as it was said.
    #[error(transparent)]
    Presentation(#[from] PresentationError),
    /// What would be shown is not a tool that can be called.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// There are more than 64 conditions.
    #[error("a view has at most 64 conditions, and this one has {0}; make a view of the view")]
    TooManyConditions(usize),
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
