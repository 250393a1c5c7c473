//! Requests and memory of operations, against a server on loopback.
//!
//! `cargo test --release -p tools-connectors --all-features --test bars -- --nocapture` prints the figures.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a failing helper fails the test, and figures are printed"
)]

#[cfg(target_os = "linux")]
mod memory;
mod server;

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
