//! Ends: no process survives.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use tool_core::Registry;
use tool_mcp::{McpManager, McpServerConfig};

use crate::stdio::faults::script;
use crate::stdio::{code, open_registry};

/// Returns the processes whose environment contains `mark`.
pub(crate) fn marked(mark: &str) -> Vec<String> {
    let mark = format!("TEST_MARK={mark}\0");
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let found = processes.filter(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment
            .windows(mark.len())
            .any(|window| window == mark.as_bytes())
    });
    found
        .map(|process| process.file_name().to_string_lossy().into_owned())
        .collect()
}

pub(crate) async fn assert_gone(mark: &str) {
    let started = Instant::now();
    while !marked(mark).is_empty() {
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{mark}: {:?} run",
            marked(mark)
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Servers that end badly.
pub(crate) fn servers(mark: &str) -> Vec<(String, McpServerConfig)> {
    [
        ("behaves", "exec SERVER"),
        ("shell", "SERVER; true"),
        ("ignores_end", "SERVER; sleep 600"),
        ("ignores_term", "trap '' TERM HUP INT; SERVER; sleep 600"),
        ("grandchild", "sleep 600 & SERVER"),
        (
            "daemon",
            "setsid sh -c 'sleep 600 & sleep 600' & exec SERVER",
        ),
    ]
    .into_iter()
    .map(|(case, text)| (case.to_owned(), script(text, mark)))
    .collect()
}

async fn manager(name: &str) -> (McpManager, Registry, String) {
    let registry = open_registry();
    let mark = format!("{name}-{}", std::process::id());
    let manager = McpManager::builder()
        .servers(servers(&mark))
        .registry(&registry)
        .build();
    let report = manager.connect().await;
    assert!(
        report.iter().all(|server| server.error.is_none()),
        "{report:?}"
    );
    assert!(!marked(&mark).is_empty());
    (manager, registry, mark)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_leaves_no_process() {
    let (manager, registry, mark) = manager("shutdown").await;
    let running = tokio::spawn({
        let registry = registry.clone();
        async move { registry.execute("behaves__hang", json!({})).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;

    manager.shutdown(Duration::from_millis(100)).await;

    assert_eq!(marked(&mark), [""; 0]);
    assert_eq!(code(&running.await.unwrap()), "outcome_unknown");
    assert_eq!(registry.list().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_waits_for_running_calls() {
    let (manager, registry, mark) = manager("waits").await;
    let running = tokio::spawn({
        let registry = registry.clone();
        async move { registry.execute("behaves__slow", json!({"n": 300})).await }
    });
    tokio::time::sleep(Duration::from_millis(100)).await;

    manager.shutdown(Duration::from_secs(10)).await;

    assert!(running.await.unwrap().success);
    assert_gone(&mark).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_manager_leaves_no_process() {
    let (manager, _, mark) = manager("dropped").await;

    drop(manager);

    assert_gone(&mark).await;
}

#[test]
fn dropped_runtime_leaves_no_process() {
    for threads in [1, 2] {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build();
        let runtime = runtime.unwrap();
        let (manager, _, mark) = runtime.block_on(manager(&format!("runtime{threads}")));

        drop(runtime);

        drop(manager);
        let other = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        other.block_on(assert_gone(&mark));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_start_leaves_no_process() {
    let mark = format!("start-{}", std::process::id());
    let manager = McpManager::builder()
        .server("s", script("sleep 600", &mark))
        .build();

    let started = tokio::time::timeout(Duration::from_millis(500), manager.connect()).await;
    assert!(started.is_err() && !marked(&mark).is_empty());
    manager.shutdown(Duration::ZERO).await;

    assert_eq!(marked(&mark), [""; 0]);
}
