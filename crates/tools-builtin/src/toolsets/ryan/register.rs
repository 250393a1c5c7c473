//! Registration of the toolset under the name of the source document.

use std::sync::Arc;

use tool_core::{RegisterError, Registry, Toolset, ToolsetError};

use crate::Kit;

/// Registration of the [`ryan`](super::ryan) toolset.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::toolsets::RegisterBuiltinTools;
/// use tools_builtin::{Kit, Workspace};
///
/// let scratch = Scratch::new();
/// let registry = Registry::new();
/// registry.register_builtin_tools(&Kit::new(Workspace::open(scratch.path())?))?;
/// assert!(registry.get("execute_bash").is_some() && registry.get("read_file").is_some());
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub trait RegisterBuiltinTools {
    /// Adds `execute_bash` and `read_file` over the tools of `kit`. Adds none of them if a name is
    /// taken.
    ///
    /// # Errors
    /// Returns [`RegisterBuiltinToolsError`] if a name is taken, or if the registry is a view or a
    /// snapshot.
    fn register_builtin_tools(&self, kit: &Kit) -> Result<(), RegisterBuiltinToolsError>;
}

/// Reason for a failed registration of the toolset.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::toolsets::RegisterBuiltinTools;
/// use tools_builtin::{Kit, Workspace};
///
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?);
/// let registry = Registry::new();
/// registry.register_builtin_tools(&kit)?;
/// let error = registry.register_builtin_tools(&kit).unwrap_err();
/// assert!(error.to_string().contains("execute_bash"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterBuiltinToolsError {
    /// The toolset could not be built.
    #[error(transparent)]
    Toolset(#[from] ToolsetError),
    /// The registry rejected a tool.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

impl RegisterBuiltinTools for Registry {
    fn register_builtin_tools(&self, kit: &Kit) -> Result<(), RegisterBuiltinToolsError> {
        let toolset: Toolset = super::ryan(kit)?;
        self.register_all(toolset.tools().iter().map(Arc::clone))?;
        Ok(())
    }
}
