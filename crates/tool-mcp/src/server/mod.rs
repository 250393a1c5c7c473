//! Registries as MCP servers.

mod results;
mod stdio;
mod tools;

use std::fmt;

use tool_core::Registry;

pub(crate) use results::Reply;
pub(crate) use tools::{ServedTool, ServedTools};

/// MCP server that offers the tools of a registry or a view.
///
/// Calls run through the registry: validation, policy, approval, limits and audit apply. A call that
/// requires approval is denied unless the registry has an approver. Failed calls return the text for
/// the model and the error as data; the sources of errors are not sent.
///
/// Both the current protocol revision and the older ones with `initialize` are supported.
///
/// # Examples
/// ```no_run
/// use tool_core::Registry;
/// use tool_mcp::McpServer;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> std::io::Result<()> {
/// let registry = Registry::new();
/// McpServer::new(registry).name("my-tools").serve_stdio().await
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer {
    pub(crate) registry: Registry,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) instructions: Option<String>,
}

impl McpServer {
    /// Creates a server for a registry or a view.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            name: "toolwright".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instructions: None,
        }
    }

    /// Sets the name of the server. The default is `toolwright`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the version of the server. The default is the version of this crate.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Sets the instructions for models that use the server.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
