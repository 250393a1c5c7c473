//! NATS servers that restart, lose a consumer or a call, and refuse credentials.

use std::time::Duration;

use serde_json::json;
use tokio::time::sleep;
use tool_core::{CallOptions, Registry, Secret, ToolCall};
use tool_remote::{NatsCredentials, RemoteTools};

use crate::server::Server;
use crate::site::{Site, ledgers};
use crate::tools::{Runs, code, count, memory, permissive, registry, until, worker};

async fn server_restart_loses_no_call(mut site: Site) {
    let call = ToolCall::new("pay", json!({"text": "survived", "milliseconds": 2000}));
    let running = site.caller.spawn(call, CallOptions::default());
    until("the tool starts", async || count(&site.runs) == 1).await;

    site.server.kill();
    site.server.revive().await;

    let result = running.await;
    assert_eq!(result.to_string(), "survived", "{result:?}");
    assert_eq!(count(&site.runs), 1);
    for tool in ["look", "pay"] {
        until("calls work again", async || {
            site.call(tool, json!({})).await.success
        })
        .await;
    }
}

#[tokio::test]
async fn calls_fail_while_server_is_away() {
    let Some(mut server) = Server::start().await else {
        return;
    };
    let (ledger, runs) = (memory(), Runs::default());
    let own = worker(&server, registry(&runs, &ledger));
    let _worker = own.start().await.unwrap();
    let registry = permissive();
    let options = server.options().request_timeout(Duration::from_millis(300));
    let _remote = RemoteTools::connect(options, &registry).await.unwrap();

    server.kill();
    sleep(Duration::from_millis(200)).await;
    assert_unavailable(&registry).await;
    server.revive().await;

    until_recovered(&registry).await;
}

async fn deleted_consumer_and_queue_are_created_again(site: Site) {
    let context = site.server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();

    stream.delete_consumer("tools").await.unwrap();
    assert!(site.call("pay", json!({})).await.success);

    context.delete_stream("TOOLS_default").await.unwrap();
    until("the queue returns", async || {
        site.call("pay", json!({})).await.success
    })
    .await;
}

async fn queue_that_loses_call_receives_it_again(mut site: Site) {
    let pinned = site.caller.snapshot();
    let registry = site.registry().await;
    site.worker
        .take()
        .unwrap()
        .stop(Duration::from_secs(10))
        .await;
    let running = pinned.spawn(
        ToolCall::new("pay", json!({"text": "a"})),
        CallOptions::default(),
    );
    let context = site.server.stream().await;
    let stream = context.get_stream("TOOLS_default").await.unwrap();
    until("the call is queued", async || {
        stream.get_info().await.unwrap().state.messages == 1
    })
    .await;

    stream.purge().await.unwrap();
    let _worker = worker(&site.server, registry).start().await.unwrap();

    assert_eq!(running.await.to_string(), "a");
    assert_eq!(count(&site.runs), 1);
}

/// Checks that calls fail without a run while the server cannot be used.
async fn assert_unavailable(registry: &Registry) {
    for tool in ["look", "pay"] {
        let result = registry.execute(tool, json!({})).await;
        let code = code(&result);
        assert!(
            ["unavailable", "outcome_unknown"].contains(&code),
            "{tool}: {result}"
        );
        let error = result.error.unwrap();
        assert_eq!(error.retryable, error.code.as_str() == "unavailable");
    }
}

/// Waits until the same caller and worker work again.
async fn until_recovered(registry: &Registry) {
    for tool in ["look", "pay"] {
        until("calls work again", async || {
            registry.get(tool).is_some() && registry.execute(tool, json!({})).await.success
        })
        .await;
    }
}

#[tokio::test]
async fn refused_credentials_stop_calls_until_they_are_accepted() {
    let users = |password: &str| {
        format!("authorization {{ users = [{{user: app, password: {password}}}] }}")
    };
    let Some(mut server) = Server::configured(&users("right")).await else {
        return;
    };
    let password = Secret::new("right".to_owned());
    let options = server
        .options()
        .credentials(NatsCredentials::User("app".to_owned(), password));
    let (ledger, runs) = (memory(), Runs::default());
    let own = tool_remote::Worker::new(registry(&runs, &ledger), options.clone());
    let _worker = own
        .heartbeat(Duration::from_millis(200))
        .start()
        .await
        .unwrap();
    let registry = permissive();
    let options = options.request_timeout(Duration::from_millis(300));
    let _remote = RemoteTools::connect(options, &registry).await.unwrap();
    until_recovered(&registry).await;
    let pinned = registry.snapshot();
    let before = count(&runs);

    server.kill();
    server.configure(&users("other"));
    server.revive().await;
    sleep(Duration::from_millis(500)).await;
    assert_unavailable(&pinned).await;
    assert_eq!(count(&runs), before);

    server.kill();
    server.configure(&users("right"));
    server.revive().await;
    until_recovered(&registry).await;
}

ledgers! {
    server_restart_loses_no_call
    deleted_consumer_and_queue_are_created_again
    queue_that_loses_call_receives_it_again
}
