//! Notifications: progress and log lines of calls, and changes of tools, prompts and resources.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    ErrorData, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam,
    ProgressToken, PromptListChangedNotification, ResourceListChangedNotification,
    ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification,
    ToolListChangedNotification,
};
use rmcp::service::{Peer, RoleServer, SubscriptionContext, SubscriptionSendError};
use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;
use tokio::time::{interval, sleep};
use tool_core::{CancellationToken, Progress, ProgressSink, Redactor};

use super::{Context, RegistryHandler, Reply, Shared};
use crate::locked;
use crate::server::{ClientLog, LogLevel, Notice};

/// Minimum interval between two reports of one call.
const INTERVAL: Duration = Duration::from_millis(100);

/// Maximum number of log lines in an interval. Further lines are dropped.
const MAX_LINES: usize = 64;

/// Reports that were not sent yet.
#[derive(Default)]
struct Waiting(Mutex<Vec<Progress>>);

impl ProgressSink for Waiting {
    fn progress(&self, _: &str, _: &str, progress: &Progress) {
        let mut waiting = locked(&self.0);
        // Keep the first report, so that short calls show their start, and the last one.
        waiting.truncate(1);
        waiting.push(progress.clone());
    }
}

/// Reports of a call to its client.
pub(super) struct Reports {
    peer: Peer<RoleServer>,
    progress: Option<(ProgressToken, Arc<Waiting>)>,
    log: Option<(ClientLog, mpsc::Receiver<(LogLevel, String)>)>,
    /// Last sent number of steps.
    sent: f64,
}

impl Reports {
    /// Creates the reports that the client has requested.
    pub(super) fn new(
        context: &Context,
        level: Option<LogLevel>,
        redactor: Option<&Redactor>,
    ) -> Self {
        let token = context.meta.get_progress_token();
        let log = level.map(|minimum| {
            let (lines, receiver) = mpsc::channel(MAX_LINES);
            let redactor = redactor.cloned();
            let log = ClientLog {
                minimum,
                lines,
                redactor,
            };
            (log, receiver)
        });
        Self {
            peer: context.peer.clone(),
            progress: token.map(|token| (token, Arc::default())),
            log,
            sent: -1.0,
        }
    }

    /// Returns the sink for the progress of the call.
    pub(super) fn sink(&self) -> Option<Arc<dyn ProgressSink>> {
        let (_, waiting) = self.progress.as_ref()?;
        Some(Arc::clone(waiting) as _)
    }

    /// Returns the log of the call.
    pub(super) fn log(&self) -> Option<ClientLog> {
        self.log.as_ref().map(|(log, _)| log.clone())
    }

    /// Sends the waiting reports.
    async fn send(&mut self) {
        self.send_lines().await;
        let Some((token, waiting)) = &self.progress else {
            return;
        };
        let (token, reports) = (token.clone(), std::mem::take(&mut *locked(&waiting.0)));
        for report in reports {
            self.send_progress(token.clone(), report).await;
        }
    }

    async fn send_progress(&mut self, token: ProgressToken, progress: Progress) {
        let done = as_float(progress.done);
        // The protocol requires increasing numbers.
        self.sent = if done > self.sent {
            done
        } else {
            self.sent + 1.0
        };
        let mut report = ProgressNotificationParam::new(token, self.sent);
        if let Some(total) = progress.total {
            report = report.with_total(as_float(total));
        }
        if !progress.message.is_empty() {
            report = report.with_message(progress.message);
        }
        // An error means that the client is gone.
        let _ = self.peer.notify_progress(report).await;
    }

