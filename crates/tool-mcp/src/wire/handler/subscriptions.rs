//! Subscriptions: notifications about changed tools, prompts and resources.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rmcp::model::{
    ErrorData, PromptListChangedNotification, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    ToolListChangedNotification,
};
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSendError};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::sleep;
use tool_core::Registry;

use super::{RegistryHandler, Reply};
use crate::locked;
use crate::server::{LogLevel, Notice};

/// Time in which further changes of the registry are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Maximum number of resources to which a session may subscribe.
const MAX_SUBSCRIPTIONS: usize = 1_000;

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
            // Tools are often registered in a row. One notification for all of them is enough.
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

impl RegistryHandler {
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
                    let is_wanted = match &change {
                        Notice::ResourceUpdated(uri) => session.is_subscribed(uri),
                        _ => true,
                    };
                    let is_gone = peer.is_transport_closed()
                        || is_wanted && peer.send_notification(notification(change)).await.is_err();
                    if is_gone {
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
                // The sink applies the filter of the subscription.
                match context.sink().send(notification(change)).await {
                    Ok(()) | Err(SubscriptionSendError::NotificationNotAccepted(_)) => {}
                    Err(_) => return,
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

fn notification(notice: Notice) -> ServerNotification {
    match notice {
        Notice::ToolsChanged => {
            ServerNotification::ToolListChangedNotification(ToolListChangedNotification::default())
        }
        Notice::PromptsChanged => ServerNotification::PromptListChangedNotification(
            PromptListChangedNotification::default(),
        ),
        Notice::ResourcesChanged => ServerNotification::ResourceListChangedNotification(
            ResourceListChangedNotification::default(),
        ),
        Notice::ResourceUpdated(uri) => {
            let params = ResourceUpdatedNotificationParam::new(uri);
            let updated = ResourceUpdatedNotification::new(params);
            ServerNotification::ResourceUpdatedNotification(updated)
        }
    }
}

/// Settings of a client of an older revision.
#[derive(Default)]
pub(super) struct Session(Mutex<Settings>);

#[derive(Default)]
struct Settings {
    level: Option<LogLevel>,
    subscriptions: HashSet<String>,
}

impl Session {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        locked(&self.0)
    }

    /// Returns the minimum level of log lines, if the client has requested any.
    pub(super) fn level(&self) -> Option<LogLevel> {
        self.settings().level
    }

    pub(super) fn set_level(&self, level: LogLevel) {
        self.settings().level = Some(level);
    }

    /// Adds the URI of a resource.
    ///
    /// # Errors
    /// Returns an error for the client if the session has too many subscriptions.
    pub(super) fn subscribe(&self, uri: String) -> Reply<()> {
        let mut settings = self.settings();
        if settings.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let reason = format!("at most {MAX_SUBSCRIPTIONS} subscriptions are allowed");
            return Err(ErrorData::invalid_params(reason, None));
        }
        settings.subscriptions.insert(uri);
        Ok(())
    }

    pub(super) fn unsubscribe(&self, uri: &str) {
        self.settings().subscriptions.remove(uri);
    }

    pub(super) fn is_subscribed(&self, uri: &str) -> bool {
        self.settings().subscriptions.contains(uri)
    }
}
