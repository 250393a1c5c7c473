//! Events of servers.

use std::sync::Arc;

use super::list::HiddenTool;
use super::report::ServerState;

/// Event of a server.
///
/// # Examples
/// ```
/// use tool_mcp::McpManager;
/// use tool_mcp::client::{ServerEvent, ServerEventKind};
///
/// let show = |event: &ServerEvent<'_>| match event.kind {
///     ServerEventKind::StateChanged { state } => println!("{}: {state}", event.server),
///     ServerEventKind::ToolHidden { tool } => {
///         println!("{}: review {}: {}", event.server, tool.name, tool.changes.join(", "));
///     }
///     _ => {}
/// };
/// let manager = McpManager::builder().on_event(show).build();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerEvent<'e> {
    /// Name of the server.
    pub server: &'e str,
    /// Kind of the event.
    pub kind: ServerEventKind<'e>,
}

/// Kind of a [`ServerEvent`].
///
/// # Examples
/// See [`ServerEvent`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerEventKind<'e> {
    /// The state changed.
    StateChanged {
        /// New state.
        state: ServerState,
    },
    /// A tool is hidden until its definition is accepted.
    ToolHidden {
        /// Tool with the changes since its review.
        tool: &'e HiddenTool,
    },
}

/// Function that receives the events of all servers.
pub(crate) type EventSink = Arc<dyn Fn(&ServerEvent<'_>) + Send + Sync>;
