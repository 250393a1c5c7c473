//! Requests of both revisions.

use serde_json::{Value, json};
use tool_mcp::server::HttpOptions;

use crate::http::{Served, events};

#[tokio::test]
async fn serves_current_revision_without_state() {
    let served = Served::start(HttpOptions::default()).await;

    let discovered = served
        .current("server/discover", json!({}))
        .send()
        .await
        .unwrap();
    assert!(discovered.headers().get("mcp-session-id").is_none());
    let discovered: Value = discovered.json().await.unwrap();
    let listed: Value = served
        .current("tools/list", json!({}))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    let called = served.call("echo", json!({"text": "hi"})).await;

    let versions = discovered["result"]["supportedVersions"]
        .as_array()
        .unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{versions:?}");
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 4);
    assert_eq!(
        (&listed["result"]["ttlMs"], &listed["result"]["cacheScope"]),
        (&json!(30_000), &json!("public"))
    );
    assert_eq!(called["result"]["content"][0]["text"], "hi");
    served.end().await;
}

#[tokio::test]
async fn serves_older_revisions_without_state() {
    let served = Served::start(HttpOptions::default()).await;

    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let initialized = served.post(&body).send().await.unwrap();
        assert!(initialized.headers().get("mcp-session-id").is_none());
        let initialized: Value = initialized.json().await.unwrap();
        assert_eq!(initialized["result"]["protocolVersion"], version);
        assert_eq!(
            initialized["result"]["serverInfo"],
            json!({"name": "own", "version": "1.2.3"})
        );

        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": "hi"}}});
        let called = served
            .post(&call)
            .header("mcp-protocol-version", version)
            .send()
            .await
            .unwrap();
        let called: Value = called.json().await.unwrap();
        assert_eq!(
            called["result"],
            json!({"content": [{"type": "text", "text": "hi"}], "isError": false})
        );
    }
    served.end().await;
}

#[tokio::test]
async fn invalid_requests_are_rejected() {
    let served = Served::start(HttpOptions::default()).await;

    let unknown = served.call("ecko", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`echo`")
    );
    let invalid = served.call("echo", json!({"txt": "x"})).await;
    assert_eq!(
        invalid["result"]["structuredContent"]["code"],
        "invalid_arguments"
    );
    for (request, status) in [
        (served.post(&json!({"jsonrpc": "2.0"})), 400..=400),
        (served.current("unknown/method", json!({})), 404..=404),
        (served.client.get(served.url("/mcp")), 405..=405),
        (served.client.delete(served.url("/mcp")), 405..=405),
        (served.client.get(served.url("/")), 404..=404),
        (served.client.post(served.url("/mcp/")), 404..=404),
        (
            served
                .client
                .get(served.url("/.well-known/oauth-protected-resource")),
            404..=404,
        ),
        (served.client.post(served.url("/mcp")).body("{}"), 400..=499),
    ] {
        let response = request.send().await.unwrap();

        assert!(status.contains(&response.status().as_u16()), "{response:?}");
    }
    served.end().await;
}

#[tokio::test]
async fn foreign_hosts_and_origins_are_rejected() {
    let options = HttpOptions::default()
        .allow_host("mcp.example.com")
        .allow_origin("https://app.example.com");
    let served = Served::start(options).await;

    for (host, origin, status) in [
        ("mcp.example.com", "", 200),
        ("localhost", "https://app.example.com", 200),
        ("localhost", "http://localhost:3000", 200),
        ("evil.example", "", 403),
        ("localhost", "http://evil.example", 403),
        ("localhost", "null", 403),
        ("evil.example", "https://app.example.com", 403),
    ] {
        let mut request = served.current("tools/list", json!({})).header("host", host);
        if !origin.is_empty() {
            request = request.header("origin", origin);
        }

        let response = request.send().await.unwrap();

        assert_eq!(response.status(), status, "{host} {origin}");
    }
    served.end().await;
}

#[tokio::test]
async fn progress_turns_response_into_stream() {
    let served = Served::start(HttpOptions::default()).await;
    let params = json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": "t"}});

    let response = served.current("tools/call", params).send().await.unwrap();

    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let events = events(response).await;
    assert_eq!(events[0]["method"], "notifications/progress");
    assert_eq!(
        events.last().unwrap()["result"]["content"][0]["text"],
        "done"
    );
    served.end().await;
}

#[tokio::test]
async fn subscription_reports_changed_tools() {
    let served = Served::start(HttpOptions::default()).await;
    let params = json!({"notifications": {"toolsListChanged": true}});
    let mut response = served
        .current("subscriptions/listen", params)
        .send()
        .await
        .unwrap();
    let first = response.chunk().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("notifications/subscriptions/acknowledged"));

    served.registry.unregister("progress").unwrap();

    let next = response.chunk().await.unwrap().unwrap();
    assert!(
        String::from_utf8_lossy(&next).contains("notifications/tools/list_changed"),
        "{next:?}"
    );
    drop(response);
    served.end().await;
}

