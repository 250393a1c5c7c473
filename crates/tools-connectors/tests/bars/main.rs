//! Requests, memory and CPU time of operations, against a server on loopback.
//!
//! `cargo test --release -p tools-connectors --all-features --test bars -- --nocapture` prints the figures.
//! `BAR_ROUNDS` sets the number of calls that are timed; the default is 20.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a failing helper fails the test, and figures are printed"
)]

#[cfg(target_os = "linux")]
mod memory;
mod server;

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tempfile::TempDir;
use tool_core::approval::Policy;
use tool_core::{Registry, Secret, ToolContext};
use tools_builtin::repository::RepositorySource as _;
use tools_connectors::anthropic::AnthropicAdmin;
use tools_connectors::github::{GitHubConnection, GitHubSource};
use tools_connectors::google::{
    Google, GoogleClient, GoogleEndpoints, TokenFolder, TokenKey, TokenStore as _,
};
use tools_connectors::{Connectors, toolsets};

use self::server::{Reply, Server, reply};

const MEGABYTE: usize = 1024 * 1024;

/// Returns all tools, with tokens that are valid.
async fn registry(server: &Server, folder: &TempDir) -> Registry {
    let store = TokenFolder::new(folder.path());
    let text = json!({
        "version": 1, "client_id": "client-1", "access_token": "access-token-1", "refresh_token": "refresh-token-1",
        "expires_at": "2099-01-01T00:00:00Z", "scopes": [],
    });
    let text = Secret::new(text.to_string());
    for key in [TokenKey::gmail("client-1"), TokenKey::calendar("client-1")] {
        store.put(&key, &text).await.unwrap();
    }
    let endpoints = GoogleEndpoints::at(&server.address).unwrap();
    let google = Google::new(GoogleClient::new("client-1"), store).with_endpoints(endpoints);
    let admin = AnthropicAdmin::new(&Secret::new("sk-ant-admin01-1".to_owned())).unwrap();
    let connectors = Connectors::new()
        .with_google(google)
        .with_anthropic(admin.with_base_url(&server.address).unwrap());
    Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&toolsets::standard(&connectors).unwrap())
        .unwrap()
        .build()
}

async fn call(registry: &Registry, tool: &str, arguments: Value) {
    let result = registry.execute(tool, arguments).await;
    assert!(result.success, "{tool}: {result}");
}

fn message(kind: &str, body: &str) -> Value {
    json!({
        "id": "m1", "threadId": "t1", "labelIds": ["INBOX"], "snippet": "s", "internalDate": "1792000000000",
        "payload": {
            "mimeType": kind, "headers": [{"name": "Subject", "value": "Tea"}, {"name": "From", "value": "a@example.com"}],
            "body": {"size": body.len(), "data": BASE64_URL_SAFE_NO_PAD.encode(body)},
        },
    })
}

fn event(id: usize) -> Value {
    json!({
        "id": format!("e{id}"), "summary": "Tea", "status": "confirmed", "location": "Kitchen", "eventType": "default",
        "htmlLink": "https://calendar.example/e", "organizer": {"email": "ada@example.com"},
        "start": {"dateTime": "2026-11-02T16:00:00+01:00"}, "end": {"dateTime": "2026-11-02T17:00:00+01:00"},
        "attendees": [{"email": "me@example.com", "self": true, "responseStatus": "accepted"}],
    })
}

/// Serves every operation.
fn serve(path: &str) -> Reply {
    let route = path.split('?').next().unwrap_or_default();
    reply(&match route.rsplit('/').next().unwrap_or_default() {
        "messages" => {
            let ids: Vec<Value> = (0..10).map(|id| json!({"id": format!("m{id}")})).collect();
            json!({"messages": ids, "resultSizeEstimate": 10})
        }
        "send" => json!({"id": "s1", "threadId": "t1"}),
        "events" if path.contains("sendUpdates") => event(1),
        "events" => json!({"timeZone": "Europe/Berlin", "items": [event(1)]}),
        "hello" => json!({"default_branch": "main", "size": 1}),
        "main" => json!({"sha": "c0ffee", "commit": {"tree": {"sha": "abcd"}}}),
        "README.md" => {
            json!({"type": "file", "encoding": "base64", "content": "YQ==\n", "size": 1, "sha": "ab"})
        }
        "abcd" => json!({"tree": [{"path": "a", "mode": "100644", "sha": "ab", "size": 1}]}),
        id if id.starts_with('m') => message("text/plain", "Tea at four?"),
        _ => event(1),
    })
}

