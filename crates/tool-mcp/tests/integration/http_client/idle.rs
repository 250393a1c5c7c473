//! Idle servers.

use std::time::Duration;

use serde_json::json;
use tool_core::Registry;
use tool_core::approval::Policy;
use tool_mcp::McpManager;
use tool_mcp::client::{Pins, ServerState};

use crate::http_client::faults::Faults;
use crate::http_client::{One, code};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unused_server_stops_until_next_call() {
    let one = One::start_with("modern", |mut config| {
        config.idle_stop = Some(Duration::from_millis(300));
        config
    })
    .await;
    let tools = one.registry.list().len();

    one.reaches(ServerState::Idle).await;
    assert_eq!(one.registry.list().len(), tools);
    let calls = (0..5).map(|_| one.call("echo", json!({"text": "hi"})));
    for call in calls {
        assert_eq!(call.await.text(), "hi");
    }

    assert_eq!(one.server.sent("server/discover").len(), 2);
    one.reaches(ServerState::Idle).await;
    one.server.set_mode("404");
    let failed = one.call("echo", json!({"text": "hi"})).await;
    assert_eq!(code(&failed), "unavailable", "{failed}");
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn running_call_keeps_server() {
    let one = One::start_with("modern", |mut config| {
        config.idle_stop = Some(Duration::from_millis(100));
        config
    })
    .await;

    // The call takes longer than the server may be idle.
    let result = one.call("progress", json!({})).await;

    assert_eq!(result.text(), "done");
    assert_eq!(one.server.sent("tools/call").len(), 1);
    one.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lazy_server_starts_with_first_call() {
    let server = Faults::start("modern").await;
    let pins = Pins::memory();
    let mut config = server.config();
    config.lazy = true;
    for expected in [ServerState::Ready, ServerState::Idle] {
        let before = server.requests().len();
        let registry = Registry::builder().policy(Policy::allow_all()).build();
        let manager = McpManager::builder()
            .server("s", config.clone())
            .registry(&registry)
            .pins(pins.clone())
            .build();

        // Without pins, the tools are unknown.
        let report = manager.connect().await.servers.remove(0);

        assert_eq!((report.state, report.tools.len()), (expected, 18));
        let is_lazy = expected == ServerState::Idle;
        assert_eq!(server.requests().len() == before, is_lazy);
        let result = registry.execute("s__echo", json!({"text": "hi"})).await;
        assert_eq!(result.text(), "hi");
        assert_eq!(manager.status()[0].state, ServerState::Ready);
        manager.shutdown(Duration::ZERO).await;
    }
}
