//! Notifications of a server.

#![expect(deprecated, reason = "older revisions have log messages and roots")]

use std::collections::HashMap;
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
use tokio::sync::{Notify, RwLock};
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

/// State of one connection that its transport and its notifications change.
#[derive(Default)]
pub(crate) struct Signals {
    /// Calls whose progress is passed on.
    calls: Mutex<HashMap<ProgressToken, Call>>,
    /// Read by requests until their calls are followed: a token is known only after its request was sent.
    pub(super) following: RwLock<()>,
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
        locked(&self.calls).insert(token.clone(), call);
    }

    pub(super) fn forget(&self, token: &ProgressToken) {
        locked(&self.calls).remove(token);
    }

    async fn progress(&self, report: ProgressNotificationParam) {
        // A fast server reports before the call of the token is followed.
        drop(self.following.write().await);
        let mut calls = locked(&self.calls);
        let Some(call) = calls.get_mut(&report.progress_token) else {
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
        self.signals.progress(params).await;
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

    #[tokio::test]
    async fn progress_before_its_call_is_followed_is_passed_on() {
        let signals = Signals::default();
        let token = ProgressToken(NumberOrString::Number(1));
        let steps = Arc::new(Steps::default());
        let sink = Arc::clone(&steps) as Arc<dyn ProgressSink>;
        let following = signals.following.read().await;

        let reported = signals.progress(ProgressNotificationParam::new(token.clone(), 1.0));
        let follow = async {
            signals.follow(&token, &ToolContext::test().with_progress(sink));
            drop(following);
        };
        tokio::join!(reported, follow);

        assert_eq!(*steps.0.lock().unwrap(), [1]);
    }
}
