//! Events of servers.

use std::fmt;
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
///         println!("{}: review {}: {}", event.server, tool.name, tool.changes.join("; "));
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
#[derive(Clone)]
pub(crate) struct EventSink(Arc<dyn Fn(&ServerEvent<'_>) + Send + Sync>);

impl EventSink {
    pub(crate) fn new(sink: impl Fn(&ServerEvent<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    pub(crate) fn emit(&self, server: &str, kind: ServerEventKind<'_>) {
        (self.0)(&ServerEvent { server, kind });
    }
}

impl fmt::Debug for EventSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventSink")
    }
}