#[tokio::test]
async fn call_of_gone_client_is_cancelled() {
    let served = Served::start(HttpOptions::default()).await;
    let call = served.current("tools/call", json!({"name": "waits", "arguments": {}}));
    let call = tokio::spawn(call.send());
    served.until_running(1).await;

    call.abort();

    served.until_running(0).await;
    served.end().await;
}

#[tokio::test]
async fn sessions_are_optional() {
    let served = Served::start(HttpOptions::default().sessions(true)).await;
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});

    let initialized = served.old("initialize", &params).send().await.unwrap();
    let session = initialized.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    drop(initialized);
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let accepted = served
        .post(&notification)
        .header("mcp-session-id", &session)
        .send()
        .await
        .unwrap();
    assert_eq!(accepted.status(), 202);
    let call = json!({"name": "echo", "arguments": {"text": "hi"}});
    let called = served
        .old("tools/call", &call)
        .header("mcp-session-id", &session)
        .send()
        .await
        .unwrap();
    let called = events(called).await;
    assert_eq!(called.last().unwrap()["result"]["content"][0]["text"], "hi");
    let unknown = served
        .old("tools/call", &call)
        .header("mcp-session-id", "other")
        .send()
        .await
        .unwrap();
    assert_eq!(unknown.status(), 404);
    // The current revision needs no session.
    assert_eq!(
        served.call("echo", json!({"text": "now"})).await["result"]["content"][0]["text"],
        "now"
    );
    served.end().await;
}

#[tokio::test]
async fn invalid_messages_get_errors_of_protocol() {
    let served = Served::start(HttpOptions::default()).await;
    let call = |params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{params}}}")
    };
    for (body, status, code, part) in [
        ("{\"a\":".to_owned(), 400, -32700, "not valid JSON"),
        (
            call("{\"name\":\"\\ud800\"}"),
            400,
            -32700,
            "not valid JSON",
        ),
        (call("{}"), 200, -32602, "missing field `name`"),
        (
            call("{\"name\":\"echo\",\"arguments\":\"{}\"}"),
            200,
            -32602,
            "invalid type: string \"{}\"",
        ),
    ] {
        let request = served.post(&json!({})).body(body.clone());

        let response = request.send().await.unwrap();

        assert_eq!(response.status(), status, "{body}");
        let response: Value = response.json().await.unwrap();
        assert_eq!(response["error"]["code"], code, "{body}");
        let message = response["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{body}: {message}");
    }
    served.end().await;
}

#[tokio::test]
async fn pages_of_allowed_origins_may_read_responses() {
    let options = HttpOptions::default().allow_origin("https://app.example.com");
    let served = Served::start(options).await;
    for (origin, is_allowed) in [
        ("https://app.example.com", true),
        ("http://localhost:3000", true),
        ("https://evil.example", false),
    ] {
        let preflight = served
            .client
            .request(reqwest::Method::OPTIONS, served.url("/mcp"))
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "authorization, mcp-session-id",
            );
        let list = served
            .current("tools/list", json!({}))
            .header("origin", origin);

        let (preflight, list) = (preflight.send().await.unwrap(), list.send().await.unwrap());

        let allowed = |name: &str| {
            let value = preflight.headers().get(name).or(list.headers().get(name));
            value.map(|value| value.to_str().unwrap().to_owned())
        };
        let given = |value: &str| is_allowed.then(|| value.to_owned());
        assert_eq!(
            preflight.status(),
            if is_allowed { 204 } else { 403 },
            "{origin}"
        );
        assert_eq!(
            list.status(),
            if is_allowed { 200 } else { 403 },
            "{origin}"
        );
        assert_eq!(allowed("access-control-allow-origin"), given(origin));
        let headers = "authorization, mcp-session-id";
        assert_eq!(allowed("access-control-allow-headers"), given(headers));
        let exposed = allowed("access-control-expose-headers").unwrap_or_default();
        assert_eq!(exposed.contains("Mcp-Session-Id"), is_allowed, "{origin}");
    }
    served.end().await;
}

#[tokio::test]
async fn wildcard_of_accepted_types_is_enough() {
    let served = Served::start(HttpOptions::default()).await;
    for (accept, status) in [
        ("*/*", 200),
        ("application/json, */*;q=0.5", 200),
        ("text/html", 406),
    ] {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let request = served.client.post(served.url("/mcp")).json(&list);

        let response = request.header("accept", accept).send().await.unwrap();

        assert_eq!(response.status(), status, "{accept}");
    }
    served.end().await;
}