#[tokio::test]
async fn operations_send_few_requests() {
    let server = Server::start(serve);
    let folder = TempDir::new().unwrap();
    let registry = registry(&server, &folder).await;
    for (name, tool, arguments, most) in [
        ("search of 10", "gmail_search", json!({"query": "a"}), 11),
        ("read", "gmail_read", json!({"id": "m1"}), 1),
        ("read again", "gmail_read", json!({"id": "m1"}), 0),
        (
            "send",
            "gmail_send",
            json!({"to": "a@example.com", "subject": "s", "body": "b"}),
            1,
        ),
        (
            "today's events, first",
            "calendar_list_events",
            json!({}),
            2,
        ),
        ("today's events", "calendar_list_events", json!({}), 1),
        ("get", "calendar_get_event", json!({"event_id": "e1"}), 1),
        (
            "create",
            "calendar_create_event",
            json!({"summary": "s", "start": "2026-11-02", "time_zone": "UTC"}),
            1,
        ),
    ] {
        call(&registry, tool, arguments).await;

        let requests = server.requests();
        println!("requests, {name}: {requests} (target {most})");
        assert_eq!(requests, most, "{name}");
    }
    let connection = GitHubConnection::new("octo", "hello").with_base_url(&server.address);
    let source = GitHubSource::new(connection);
    for (name, most) in [("first directory", 3), ("known directory", 0)] {
        source
            .list_folder(&ToolContext::test(), ".", 10)
            .await
            .unwrap();
        let requests = server.requests();
        println!("requests, {name} on GitHub: {requests} (target {most})");
        assert_eq!(requests, most, "{name}");
    }
    let connection = GitHubConnection::new("octo", "hello").with_base_url(&server.address);
    let source = GitHubSource::new(connection);
    for (name, most) in [("first file", 3), ("known file", 0)] {
        source
            .read_file(&ToolContext::test(), "README.md", 10)
            .await
            .unwrap();
        let requests = server.requests();
        println!("requests, {name} on GitHub: {requests} (target {most})");
        assert_eq!(requests, most, "{name}");
    }
}

/// Returns the CPU time of all threads except one.
fn cpu_time(except: u64) -> Duration {
    let mut total = 0;
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let is_server = path.file_name().unwrap().to_str() == Some(except.to_string().as_str());
        if !is_server && let Ok(text) = fs::read_to_string(path.join("schedstat")) {
            let first = text.split(' ').next().unwrap_or_default();
            total += first.parse::<u64>().unwrap_or_default();
        }
    }
    Duration::from_nanos(total)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Prints the CPU time of a call, and of the same request with `reqwest` and `serde_json`. It asserts
/// nothing, because other programs may use the CPU.
async fn compare(name: &str, body: Value, tool: &str, arguments: Value, engine: Duration) {
    let rounds: usize = std::env::var("BAR_ROUNDS").map_or(20, |rounds| rounds.parse().unwrap());
    let text = body.to_string();
    let server = Server::start(move |_| (text.clone(), Arc::default(), 0, String::new()));
    let folder = TempDir::new().unwrap();
    let registry = registry(&server, &folder).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let mut arguments = arguments.clone();
        if tool == "gmail_read" {
            // Messages that were read are kept.
            arguments["id"] = json!(format!("m{round}"));
        }
        let begin = cpu_time(server.thread);
        let result = registry.execute(tool, arguments).await;
        ours.push(cpu_time(server.thread).saturating_sub(begin));
        assert!(result.success, "{result}");
        let begin = cpu_time(server.thread);
        let response = client.get(&server.address).send().await.unwrap();
        let parsed: Value = serde_json::from_slice(&response.bytes().await.unwrap()).unwrap();
        plain.push(cpu_time(server.thread).saturating_sub(begin));
        drop(parsed);
    }
    let (ours, plain) = (median(ours), median(plain));
    println!(
        "CPU time, {name}: {ours:?}, plain {plain:?}, difference {:?} beyond {engine:?} of the HTML engine",
        ours.saturating_sub(plain).saturating_sub(engine)
    );
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn calls_cost_little_over_plain_requests() {
    let mail = message("text/plain", &"Tea at four?\n".repeat(800));
    let read = json!({"id": "m"});
    compare(
        "mail of 10 KB",
        mail,
        "gmail_read",
        read.clone(),
        Duration::ZERO,
    )
    .await;
    let events: Vec<Value> = (0..250).map(event).collect();
    let list =
        json!({"limit": 250, "time_zone": "UTC", "start": "2026-11-02", "end": "2026-11-02"});
    compare(
        "250 events",
        json!({"timeZone": "UTC", "items": events}),
        "calendar_list_events",
        list,
        Duration::ZERO,
    )
    .await;
    let html =
        "<p>Tea at <b>four</b>, or <a href='https://example.com/x'>later</a>?</p>\n".repeat(1400);
    let times = (0..20).map(|_| {
        let begin = Instant::now();
        assert!(!html_text::to_text(&html).text.is_empty());
        begin.elapsed()
    });
    let engine = median(times.collect());
    let mail = message("text/html", &html);
    compare("mail with 100 KB of HTML", mail, "gmail_read", read, engine).await;
}
