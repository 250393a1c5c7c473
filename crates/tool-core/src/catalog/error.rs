//! Why a tool could not be registered.

use crate::{NameError, ToolDefinition, ToolName, text};

/// A tool that could not be registered.
///
/// # Examples
/// ```
/// use tool_core::{RegisterError, Registry, tool_fn};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Nothing {}
///
/// let registry = Registry::new();
/// let tool = || tool_fn("ping", "Answers.", |_, _: Nothing| async { Ok("pong") });
/// registry.register(tool())?;
/// assert!(matches!(registry.register(tool()), Err(RegisterError::NameTaken { .. })));
/// # Ok::<_, RegisterError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The name is not one.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Another tool has this name.
    #[error(
        "two tools are named `{name}`: one is from {existing}, the other from {new}; \
         show one under another name (`Presented`), leave one out, or `replace` the first"
    )]
    NameTaken {
        /// The name.
        name: ToolName,
        /// Where the tool that has it comes from, and the beginning of its description.
        existing: String,
        /// The same of the tool that was refused.
        new: String,
    },
    /// The input schema cannot be used.
    #[error("the schema of `{name}` cannot be used: {reason}")]
    InvalidSchema {
        /// The tool.
        name: ToolName,
        /// What is wrong with the schema, and where.
        reason: String,
    },
    /// An example of the definition does not fit the tool's own schema.
    #[error("example {index} of `{name}` does not fit its schema: {reason}")]
    InvalidExample {
        /// The tool.
        name: ToolName,
        /// Which example, counting from 0.
        index: usize,
        /// What does not fit.
        reason: String,
    },
}

impl RegisterError {
    pub(crate) fn schema(name: &ToolName, reason: String) -> Self {
        Self::InvalidSchema {
            name: name.clone(),
            reason,
        }
    }

    /// The name of the first was given again, to the second; each with the source that owns it.
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

/// Where a tool comes from, and what it is, for two that share a source.
fn origin(definition: &ToolDefinition, owner: Option<&str>) -> String {
    let owner = owner.map(|name| format!("the source `{name}`"));
    let source = definition.source().or(owner.as_deref());
    let source = source.unwrap_or("the application");
    let description = text::short(definition.description(), 80);
    format!("{} ({description:?})", text::short(source, 80))
}
