//! End of the service.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpListener;
use tool_core::Registry;
use tool_mcp::McpServer;
use tool_mcp::server::{BearerTokens, HttpOptions, ServeError};

use crate::http::{Served, events};

#[tokio::test]
async fn running_call_finishes_after_stop() {
    let served = Served::start(HttpOptions::default()).await;
    let params = json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": "t"}});
    let mut response = served.current("tools/call", params).send().await.unwrap();
    response.chunk().await.unwrap().unwrap();

    served.stop.cancel();

    let rest = events(response).await;
    assert_eq!(rest.last().unwrap()["result"]["content"][0]["text"], "done");
    assert!(
        served
            .client
            .get(served.url("/healthz"))
            .send()
            .await
            .is_err()
    );
    served.end().await;
}

#[tokio::test]
async fn subscription_ends_with_result_after_stop() {
    let served = Served::start(HttpOptions::default()).await;
    let params = json!({"notifications": {"toolsListChanged": true}});
    let mut response = served
        .current("subscriptions/listen", params)
        .send()
        .await
        .unwrap();
    response.chunk().await.unwrap().unwrap();
    let started = Instant::now();

    served.stop.cancel();

    let rest = events(response).await;
    assert!(rest.last().unwrap()["result"].is_object(), "{rest:?}");
    served.end().await;
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// Waits for the grace period of 30 s by a paused clock is impossible with real connections, so that the host drops the
/// service instead.
#[tokio::test]
async fn dropped_service_cancels_calls() {
    let served = Served::start(HttpOptions::default()).await;
    let call = served.current("tools/call", json!({"name": "waits", "arguments": {}}));
    let call = tokio::spawn(call.send());
    served.until_running(1).await;

    served.task.abort();
    call.abort();

    served.until_running(0).await;
}

#[tokio::test]
async fn open_address_requires_authentication() {
    let start = |options: HttpOptions| async move {
        let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
        let server = McpServer::new(Registry::new()).serve_http(listener, options);
        tokio::time::timeout(Duration::from_millis(100), server).await
    };

    let refused = start(HttpOptions::default()).await.unwrap().unwrap_err();
    assert!(matches!(refused, ServeError::Open(_)), "{refused}");
    let tokens = BearerTokens::default().with_token("ci", &"secret".to_owned().into());
    assert!(
        start(HttpOptions::default().authenticate(tokens))
            .await
            .is_err()
    );
    assert!(
        start(HttpOptions::default().allow_anonymous())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn health_and_readiness_have_no_body() {
    let served = Served::start(HttpOptions::default()).await;

    for path in ["/healthz", "/readyz"] {
        let response = served.client.get(served.url(path)).send().await.unwrap();

        assert_eq!(
            (
                response.status().as_u16(),
                response.text().await.unwrap().as_str()
            ),
            (200, ""),
            "{path}"
        );
    }
    let value: Value = served.call("who", json!({})).await;
    assert_eq!(value["result"]["content"][0]["text"], "anonymous");
    served.end().await;
}
