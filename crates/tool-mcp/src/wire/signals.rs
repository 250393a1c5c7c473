//! Notifications of a server.

#![expect(deprecated, reason = "older revisions have log messages")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientConfig, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{NotificationContext, RoleClient};
use tokio::sync::Notify;
use tool_core::{CancellationToken, Progress, ToolContext};

/// Minimum interval between two progress reports of one call.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Minimum interval between two log messages of one server.
const LOG_INTERVAL: Duration = Duration::from_millis(20);

/// Maximum length of a progress or log message in characters.
const MAX_MESSAGE: usize = 500;

/// State of one connection that its transport and its notifications change.
#[derive(Default)]
pub(crate) struct Signals {
    calls: Mutex<HashMap<ProgressToken, Call>>,
    last_log: Mutex<Option<Instant>>,
    /// Notified after the server announced a change of its tools.
    pub(crate) tools_changed: Notify,
    /// Cancelled when the connection is closed.
    pub(crate) closed: CancellationToken,
    /// Whether the connection was closed because of an oversized message without an id.
    pub(crate) was_oversized: AtomicBool,
    /// Number of lines that are not messages.
    pub(crate) noise: AtomicU64,
}

/// Progress of one call.
struct Call {
    cx: ToolContext,
    done: f64,
    last: Option<Instant>,
}

impl Signals {
    /// Passes the progress with `token` to `cx` until [`forget`](Self::forget).
    pub(super) fn follow(&self, token: ProgressToken, cx: &ToolContext) {
        let call = Call {
            cx: cx.clone(),
            done: f64::NEG_INFINITY,
            last: None,
        };
        self.calls().insert(token, call);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.calls().remove(token);
    }

    /// Counts a line that is not a message.
    pub(super) fn count_noise(&self) {
        if self.noise.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::debug!(target: "tool_mcp::server", "the server writes other text to its standard output");
        }
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, Call>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self, report: &ProgressNotificationParam) {
        let mut calls = self.calls();
        let Some(call) = calls.get_mut(&report.progress_token) else {
            return;
        };
        let now = Instant::now();
        let is_early = call
            .last
            .is_some_and(|last| now.duration_since(last) < PROGRESS_INTERVAL);
        // Notifications are handled concurrently, so an older report may follow.
        if report.progress <= call.done || is_early {
            return;
        }
        (call.done, call.last) = (report.progress, Some(now));
        let cx = call.cx.clone();
        drop(calls);
        let message = shortened(report.message.as_deref().unwrap_or_default());
        cx.progress(
            &Progress::new(message).with_position(steps(report.progress), report.total.map(steps)),
        );
    }

    fn may_log(&self) -> bool {
        let mut last = self.last_log.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let is_early = last.is_some_and(|last| now.duration_since(last) < LOG_INTERVAL);
        if !is_early {
            *last = Some(now);
        }
        !is_early
    }
}

fn shortened(text: &str) -> String {
    let visible = text.chars().filter(|character| !character.is_control());
    visible.take(MAX_MESSAGE).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and fractions of steps are not shown"
)]
fn steps(value: f64) -> u64 {
    value as u64
}

/// Handler of notifications and requests of a server. It declares no capabilities.
pub(super) struct Handler {
    pub(super) info: ClientConfig,
    pub(super) signals: Arc<Signals>,
    pub(super) server: String,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.info.clone()
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.signals.progress(&params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.signals.tools_changed.notify_one();
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if self.signals.may_log() {
            let text = shortened(&params.data.to_string());
            tracing::debug!(target: "tool_mcp::server", server = %self.server, level = ?params.level, "{text}");
        }
    }
}
