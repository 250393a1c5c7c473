//! Reviews of changed tools and of servers from projects.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tool_core::Registry;
use tool_core::approval::Policy;
use tool_mcp::client::{Pins, ServerError, ServerState};
use tool_mcp::{McpConfig, McpManager, McpServerConfig};

use crate::http_client::One;
use crate::http_client::faults::Faults;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changed_definition_hides_tool_until_accepted() {
    let one = One::start("modern").await;
    one.server.set_mode("changed");

    let report = one.manager.reconnect("s").await.unwrap();

    assert_eq!(report.hidden.len(), 1);
    assert_eq!(report.hidden[0].name, "echo");
    assert_eq!(report.hidden[0].changes, ["description"]);
    assert!(one.registry.get("s__echo").is_none());
    assert!(one.registry.get("s__big").is_some());
    let digest = &report.hidden[0].digest;
    assert!(!one.manager.accept("s", "echo", "0123").await);
    assert!(!one.manager.accept("s", "big", digest).await);
    assert!(one.manager.accept("s", "echo", digest).await);

    assert_eq!(one.manager.status()[0].hidden, []);
    let result = one.call("echo", json!({"text": "back"})).await;
    assert_eq!(result.text(), "back");
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_are_reported() {
    let server = Faults::start("modern").await;
    let events: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&events);
    let manager = McpManager::builder()
        .server("s", server.config())
        .on_change(move |report| {
            let hidden = report.hidden.iter();
            let hidden: Vec<String> = hidden
                .map(|tool| format!(" {}: {}", tool.name, tool.changes[0]))
                .collect();
            let (name, state) = (&report.name, report.state);
            let change = format!("{name} {state}{}", hidden.concat());
            log.lock().unwrap().push(change);
        })
        .build();

    manager.connect().await;
    server.set_mode("changed");
    manager.reconnect("s").await.unwrap();
    manager.reconnect("s").await.unwrap();
    manager.shutdown(Duration::ZERO).await;

    assert_eq!(
        *events.lock().unwrap(),
        [
            "s ready",
            "s starting",
            "s ready echo: description",
            "s starting echo: description",
            "s ready echo: description",
            "s stopped echo: description",
        ]
    );
}

async fn started(config: McpServerConfig, pins: Pins) -> (McpManager, Registry) {
    let registry = Registry::builder().policy(Policy::allow_all()).build();
    let manager = McpManager::builder()
        .server("s", config)
        .registry(&registry)
        .pins(pins)
        .build();
    manager.connect().await;
    (manager, registry)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pins_survive_restart_of_host() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pins.json");
    let server = Faults::start("discover_500").await;
    let (first, _) = started(server.config(), Pins::open(&path).unwrap()).await;
    assert_eq!(first.status()[0].state, ServerState::Ready);
    // The older handshake is remembered.
    first.reconnect("s").await.unwrap();
    first.shutdown(Duration::ZERO).await;
    assert_eq!(server.sent("server/discover").len(), 1);

    server.set_mode("changed");
    let (second, registry) = started(server.config(), Pins::open(&path).unwrap()).await;

    assert_eq!(second.status()[0].hidden[0].name, "echo");
    assert!(registry.get("s__echo").is_none());
    second.shutdown(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn server_of_project_starts_only_after_approval() {
    let server = Faults::start("modern").await;
    let text = json!({"mcpServers": {"s": {"url": server.url(), "headers": {"X-Key": "a"}}}});
    let config = McpConfig::parse(&text.to_string()).unwrap().from_project();
    let (_, config) = config.into_iter().next().unwrap();
    let pins = Pins::memory();
    let (manager, _registry) = started(config.clone(), pins.clone()).await;

    let report = manager.status().remove(0);
    assert_eq!(report.state, ServerState::NeedsApproval);
    let Some(ServerError::NotApproved {
        summary, digest, ..
    }) = report.error
    else {
        panic!("{report:?}");
    };
    assert_eq!(summary, server.url());
    assert_eq!(server.requests().len(), 0);
    assert!(manager.approve_server("s", "0123").await.is_none());
    let approved = manager.approve_server("s", &digest).await.unwrap();
    assert_eq!(approved.state, ServerState::Ready);
    manager.shutdown(Duration::ZERO).await;

    let (same, _registry) = started(config.clone(), pins.clone()).await;
    assert_eq!(same.status()[0].state, ServerState::Ready);
    same.shutdown(Duration::ZERO).await;
    let (changed, _registry) = started(config.with_header("X-Key", "b"), pins).await;
    assert_eq!(changed.status()[0].state, ServerState::NeedsApproval);
    changed.shutdown(Duration::ZERO).await;
}