    async fn send_lines(&mut self) {
        let Some((_, lines)) = &mut self.log else {
            return;
        };
        while let Ok((level, line)) = lines.try_recv() {
            let line = LoggingMessageNotificationParam::new(wire_level(level), Value::from(line));
            // An error means that the client is gone.
            let _ = self.peer.notify_logging_message(line).await;
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of steps are small")]
fn as_float(steps: u64) -> f64 {
    steps as f64
}

fn wire_level(level: LogLevel) -> LoggingLevel {
    match level {
        LogLevel::Debug => LoggingLevel::Debug,
        LogLevel::Info => LoggingLevel::Info,
        LogLevel::Warning => LoggingLevel::Warning,
        LogLevel::Error => LoggingLevel::Error,
    }
}

/// Returns our lowest level that is at least `level`. The protocol has higher ones than ours.
pub(super) fn level_of(level: LoggingLevel) -> Option<LogLevel> {
    match level {
        LoggingLevel::Debug => Some(LogLevel::Debug),
        LoggingLevel::Info => Some(LogLevel::Info),
        LoggingLevel::Notice | LoggingLevel::Warning => Some(LogLevel::Warning),
        LoggingLevel::Error => Some(LogLevel::Error),
        _ => None,
    }
}

/// Runs `call`, and sends its reports. The call continues while a slow client reads.
pub(super) async fn with_reports<F: Future>(call: F, mut reports: Reports) -> F::Output {
    if reports.progress.is_none() && reports.log.is_none() {
        return call.await;
    }
    let finished = CancellationToken::new();
    let sending = async {
        let mut pulse = interval(INTERVAL);
        while finished.run_until_cancelled(pulse.tick()).await.is_some() {
            reports.send().await;
        }
        reports.send().await;
    };
    let call = async {
        let output = call.await;
        finished.cancel();
        output
    };
    tokio::join!(call, sending).0
}

/// Time in which further changes of the registry are awaited.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Maximum number of resources to which a session may subscribe.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// Changes of a server, in the order of their detection.
struct Changes {
    shared: Arc<Shared>,
    seen: u64,
    notices: Receiver<Notice>,
}

impl Changes {
    /// Returns the next change, or `None` if the service stops.
    async fn next(&mut self) -> Option<Notice> {
        let registry = &self.shared.server.registry;
        loop {
            tokio::select! {
                () = self.shared.stopping.cancelled() => return None,
                seen = registry.changed_since(self.seen) => {
                    // Tools are often registered in a row. One notification for all of them is enough.
                    sleep(DEBOUNCE).await;
                    self.seen = seen.max(registry.generation());
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
        Changes {
            shared: Arc::clone(&self.0),
            seen: self.0.server.registry.generation(),
            notices: self.0.server.notifier.subscribe(),
        }
    }

    /// Notifies a client of an older revision until it is gone or the service stops.
    pub(super) fn announce_to_session(&self, peer: Peer<RoleServer>) {
        let mut changes = self.changes();
        let session = Arc::clone(&self.1);
        tokio::spawn(async move {
            while let Some(change) = changes.next().await {
                let is_wanted = match &change {
                    Notice::ResourceUpdated(uri) => locked(&session).subscriptions.contains(uri),
                    _ => true,
                };
                let is_gone = peer.is_transport_closed()
                    || is_wanted && peer.send_notification(notification(change)).await.is_err();
                if is_gone {
                    return;
                }
            }
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
        }
    }
}

fn notification(notice: Notice) -> ServerNotification {
    match notice {
        Notice::ToolsChanged => ToolListChangedNotification::default().into(),
        Notice::PromptsChanged => PromptListChangedNotification::default().into(),
        Notice::ResourcesChanged => ResourceListChangedNotification::default().into(),
        Notice::ResourceUpdated(uri) => {
            let params = ResourceUpdatedNotificationParam::new(uri);
            ResourceUpdatedNotification::new(params).into()
        }
    }
}

/// Settings of a client of an older revision.
#[derive(Default)]
pub(super) struct Settings {
    /// Minimum level of log lines, if the client has requested any.
    pub(super) level: Option<LogLevel>,
    /// URIs of resources.
    pub(super) subscriptions: HashSet<String>,
}

impl Settings {
    /// Adds the URI of a resource.
    ///
    /// # Errors
    /// Returns an error for the client if the session has too many subscriptions.
    pub(super) fn subscribe(&mut self, uri: String) -> Reply<()> {
        if self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            let reason = format!("at most {MAX_SUBSCRIPTIONS} subscriptions are allowed");
            return Err(ErrorData::invalid_params(reason, None));
        }
        self.subscriptions.insert(uri);
        Ok(())
    }
}
