//! Starts.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tool_core::Registry;
use tool_mcp::client::{ServerReport, ServerState};
use tool_mcp::config::Protocol;
use tool_mcp::{McpManager, McpServerConfig};

use crate::stdio::faults::server;

async fn start(config: McpServerConfig) -> ServerReport {
    let manager = McpManager::builder()
        .server("s", config)
        .variables(|_| None)
        .build();
    let report = manager.connect().await.remove(0);
    manager.shutdown(Duration::ZERO).await;
    report
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_starts_are_explained() {
    let fast = |mode: &str| server(mode).with_startup_timeout(Duration::from_millis(700));
    for (config, message) in [
        (
            server("exit0"),
            "server \"s\" exited with status 0 before it responded. Its last lines: (none)",
        ),
        (
            server("exit3").with_env("KEY", "topsecret"),
            "server \"s\" exited with status 3 before it responded. Its last lines: starting\ncannot open the database with key=[redacted]",
        ),
        (
            fast("mute"),
            "server \"s\" did not respond within 0.7 s. Raise \"startup_timeout\" if it installs itself at the first start.",
        ),
        (
            server("closed"),
            "server \"s\" exited with status 1 before it responded. Its last lines: (none)",
        ),
        (
            server("1999"),
            "server \"s\" uses protocol 1999-01-01; supported: 2024-11-05 to 2026-07-28.",
        ),
        (
            server("rejects"),
            "server \"s\" rejected the handshake: no license",
        ),
        (
            server("dies_at_list"),
            "server \"s\" exited with status 4 before it responded. Its last lines: (none)",
        ),
        (
            server("no_list"),
            "server \"s\" rejected the list of tools: the response is invalid, or has more than 128 levels of nesting",
        ),
        (
            server("rejects_list"),
            "server \"s\" rejected the list of tools: no tools today",
        ),
        (
            server("deep_list"),
            "server \"s\" rejected the list of tools: the response is invalid, or has more than 128 levels of nesting",
        ),
        (
            server("big_list"),
            "server \"s\" rejected the list of tools: the message exceeds \"max_message\"",
        ),
        (
            McpServerConfig::stdio("no-such-program", [""]),
            "server \"s\": the program \"no-such-program\" was not found in PATH. Install it, or give its full path.",
        ),
        (
            McpServerConfig::stdio(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), [""]),
            "server \"s\": the program could not be started: Permission denied (os error 13). Check its permissions.",
        ),
        (
            server("old").with_cwd("/no/such/directory"),
            "server \"s\": the directory \"/no/such/directory\" does not exist. Create it, or change \"cwd\".",
        ),
        (
            server("old").with_env("KEY", "${SEARCH_KEY}"),
            "server \"s\": the variable SEARCH_KEY is not set. Set it, or write ${SEARCH_KEY:-value}.",
        ),
        (
            McpServerConfig::default(),
            "server \"s\": neither \"command\" nor \"url\" is given. Add \"command\" for a local server or \"url\" for a remote one.",
        ),
    ] {
        let report = start(config).await;

        assert_eq!(
            report.error.map(|error| error.to_string()),
            Some(message.to_owned())
        );
        assert_eq!(report.tools, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn supported_servers_start() {
    for (config, protocol) in [
        (server("old"), "2025-11-25"),
        (server("modern"), "2026-07-28"),
        (
            server("modern").with_protocol(Protocol::V2026),
            "2026-07-28",
        ),
        (server("old").with_protocol(Protocol::V2025), "2025-11-25"),
        (server("2024"), "2024-11-05"),
        (server("empty_discover"), "2025-11-25"),
        (server("dies_at_discover"), "2025-11-25"),
        (server("noise"), "2025-11-25"),
        (server("mark"), "2025-11-25"),
        (server("stderr"), "2025-11-25"),
        (server("slow_start"), "2025-11-25"),
        (server("loop"), "2025-11-25"),
    ] {
        let report = start(config.clone()).await;

        assert_eq!(report.error, None, "{config:?}");
        assert_eq!(report.protocol.as_deref(), Some(protocol), "{config:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_are_searched_in_their_own_path() {
    let mut named = server("old");
    let program = PathBuf::from(named.command.take().unwrap());
    let directory = program.parent().unwrap().to_str().unwrap();
    named.command = Some(program.file_name().unwrap().to_str().unwrap().to_owned());
    // Directories without the program, and relative ones, are skipped.
    let path = format!("/no/such/directory:.:{directory}");

    let found = start(named.clone().with_env("PATH", path)).await;
    let missing = start(named.with_env("PATH", "/no/such/directory")).await;

    assert_eq!(found.error, None);
    let error = missing.error.unwrap().to_string();
    assert!(error.contains("was not found in PATH"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_tools_do_not_affect_others() {
    let registry = Registry::new();
    let manager = McpManager::builder()
        .server("s", server("bad_tools"))
        .registry(&registry)
        .build();

    let report = manager.connect().await.remove(0);

    assert_eq!(report.tools.len(), 21);
    let names: Vec<&str> = report
        .omitted
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["bad", "worse", "s__remote"]);
    assert_eq!(
        report.omitted[0].reason,
        "its inputSchema is true, not an object"
    );
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_servers_do_not_delay_others() {
    let registry = Registry::new();
    let mut builder = McpManager::builder().registry(&registry);
    for mode in [
        "exit0",
        "exit3",
        "1999",
        "rejects",
        "closed",
        "no_list",
        "rejects_list",
        "dies_at_list",
    ] {
        builder = builder.server(mode, server(mode));
    }
    builder = builder.server(
        "mute",
        server("mute").with_startup_timeout(Duration::from_secs(2)),
    );
    for good in ["good1", "good2", "good3", "good4"] {
        builder = builder.server(good, server("old"));
    }
    let manager = builder.build();
    let started = Instant::now();

    let report = manager.connect().await;

    let ready = report
        .iter()
        .filter(|server| server.state == ServerState::Ready);
    let times: Vec<Duration> = ready.filter_map(|server| server.start_time).collect();
    assert_eq!(times.len(), 4);
    assert_eq!(registry.list().len(), 4 * 21);
    assert!(
        started.elapsed() < Duration::from_secs(15),
        "{:?}",
        started.elapsed()
    );
    manager.shutdown(Duration::ZERO).await;
    assert_eq!(registry.list().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connect_returns_before_slow_servers_are_ready() {
    let registry = Registry::new();
    let manager = McpManager::builder()
        .server("mute", server("mute"))
        .server("later", server("slow_start"))
        .registry(&registry)
        .ready_after(Duration::ZERO)
        .build();

    let early = manager.connect().await;

    assert_eq!(early[0].state, ServerState::Starting);
    let joined = async {
        while registry.list().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), joined)
        .await
        .unwrap();
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn servers_with_same_prefix_are_rejected() {
    let manager = McpManager::builder()
        .server("a b", server("old"))
        .server("a_b", server("old"))
        .build();

    let report = manager.connect().await;

    assert_eq!(
        report[1].error.as_ref().unwrap().to_string(),
        "server \"a_b\": its prefix \"a_b\" of tool names is also the one of \"a b\". Set \"prefix\" for one of them."
    );
    assert_eq!(report[0].state, ServerState::Ready);
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn disabled_servers_and_tools_are_not_offered() {
    let mut some = server("old");
    some.tools = vec!["e*".into(), "fail".into()];
    some.disabled_tools = vec!["*ail".into()];
    let mut none = server("old");
    none.enabled = false;
    let manager = McpManager::new([("some".to_owned(), some), ("none".to_owned(), none)].into());

    let tools = manager.connect_all().await;

    let names: Vec<&str> = tools.iter().map(|tool| tool.definition().name()).collect();
    assert_eq!(names, ["some__echo"]);
    assert_eq!(manager.status()[0].state, ServerState::Disabled);
    manager.shutdown(Duration::ZERO).await;
}
