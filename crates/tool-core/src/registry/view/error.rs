//! Errors of views.

use crate::{PresentationError, RegisterError};

/// Reason for a view that cannot be built, or for a tool that it cannot show.
///
/// # Examples
/// ```
/// use tool_core::Registry;
///
/// let error = Registry::new().view().rename("read", "open").build().unwrap_err();
/// assert_eq!(error.to_string(), "the view refers to the unknown tool `read`");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A step refers to a tool that does not exist, or no longer has this name.
    #[error("the view refers to the unknown tool `{name}`{}", hint(nearest.as_deref()))]
    UnknownTool {
        /// The name.
        name: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// Two tools would have the same name.
    #[error("the tools `{first}` and `{second}` would both be named `{name}`")]
    NameCollision {
        /// The name they would share.
        name: String,
        /// The tool that keeps the name, by its name below the view.
        first: String,
        /// The tool that is omitted, by its name below the view.
        second: String,
    },
    /// No tool of a step has its parameter.
    #[error("no tool matching `{pattern}` has a parameter `{parameter}`")]
    UnknownParameter {
        /// The pattern of the step.
        pattern: String,
        /// The parameter.
        parameter: String,
    },
    /// A parameter cannot be presented as specified.
    #[error(transparent)]
    Presentation(#[from] PresentationError),
    /// The shown tool would be invalid.
    #[error(transparent)]
    Register(#[from] RegisterError),
    /// There are more than 64 conditions.
    #[error(
        "the view has {0} conditions; at most 64 are allowed, so split it into a view of a view"
    )]
    TooManyConditions(usize),
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!("; did you mean `{nearest}`?")
    })
}
