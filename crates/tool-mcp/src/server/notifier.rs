//! Notifications about prompts and resources.

use std::fmt;

use tokio::sync::broadcast;

/// Maximum number of notifications that wait for a slow client. Older ones are skipped.
const CAPACITY: usize = 256;

/// Sender of notifications to all clients of a server that have subscribed. Changes of tools need none: the server
/// watches the registry. Clones send to the same clients.
///
/// # Examples
/// ```
/// use tool_core::Registry;
/// use tool_mcp::McpServer;
///
/// let server = McpServer::new(Registry::new());
/// let notifier = server.notifier();
/// notifier.resource_updated("file:///notes.txt");
/// ```
#[derive(Clone)]
pub struct Notifier(broadcast::Sender<Notice>);

/// Notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    ToolsChanged,
    PromptsChanged,
    ResourcesChanged,
    ResourceUpdated(String),
}

impl Default for Notifier {
    fn default() -> Self {
        Self(broadcast::channel(CAPACITY).0)
    }
}

impl Notifier {
    /// Reports that the list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.send(Notice::PromptsChanged);
    }

    /// Reports that the list of resources has changed.
    pub fn resources_changed(&self) {
        self.send(Notice::ResourcesChanged);
    }

    /// Reports that a resource has changed.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.send(Notice::ResourceUpdated(uri.into()));
    }

    fn send(&self, notice: Notice) {
        // An error means that no client has subscribed.
        let _ = self.0.send(notice);
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.0.subscribe()
    }
}

impl fmt::Debug for Notifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notifier")
    }
}
