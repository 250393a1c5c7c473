//! Starts.

use std::time::{Duration, Instant};

use tool_core::Registry;
use tool_mcp::client::{ServerReport, ServerState};
use tool_mcp::config::Protocol;
use tool_mcp::{McpManager, McpServerConfig};

use crate::http_client::faults::Faults;

async fn start(config: McpServerConfig) -> ServerReport {
    let manager = McpManager::builder()
        .server("s", config)
        .variables(|name| (name == "KEY").then(|| "right-token".to_owned()))
        .build();
    let report = manager.connect().await.remove(0);
    manager.shutdown(Duration::ZERO).await;
    report
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_starts_are_explained() {
    for (mode, message) in [
        ("404", "URL returned 404. The address often ends in /mcp."),
        (
            "page",
            "URL returned text/html instead of MCP. The address often ends in /mcp.",
        ),
        ("500", "URL returned 500. Check the log of the server."),
        ("503", "URL returned 503. Try again later."),
        (
            "401",
            "URL requires a login (401). Set \"headers\", or log in with `McpManager::login`.",
        ),
        (
            "challenge",
            "URL requires a login (401). Set \"headers\", or log in with `McpManager::login`.",
        ),
        (
            "403",
            "URL requires a login (403). Set \"headers\", or log in with `McpManager::login`.",
        ),
        (
            "elsewhere",
            "URL returned 307. It redirects to another address; configure that one.",
        ),
        (
            "moved",
            "URL returned 302. It redirects to another address; configure that one.",
        ),
        (
            "circle",
            "URL returned 308. It redirects to another address; configure that one.",
        ),
        (
            "closes",
            "URL cannot be reached: the connection was closed. Check the address and the network.",
        ),
        ("list_503", "URL returned 503. Try again later."),
    ] {
        let server = Faults::start(mode).await;
        let message = message.replace("URL", &server.url());

        let report = start(server.config()).await;

        assert_eq!(
            report.error.map(|error| error.to_string()),
            Some(format!("server \"s\": {message}")),
            "{mode}"
        );
        let needs_login = matches!(mode, "401" | "403" | "challenge");
        assert_eq!(report.tools, [""; 0]);
        assert!(
            !needs_login || server.sent("initialize").is_empty(),
            "{mode}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rejected_handshakes_are_explained() {
    for (mode, message) in [
        (
            "not_json",
            "server \"s\" rejected the handshake: the response is invalid, or has more than 128 levels of nesting",
        ),
        (
            "empty",
            "server \"s\" rejected the handshake: the response is invalid, or has more than 128 levels of nesting",
        ),
        (
            "1999",
            "server \"s\" uses protocol 1999-01-01; supported: 2024-11-05 to 2026-07-28.",
        ),
        (
            "flood",
            "server \"s\" rejected the list of tools: the message exceeds \"max_message\"",
        ),
        (
            "mute",
            "server \"s\" did not respond within 0.5 s. Raise \"startup_timeout\" if it installs itself at the first start.",
        ),
    ] {
        let server = Faults::start(mode).await;
        let mut config = server.config();
        if mode == "mute" {
            config = config.with_startup_timeout(Duration::from_millis(500));
        }

        let report = start(config).await;

        let error = report.error.map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(message), "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_addresses_are_explained() {
    for (config, message) in [
        (
            McpServerConfig::http("http://127.0.0.1:1/mcp"),
            "server \"s\": http://127.0.0.1:1/mcp cannot be reached: Connection refused (os error 111). Check the address and the network.",
        ),
        (
            McpServerConfig::http("no address"),
            "server \"s\": the address in \"url\" is invalid: relative URL without a base.",
        ),
        (
            McpServerConfig::http("ftp://example.com"),
            "server \"s\": the address in \"url\" is invalid: only http and https are supported.",
        ),
        (
            McpServerConfig::http("${MISSING}"),
            "server \"s\": the variable MISSING is not set. Set it, or write ${MISSING:-value}.",
        ),
        (
            McpServerConfig::http("http://127.0.0.1:1/mcp").with_header("Mcp-Session-Id", "x"),
            "server \"s\": the header \"Mcp-Session-Id\" is set by the transport. Remove it from \"headers\".",
        ),
        (
            McpServerConfig::http("http://127.0.0.1:1/mcp").with_header("X-Key", "a\nb"),
            "server \"s\": the header \"X-Key\" is invalid. Use a value of one line in ASCII.",
        ),
        (
            McpServerConfig::http("http://user:secret@127.0.0.1:1/mcp?key=secret"),
            "server \"s\": http://127.0.0.1:1/mcp cannot be reached: Connection refused (os error 111). Check the address and the network.",
        ),
    ] {
        let report = start(config).await;

        let error = report.error.map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some(message));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn supported_servers_start() {
    for (mode, protocol, expected) in [
        ("modern", Protocol::Auto, "2026-07-28"),
        ("modern", Protocol::V2026, "2026-07-28"),
        ("old", Protocol::Auto, "2025-11-25"),
        ("old", Protocol::V2025, "2025-11-25"),
        ("sessions", Protocol::Auto, "2025-11-25"),
        ("discover_500", Protocol::Auto, "2025-11-25"),
        ("redirects", Protocol::Auto, "2026-07-28"),
        ("closes_first", Protocol::Auto, "2026-07-28"),
        ("bad_tools", Protocol::Auto, "2026-07-28"),
    ] {
        let server = Faults::start(mode).await;

        let report = start(server.config().with_protocol(protocol)).await;

        assert_eq!(report.error, None, "{mode}");
        assert_eq!(report.protocol.as_deref(), Some(expected), "{mode}");
        assert_eq!(report.tools.len(), 18, "{mode}");
        let deleted = server.requests().iter().any(|request| {
            request.method == "DELETE" && request.header("mcp-session-id") == Some("session-1")
        });
        assert_eq!(deleted, mode == "sessions", "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_are_sent_and_expanded() {
    let server = Faults::start("token").await;

    let missing = start(server.config()).await;
    let right = server
        .config()
        .with_header("Authorization", "Bearer ${KEY}");
    let present = start(right).await;

    assert_eq!(missing.state, ServerState::NeedsLogin);
    assert_eq!(present.error, None);
    assert_eq!(present.state, ServerState::Ready);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_servers_do_not_delay_others() {
    let registry = Registry::new();
    let mut builder = McpManager::builder().registry(&registry);
    let mut servers = Vec::new();
    for mode in [
        "404", "page", "500", "401", "closes", "not_json", "1999", "good1", "good2",
    ] {
        let server = Faults::start(mode).await;
        builder = builder.server(mode, server.config());
        servers.push(server);
    }
    let mute = Faults::start("mute").await;
    let limit = Duration::from_secs(1);
    let manager = builder
        .server("mute", mute.config().with_startup_timeout(limit))
        .build();
    let started = Instant::now();

    let report = manager.connect().await;

    let ready = report.iter();
    let ready = ready.filter(|server| server.state == ServerState::Ready);
    let times: Vec<Duration> = ready.filter_map(|server| server.start_time).collect();
    assert_eq!(times.len(), 2);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(registry.list().len(), 2 * 18);
    manager.shutdown(Duration::ZERO).await;
    assert_eq!(registry.list().len(), 0);
}
