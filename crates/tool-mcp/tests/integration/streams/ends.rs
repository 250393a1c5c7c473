//! Ends of streams.

use tokio::io::{AsyncWriteExt, copy_bidirectional};

use super::*;

#[tokio::test]
async fn end_of_stream_fails_server_and_call() {
    let (near, mut relayed) = duplex(BUFFER);
    let (mut relay, far) = duplex(BUFFER);
    tokio::spawn(McpServer::new(served()).serve_stream(far));
    let relay = tokio::spawn(async move { copy_bidirectional(&mut relayed, &mut relay).await });
    let (registry, manager) = manager(near, trusted());
    manager.connect().await;
    let call = tokio::spawn({
        let registry = registry.clone();
        async move { registry.execute("s__waits", json!({})).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;

    relay.abort();

    assert_eq!(code(&call.await.unwrap()), "outcome_unknown");
    let report = failed(&manager).await;
    assert_eq!(
        report.error.unwrap().to_string(),
        "server \"s\": the connection was closed. Add the server again with a new stream."
    );
    assert_eq!(registry.list().len(), 0);
    let again = manager.reconnect("s").await.unwrap();
    assert_eq!(again.state, ServerState::Failed);
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn dropped_server_cancels_calls() {
    let one = One::start(McpServer::new(served()), trusted()).await;
    let registry = one.registry.clone();
    let call = tokio::spawn(async move { registry.execute("s__waits", json!({})).await });
    tokio::time::sleep(Duration::from_millis(50)).await;

    one.task.abort();

    assert!(!call.await.unwrap().success);
    failed(&one.manager).await;
    one.manager.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn stream_that_ends_early_fails_server() {
    for answer in ["", "{\"jsonrpc\":", "no json\n"] {
        let (near, mut far) = duplex(1024);
        far.write_all(answer.as_bytes()).await.unwrap();
        drop(far);
        let (_, manager) = manager(near, trusted());

        let report = manager.connect().await.remove(0);

        assert_eq!(report.state, ServerState::Failed);
        let error = report.error.unwrap().to_string();
        assert!(error.contains("the connection was closed"), "{error}");
        manager.shutdown(Duration::ZERO).await;
    }
}

#[tokio::test]
async fn mute_stream_fails_server_after_timeout() {
    let (near, _far) = duplex(16);
    let config = trusted().with_startup_timeout(Duration::from_millis(100));
    let (_, manager) = manager(near, config);

    let report = manager.connect().await.remove(0);

    let error = report.error.unwrap().to_string();
    assert!(error.contains("did not respond within 0.1 s"), "{error}");
    manager.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn dropped_manager_ends_server() {
    let one = One::start(McpServer::new(served()), trusted()).await;

    drop(one.manager);

    let limit = Duration::from_secs(10);
    let ended = tokio::time::timeout(limit, one.task).await.unwrap();
    ended.unwrap().unwrap();
}
