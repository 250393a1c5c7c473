//! Notifications about changed tools, prompts and resources.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::sleep;
use tool_core::Registry;

use super::Host;
use super::session::Session;
use crate::server::Notice;

/// Time in which further changes of the registry are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Changes of a server, in the order of their detection.
struct Changes {
    registry: Registry,
    seen: u64,
    notices: Receiver<Notice>,
}

impl Changes {
    /// Returns the next change, or `None` if there will be no further changes.
    async fn next(&mut self) -> Option<Notice> {
        loop {
            tokio::select! {
                seen = self.registry.changed_since(self.seen) => {
                    sleep(DEBOUNCE).await;
                    self.seen = seen.max(self.registry.generation());
                    return Some(Notice::ToolsChanged);
                }
                notice = self.notices.recv() => match notice {
                    Ok(notice) => return Some(notice),
                    // A client that is too slow misses notifications.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }
}

impl Host {
    fn changes(&self) -> Changes {
        let registry = self.0.server.registry.clone();
        Changes {
            seen: registry.generation(),
            registry,
            notices: self.0.server.notifier.subscribe(),
        }
    }

    /// Notifies a client of an older revision until it is gone or the service stops.
    pub(super) fn announce_to_session(&self, peer: Peer<RoleServer>) {
        let mut changes = self.changes();
        let stopping = self.0.stopping.child();
        let session = Arc::clone(&self.1);
        tokio::spawn(async move {
            let announce = async {
                while let Some(change) = changes.next().await {
                    if peer.is_transport_closed() || !notify(&peer, &session, change).await {
                        return;
                    }
                }
            };
            stopping.run_until_cancelled(announce).await;
        });
    }

    /// Notifies a subscription until it is cancelled or the service stops.
    pub(super) async fn announce_to_subscription(&self, context: &SubscriptionContext) {
        let mut changes = self.changes();
        let announce = async {
            while let Some(change) = changes.next().await {
                if !send(context, change).await {
                    return;
                }
            }
        };
        tokio::select! {
            () = announce => {}
            () = context.cancelled() => {}
            () = self.0.stopping.cancelled() => {}
        }
    }
}

/// Sends a change. Returns `false` if the client is gone.
async fn notify(peer: &Peer<RoleServer>, session: &Session, notice: Notice) -> bool {
    let sent = match notice {
        Notice::ToolsChanged => peer.notify_tool_list_changed().await,
        Notice::PromptsChanged => peer.notify_prompt_list_changed().await,
        Notice::ResourcesChanged => peer.notify_resource_list_changed().await,
        Notice::ResourceUpdated(uri) if session.is_subscribed(&uri) => {
            let uri = ResourceUpdatedNotificationParam::new(uri);
            peer.notify_resource_updated(uri).await
        }
        Notice::ResourceUpdated(_) => Ok(()),
    };
    sent.is_ok()
}

/// Sends a change if the subscription includes it. Returns `false` if the client is gone.
async fn send(context: &SubscriptionContext, notice: Notice) -> bool {
    let (filter, sink) = (context.accepted(), context.sink());
    let is_on = |on: Option<bool>| on == Some(true);
    let uris = filter.resource_subscriptions.as_deref().unwrap_or_default();
    let sent = match notice {
        Notice::ToolsChanged if is_on(filter.tools_list_changed) => {
            sink.notify_tool_list_changed().await
        }
        Notice::PromptsChanged if is_on(filter.prompts_list_changed) => {
            sink.notify_prompt_list_changed().await
        }
        Notice::ResourcesChanged if is_on(filter.resources_list_changed) => {
            sink.notify_resource_list_changed().await
        }
        Notice::ResourceUpdated(uri) if uris.contains(&uri) => {
            sink.notify_resource_updated(uri).await
        }
        _ => Ok(()),
    };
    sent.is_ok()
}
