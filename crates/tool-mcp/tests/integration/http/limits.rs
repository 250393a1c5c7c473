//! Limits of requests and connections.

use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tool_mcp::server::HttpOptions;

use crate::http::Served;

/// Sends bytes and returns the response.
async fn raw(served: &Served, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    // The server may close the connection before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut response = vec![0; 4096];
    let count = stream.read(&mut response).await.unwrap_or(0);
    String::from_utf8_lossy(&response[..count]).into_owned()
}

#[tokio::test]
async fn large_body_is_rejected() {
    let served = Served::start(HttpOptions::default().max_body(1000)).await;

    for (size, status) in [(100, 200), (2_000, 413), (3_000_000, 413)] {
        let text = "x".repeat(size);
        let request = served.current(
            "tools/call",
            json!({"name": "echo", "arguments": {"text": text}}),
        );

        let response = request.send().await;

        // A client that still sends may see a reset instead.
        assert!(
            response.map_or(status == 413 && size > 100_000, |response| response
                .status()
                == status),
            "{size}"
        );
    }
    let chunked = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Transfer-Encoding: chunked\r\n\r\n7d0\r\n"
        .to_owned()
        + &"x".repeat(2000)
        + "\r\n0\r\n\r\n";
    assert!(
        raw(&served, chunked.as_bytes())
            .await
            .starts_with("HTTP/1.1 413 ")
    );
    served.end().await;
}

#[tokio::test]
async fn large_headers_are_rejected() {
    let served = Served::start(HttpOptions::default()).await;
    let large = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n",
        "x".repeat(17_000)
    );
    let many = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
        "X: y\r\n".repeat(101)
    );

    for request in [large, many] {
        let response = raw(&served, request.as_bytes()).await;

        assert!(response.starts_with("HTTP/1.1 431 "), "{response}");
    }
    served.end().await;
}

#[tokio::test]
async fn calls_over_limit_are_rejected() {
    let served = Served::start(HttpOptions::default().max_calls(2)).await;
    let call = || served.current("tools/call", json!({"name": "waits", "arguments": {}}));
    let running = [tokio::spawn(call().send()), tokio::spawn(call().send())];
    served.until_running(2).await;

    let response = served
        .current("tools/list", json!({}))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 503);
    assert_eq!(response.headers()["retry-after"], "1");
    // Health checks and subscriptions have other limits.
    assert_eq!(
        served
            .client
            .get(served.url("/healthz"))
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
    let listen = served.current(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    assert_eq!(listen.send().await.unwrap().status(), 200);
    running.iter().for_each(tokio::task::JoinHandle::abort);
    served.until_running(0).await;
    // The place is free when the server has dropped the response.
    for _ in 0..500 {
        if served
            .current("tools/list", json!({}))
            .send()
            .await
            .unwrap()
            .status()
            == 200
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(
        served
            .current("tools/list", json!({}))
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
    served.end().await;
}

#[tokio::test]
async fn connections_over_limit_are_rejected() {
    let served = Served::start(HttpOptions::default().max_connections(2)).await;
    let open = [
        TcpStream::connect(served.address).await.unwrap(),
        TcpStream::connect(served.address).await.unwrap(),
    ];
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

    let rejected = raw(&served, request).await;
    drop(open);

    assert!(rejected.starts_with("HTTP/1.1 503 "), "{rejected}");
    let mut response = String::new();
    for _ in 0..500 {
        response = raw(&served, request).await;
        if response.starts_with("HTTP/1.1 200 ") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    served.end().await;
}
