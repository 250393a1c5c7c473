//! Errors of presentations and toolsets.

/// Reason why a toolset cannot be built.
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
    /// Unknown parameter in an edit.
    #[error("`{tool}` has no parameter `{parameter}` to present")]
    UnknownParameter {
        /// The tool as shown.
        tool: String,
        /// The unknown parameter.
        parameter: String,
    },
    /// Name of two parameters, or of a parameter and an alias.
    #[error("two parameters of `{tool}` are called `{name}`")]
    NameCollision {
        /// The tool as shown.
        tool: String,
        /// The name they share.
        name: String,
    },
    /// Name of two tools of a toolset.
    #[error("the toolset `{toolset}` has two tools called `{tool}`")]
    DuplicateTool {
        /// The toolset.
        toolset: String,
        /// The name they share.
        tool: String,
    },
    /// Unknown tool in an edit of a toolset.
    #[error("the toolset `{toolset}` has no tool `{tool}`{}", crate::text::did_you_mean(.nearest.as_deref()))]
    UnknownTool {
        /// The toolset.
        toolset: String,
        /// The unknown name.
        tool: String,
        /// The most similar name.
        nearest: Option<String>,
    },
}
