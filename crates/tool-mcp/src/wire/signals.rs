//! Notifications of a server.

#![expect(
    deprecated,
    reason = "older revisions have log messages, roots and models"
)]

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ErrorCode, ErrorData, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Notify;
use tokio::time::timeout;
use tool_core::{CancellationToken, Progress, ToolContext};

use crate::client::HostInput;
use crate::locked;

/// Minimum interval between two progress reports of one call.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Minimum interval between two log messages of one server.
const LOG_INTERVAL: Duration = Duration::from_millis(20);

/// Interval in which calls are kept alive while the host provides input.
const KEEP_ALIVE: Duration = Duration::from_millis(500);

/// Maximum length of a progress or log message in characters.
const MAX_MESSAGE: usize = 500;

/// Maximum number of progress reports kept for calls that are not yet followed.
const MAX_UNCLAIMED: usize = 16;

/// State of one connection that its transport and its notifications change.
#[derive(Default)]
pub(crate) struct Signals {
    calls: Mutex<Calls>,
    last_log: Mutex<Option<Instant>>,
    /// Notified after the server announced a change of its tools.
    pub(crate) tools_changed: Notify,
    /// Notified after a request failed because of the transport.
    pub(crate) suspect: Notify,
    /// Cancelled when the connection is closed.
    pub(crate) closed: CancellationToken,
    /// Whether the connection was closed because of an oversized message without an id.
    pub(crate) was_oversized: AtomicBool,
}

/// Calls whose progress is passed on.
#[derive(Default)]
struct Calls {
    followed: HashMap<ProgressToken, Call>,
    /// Reports of other calls. A server may report before the token of the call is known here.
    unclaimed: VecDeque<Report>,
}

/// Progress report of a server.
struct Report {
    token: ProgressToken,
    done: f64,
    total: Option<f64>,
    message: String,
}

/// Progress of one call.
struct Call {
    cx: ToolContext,
    done: f64,
    last: Option<Instant>,
}

impl Signals {
    /// Passes the progress with `token` to `cx` until [`forget`](Self::forget), including reports
    /// that were received before.
    pub(super) fn follow(&self, token: ProgressToken, cx: &ToolContext) {
        let call = Call {
            cx: cx.clone(),
            done: f64::NEG_INFINITY,
            last: None,
        };
        let mut calls = self.calls();
        let unclaimed = std::mem::take(&mut calls.unclaimed);
        let (received, others) = unclaimed
            .into_iter()
            .partition::<VecDeque<_>, _>(|report| report.token == token);
        calls.unclaimed = others;
        calls.followed.insert(token, call);
        drop(calls);
        for report in received {
            self.progress(report);
        }
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        self.calls().followed.remove(token);
    }

    fn calls(&self) -> std::sync::MutexGuard<'_, Calls> {
        locked(&self.calls)
    }

    fn progress(&self, report: Report) {
        let mut calls = self.calls();
        let Some(call) = calls.followed.get_mut(&report.token) else {
            calls.unclaimed.push_back(report);
            if calls.unclaimed.len() > MAX_UNCLAIMED {
                calls.unclaimed.pop_front();
            }
            return;
        };
        let now = Instant::now();
        let is_early = call
            .last
            .is_some_and(|last| now.duration_since(last) < PROGRESS_INTERVAL);
        // Notifications are handled concurrently, so an older report may follow.
        if report.done <= call.done || is_early {
            return;
        }
        (call.done, call.last) = (report.done, Some(now));
        let cx = call.cx.clone();
        drop(calls);
        cx.progress(
            &Progress::new(report.message)
                .with_position(steps(report.done), report.total.map(steps)),
        );
    }

    /// Restarts the idle timeouts of all calls.
    fn keep_alive(&self) {
        let calls = self.calls();
        let followed: Vec<_> = calls
            .followed
            .values()
            .map(|call| call.cx.clone())
            .collect();
        drop(calls);
        for cx in followed {
            cx.progress(&waiting());
        }
    }

    fn may_log(&self) -> bool {
        let mut last = locked(&self.last_log);
        let now = Instant::now();
        let is_early = last.is_some_and(|last| now.duration_since(last) < LOG_INTERVAL);
        if !is_early {
            *last = Some(now);
        }
        !is_early
    }
}

/// Waits for input of the host, and reports progress in the meantime: people may take longer than the idle timeout of a
/// call.
pub(crate) async fn kept_alive<F: Future>(input: F, report: impl Fn()) -> F::Output {
    let mut input = pin!(input);
    loop {
        match timeout(KEEP_ALIVE, &mut input).await {
            Ok(input) => return input,
            Err(_) => report(),
        }
    }
}

/// Progress of a call that waits for input.
pub(crate) fn waiting() -> Progress {
    Progress::new("waiting for input")
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

/// Handler of notifications and requests of a server.
pub(super) struct Handler {
    pub(super) info: ClientConfig,
    pub(super) input: HostInput,
    pub(super) signals: Arc<Signals>,
    pub(super) server: String,
}

impl Handler {
    /// Responds to a request of an older revision. Calls stay alive in the meantime.
    async fn respond<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<R, ErrorData> {
        // Serialization of these types cannot fail.
        let params = serde_json::to_value(params).unwrap_or_default();
        let response = self.input.respond(&self.server, method, params);
        let responded = kept_alive(response, || self.signals.keep_alive()).await;
        let value = responded.map_err(|missing| {
            let reason = format!("the client cannot provide {missing}");
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None)
        })?;
        serde_json::from_value(value)
            .map_err(|_| ErrorData::internal_error("the client returned an invalid response", None))
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        self.info.clone()
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.respond("elicitation/create", &request).await
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.respond("sampling/createMessage", &request).await
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        self.respond("roots/list", &()).await
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.signals.progress(Report {
            message: shortened(params.message.as_deref().unwrap_or_default()),
            token: params.progress_token,
            done: params.progress,
            total: params.total,
        });
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

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use tool_core::ProgressSink;

    use super::*;

    #[derive(Default)]
    struct Steps(Mutex<Vec<u64>>);

    impl ProgressSink for Steps {
        fn progress(&self, _: &str, _: &str, progress: &Progress) {
            self.0.lock().unwrap().push(progress.done);
        }
    }

    fn report(token: i64, done: f64) -> Report {
        Report {
            token: ProgressToken(NumberOrString::Number(token)),
            done,
            total: None,
            message: String::new(),
        }
    }

    #[test]
    fn passes_on_reports_received_before_call_is_followed() {
        let (signals, steps) = (Signals::default(), Arc::new(Steps::default()));
        let cx = ToolContext::test().with_progress(Arc::clone(&steps) as Arc<dyn ProgressSink>);

        signals.progress(report(2, 7.0));
        signals.progress(report(1, 1.0));
        signals.follow(report(1, 0.0).token, &cx);

        assert_eq!(*steps.0.lock().unwrap(), [1]);
        assert_eq!(signals.calls().unclaimed.len(), 1);
    }

    #[test]
    fn reports_of_unknown_calls_are_bounded() {
        let signals = Signals::default();

        for token in 0..1000 {
            signals.progress(report(token, 1.0));
        }

        assert_eq!(signals.calls().unclaimed.len(), MAX_UNCLAIMED);
    }
}
