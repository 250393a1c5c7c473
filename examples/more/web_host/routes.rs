//! Pages and requests of the server.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use futures_util::stream::{self, Stream};
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::approval::Answer;

use crate::guard::{Guard, check_host, check_token};
use crate::run_log::RunLog;
use crate::runs::Runs;

/// Maximum size of a request in bytes.
const MAX_BODY: usize = 64 * 1024;
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the routes. All requests are for this host, and all under `/runs` have the token.
pub fn router(runs: Arc<Runs>, guard: Guard) -> Router {
    let guard = Arc::new(guard);
    let token = middleware::from_fn_with_state(Arc::clone(&guard), check_token);
    let runs = Router::new()
        .route("/runs", post(start))
        .route("/runs/{run}/events", get(events))
        .route("/runs/{run}/decisions", post(decide))
        .route("/runs/{run}/stop", post(stop))
        .layer(token)
        .with_state(runs);
    Router::new()
        .route("/", get(page))
        .route("/page.js", get(script))
        .route("/page.css", get(style))
        .merge(runs)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn_with_state(guard, check_host))
}

async fn page() -> Response {
    file("text/html; charset=utf-8", include_str!("page.html"))
}

async fn script() -> Response {
    let script = include_str!("page.js");
    file("text/javascript; charset=utf-8", script)
}

async fn style() -> Response {
    file("text/css; charset=utf-8", include_str!("page.css"))
}

fn file(kind: &'static str, content: &'static str) -> Response {
    let headers = [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, content).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    /// First message of the conversation.
    task: String,
}

async fn start(State(runs): State<Arc<Runs>>, Json(request): Json<Start>) -> Response {
    if request.task.trim().is_empty() {
        let reason = "`task` is empty. Describe the task.";
        return (StatusCode::UNPROCESSABLE_ENTITY, reason).into_response();
    }
    match runs.start(request.task) {
        Ok(Some(run)) => (StatusCode::CREATED, Json(json!({"run": run}))).into_response(),
        Ok(None) => {
            let reason = "Too many runs are active. Stop one of them.";
            (StatusCode::TOO_MANY_REQUESTS, reason).into_response()
        }
        Err(reason) => (StatusCode::INTERNAL_SERVER_ERROR, reason).into_response(),
    }
}

/// Streams the events of a run, after the one in `Last-Event-ID`.
async fn events(
    State(runs): State<Arc<Runs>>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(log) = runs.get(&run) else {
        return missing();
    };
    let last = headers.get("last-event-id");
    let last = last.and_then(|id| id.to_str().ok()?.parse::<usize>().ok());
    let first = last.map_or(0, |id| id.saturating_add(1));
    let stream = Sse::new(from(log, first));
    stream.keep_alive(KeepAlive::default()).into_response()
}

fn from(log: Arc<RunLog>, first: usize) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((log, first), |(log, index)| async move {
        let data = log.event_at(index).await?;
        let event = Event::default().id(index.to_string()).data(data);
        Some((Ok(event), (log, index.saturating_add(1))))
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decide {
    /// ID of the approval request.
    request: String,
    /// Whether the call may run.
    approve: bool,
    /// Why not, for the model.
    #[serde(default)]
    reason: Option<String>,
}

async fn decide(
    State(runs): State<Arc<Runs>>,
    Path(run): Path<String>,
    Json(decision): Json<Decide>,
) -> Response {
    let Some(log) = runs.get(&run) else {
        return missing();
    };
    let answer = if decision.approve {
        Answer::Approve
    } else {
        Answer::Deny {
            reason: decision.reason,
        }
    };
    if log.decide(&decision.request, answer) {
        Json(Value::Null).into_response()
    } else {
        let reason = "No call waits for this decision.";
        (StatusCode::CONFLICT, reason).into_response()
    }
}

async fn stop(State(runs): State<Arc<Runs>>, Path(run): Path<String>) -> Response {
    let Some(log) = runs.get(&run) else {
        return missing();
    };
    log.stop.cancel();
    Json(Value::Null).into_response()
}

fn missing() -> Response {
    let reason = "The run does not exist. Start a new one.";
    (StatusCode::NOT_FOUND, reason).into_response()
}
