//! Errors of registration.

use crate::{NameError, ToolDefinition, ToolName, text};

/// Reason for a failed registration.
///
/// # Examples
/// ```
/// use tool_core::{RegisterError, Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct NoInput {}
///
/// let registry = Registry::new();
/// let tool = || tool_fn("ping", "Returns pong.", |_, _: NoInput| async { Ok("pong") });
/// registry.register(tool())?;
/// assert!(matches!(registry.register(tool()), Err(RegisterError::NameTaken { .. })));
/// # Ok::<_, RegisterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Another tool already has this name.
    #[error(
        "two tools are named `{name}`: one is from {existing}, the other from {new}; \
         rename one with `AdaptedTool`, omit one, or `replace` the first"
    )]
    NameTaken {
        /// The name.
        name: ToolName,
        /// Source of the registered tool, and the beginning of its description.
        existing: String,
        /// Source of the rejected tool, and the beginning of its description.
        new: String,
    },
    /// The input schema is invalid or not supported.
    #[error("invalid schema of `{name}`: {reason}")]
    InvalidSchema {
        /// The tool.
        name: ToolName,
        /// The problem and its location in the schema.
        reason: String,
    },
    /// An example of the definition does not match the tool's schema.
    #[error("example {index} of `{name}` does not match its schema: {reason}")]
    InvalidExample {
        /// The tool.
        name: ToolName,
        /// Index of the example.
        index: usize,
        /// The violated constraint.
        reason: String,
    },
    /// The registry is a snapshot, or shows fewer tools of another one.
    #[error(
        "a snapshot or narrowed registry cannot be changed; register the tool in the registry that it was made from"
    )]
    ReadOnly,
}

impl RegisterError {
    pub(crate) fn schema(name: &ToolName, reason: String) -> Self {
        Self::InvalidSchema {
            name: name.clone(),
            reason,
        }
    }

    /// Creates the error of two tools with one name, each with its source.
    pub(crate) fn taken(
        name: &ToolName,
        existing: (&ToolDefinition, Option<&str>),
        new: (&ToolDefinition, Option<&str>),
    ) -> Self {
        Self::NameTaken {
            name: name.clone(),
            existing: origin(existing.0, existing.1),
            new: origin(new.0, new.1),
        }
    }
}

/// Describes the source of a tool, and the tool itself.
fn origin(definition: &ToolDefinition, owner: Option<&str>) -> String {
    let owner = || owner.map(|name| format!("the source `{name}`"));
    let origin = definition.origin().or_else(owner);
    let origin = origin.as_deref().unwrap_or("the application");
    let description = text::short(definition.description(), 80);
    format!("{} ({description:?})", text::short(origin, 80))
}
