//! Notifications of a server.

#![expect(deprecated, reason = "older revisions have log messages and roots")]

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, ErrorData, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
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

/// Maximum number of reports of progress that came before their call was known.
const MAX_EARLY: usize = 16;

/// Maximum length of a progress or log message in characters.
const MAX_MESSAGE: usize = 500;

/// State of one connection that its transport and its notifications change.
#[derive(Default)]
pub(crate) struct Signals {
    /// Calls whose progress is passed on.
    calls: Mutex<HashMap<ProgressToken, Call>>,
    /// Latest reports of calls that are not known yet: a token is known only after its request was sent.
    early: Mutex<VecDeque<ProgressNotificationParam>>,
    last_log: Mutex<Option<Instant>>,
    /// Notified after the server announced a change of its tools.
    pub(crate) tools_changed: Notify,
    /// Notified after a request failed because of the transport.
    pub(crate) suspect: Notify,
    /// Cancelled when the connection is closed.
    pub(crate) closed: CancellationToken,
}

/// Progress of one call.
struct Call {
    cx: ToolContext,
    done: f64,
    last: Option<Instant>,
}

impl Signals {
    /// Passes the progress with `token` to `cx` until [`forget`](Self::forget).
    pub(super) fn follow(&self, token: &ProgressToken, cx: &ToolContext) {
        let call = Call {
            cx: cx.clone(),
            done: f64::NEG_INFINITY,
            last: None,
        };
        let mut calls = locked(&self.calls);
        calls.insert(token.clone(), call);
        let early = std::mem::take(&mut *locked(&self.early));
        drop(calls);
        for report in early {
            if report.progress_token == *token {
                self.progress(&report);
            } else {
                self.keep(report);
            }
        }
    }

    /// Keeps a report until its call is known, or until there are newer ones: tokens of calls that have ended never become
    /// known.
    fn keep(&self, report: ProgressNotificationParam) {
        let mut early = locked(&self.early);
        if early.len() == MAX_EARLY {
            early.pop_front();
        }
        early.push_back(report);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        locked(&self.calls).remove(token);
    }

    fn progress(&self, report: &ProgressNotificationParam) {
        let mut calls = locked(&self.calls);
        let Some(call) = calls.get_mut(&report.progress_token) else {
            let mut report = report.clone();
            report.message = report.message.as_deref().map(shortened);
            self.keep(report);
            return;
        };
        let is_early = call
            .last
            .is_some_and(|last| last.elapsed() < PROGRESS_INTERVAL);
        // Notifications are handled concurrently, so an older report may follow.
        if report.progress <= call.done || is_early {
            return;
        }
        (call.done, call.last) = (report.progress, Some(Instant::now()));
        let cx = call.cx.clone();
        drop(calls);
        let message = shortened(report.message.as_deref().unwrap_or_default());
        let progress = Progress::new(message);
        cx.progress(&progress.with_position(steps(report.progress), report.total.map(steps)));
    }

    /// Restarts the idle timeouts of all calls.
    fn keep_alive(&self) {
        let calls = locked(&self.calls);
        let followed: Vec<_> = calls.values().map(|call| call.cx.clone()).collect();
        drop(calls);
        for cx in followed {
            cx.progress(&waiting());
        }
    }

    fn may_log(&self) -> bool {
        let mut last = locked(&self.last_log);
        let is_early = last.is_some_and(|last| last.elapsed() < LOG_INTERVAL);
        if !is_early {
            *last = Some(Instant::now());
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

    #[test]
    fn progress_before_its_call_is_known_is_passed_on() {
        let signals = Signals::default();
        let token = |number| ProgressToken(NumberOrString::Number(number));
        let report = |number, done| {
            signals.progress(&ProgressNotificationParam::new(token(number), done));
        };
        report(1, 1.0);
        report(2, 2.0);
        let followed = |number| {
            let steps = Arc::new(Steps::default());
            let sink = Arc::clone(&steps) as Arc<dyn ProgressSink>;
            signals.follow(&token(number), &ToolContext::test().with_progress(sink));
            let steps = steps.0.lock().unwrap();
            steps.clone()
        };

        assert_eq!(followed(2), [2]);
        assert_eq!(followed(1), [1]);
        (0..100).for_each(|number| report(3, f64::from(number)));
        assert_eq!(locked(&signals.early).len(), MAX_EARLY);
        assert_eq!(followed(3).first(), Some(&84));
    }
}
