//! Long, slow, broken, compressed and binary bodies.

use super::*;
use crate::web::testing::{gzip, with_headers};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

#[tokio::test]
async fn slow_body_fails_at_deadline() {
    let server = RawServer::dripping(CHUNKED, "1\r\na\r\n").await;

    assert_eq!(
        Trial::new().within(SOON).code(&server.url("/")).await,
        "timeout"
    );
}

#[tokio::test]
async fn endless_body_is_rejected_or_truncated_at_limit() {
    let endless = || {
        RawServer::start(|_, mut stream| async move {
            use tokio::io::AsyncWriteExt as _;

            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            loop {
                stream.write_all(&[b'a'; 10_000]).await?;
            }
        })
    };

    let refused = Trial::new().error(&endless().await.url("/")).await;
    let cut = Trial::new()
        .cutting()
        .fetch(&endless().await.url("/"))
        .await;

    assert_eq!(refused.code().as_str(), "response_too_large");
    assert_eq!(
        refused.message(),
        "`url` has a response of more than 100000 bytes."
    );
    let cut = cut.unwrap();
    assert_eq!((cut.body.len(), cut.is_cut), (100_000, true));
}

#[tokio::test]
async fn declared_length_over_limit_is_rejected_before_body() {
    let server = RawServer::always("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n").await;

    assert_eq!(
        Trial::new().code(&server.url("/")).await,
        "response_too_large"
    );
}

#[tokio::test]
async fn body_of_maximum_length_is_complete() {
    let server = RawServer::always(response("text/plain", vec![b'a'; 100_000])).await;

    let whole = Trial::new()
        .cutting()
        .fetch(&server.url("/"))
        .await
        .unwrap();

    assert_eq!((whole.body.len(), whole.is_cut), (100_000, false));
}

#[tokio::test]
async fn interrupted_body_is_incomplete() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort".to_owned(),
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n".to_owned(),
        format!("{CHUNKED}a\r\nshort"),
        format!("{CHUNKED}5\r\nshort\r\n"),
        format!("{CHUNKED}5\r\nshort\r\n5"),
        format!("{CHUNKED}nonsense\r\n"),
        format!("{CHUNKED}ffffffffffffffffff\r\n"),
    ] {
        let server = RawServer::always(answer.clone()).await;

        let error = Trial::new().error(&server.url("/")).await;

        assert_eq!(error.code().as_str(), "response_incomplete", "{answer:?}");
        assert!(error.retryable());
    }
}

#[tokio::test]
async fn body_ends_at_declared_length() {
    let server =
        RawServer::always("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and more").await;

    assert_eq!(Trial::new().body(&server.url("/")).await, "hello");
}

#[tokio::test]
async fn body_without_length_ends_with_connection() {
    let server = RawServer::always("HTTP/1.0 200 OK\r\n\r\nhello").await;

    assert_eq!(Trial::new().body(&server.url("/")).await, "hello");
}

#[tokio::test]
async fn rejects_conflicting_lengths() {
    let server = RawServer::always(
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    )
    .await;

    assert_eq!(
        Trial::new().code(&server.url("/")).await,
        "invalid_response"
    );
}

#[tokio::test]
async fn decompresses_body() {
    let packed = gzip(b"hello");
    let server = RawServer::always(with_headers("Content-Encoding: gzip\r\n", packed)).await;

    assert_eq!(Trial::new().body(&server.url("/")).await, "hello");
    let plain = RawServer::always(with_headers("Content-Encoding: identity\r\n", "hello")).await;
    assert_eq!(Trial::new().body(&plain.url("/")).await, "hello");
    let request = server.requests().concat();
    let accepted = request
        .lines()
        .find(|line| line.starts_with("accept-encoding: "));
    assert!(
        accepted.is_some_and(|line| line.contains("gzip") && line.contains("br")),
        "{request}"
    );
}

#[tokio::test]
async fn decompression_bomb_is_rejected_or_truncated() {
    let packed = gzip(&vec![b'a'; 5_000_000]);
    assert!(packed.len() < 100_000, "{}", packed.len());
    let server = RawServer::always(with_headers("Content-Encoding: gzip\r\n", packed)).await;

    assert_eq!(
        Trial::new().code(&server.url("/")).await,
        "response_too_large"
    );
    let cut = Trial::new()
        .cutting()
        .fetch(&server.url("/"))
        .await
        .unwrap();
    assert_eq!((cut.body.len(), cut.is_cut), (100_000, true));
}

#[tokio::test]
async fn invalid_compression_fails() {
    let mut broken = gzip(b"hello hello hello");
    broken[12] ^= 0xff;
    for (encoding, body) in [
        ("gzip", broken),
        ("gzip", b"not gzip at all, but text".to_vec()),
        ("br", b"\xff\xff\xff\xff\xff\xff".to_vec()),
        ("deflate", b"hello".to_vec()),
        ("zstd", b"hello".to_vec()),
        ("x-gzip", gzip(b"hello")),
        ("gzip, gzip", gzip(&gzip(b"hello"))),
        ("unheard-of", b"hello".to_vec()),
    ] {
        let headers = format!("Content-Encoding: {encoding}\r\n");
        let server = RawServer::always(with_headers(&headers, body)).await;

        let code = Trial::new().code(&server.url("/")).await;

        assert_eq!(code, "invalid_content_encoding", "{encoding}");
    }
}

#[tokio::test]
async fn interrupted_compressed_body_fails() {
    let packed = gzip(
        &(0..60_000_u32)
            .flat_map(u32::to_le_bytes)
            .map(|byte| byte | 1)
            .collect::<Vec<u8>>(),
    );
    let half = &packed[..packed.len() / 2];
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        packed.len()
    );
    let server = RawServer::always([head.as_bytes(), half].concat()).await;

    let code = Trial::new().cutting().fetch(&server.url("/")).await;

    // Half of the body may already exceed the limit.
    match code {
        Ok(fetched) => assert!(fetched.is_cut),
        Err(failure) => assert_eq!(
            ToolError::from(failure).code().as_str(),
            "response_incomplete"
        ),
    }
}

#[tokio::test]
async fn binary_content_is_named_and_not_shown() {
    for (content_type, body, what) in [
        (
            "image/png",
            &b"\x89PNG\r\n\x1a\n"[..],
            "an image (image/png)",
        ),
        ("video/mp4", b"", "a video (video/mp4)"),
        (
            "text/html",
            b"\x89PNG\r\n\x1a\n\0",
            "binary data (text/html)",
        ),
        (
            "application/zip",
            b"PK\x03\x04abc",
            "an archive (application/zip)",
        ),
        (
            "application/pdf",
            b"%PDF-1.7",
            "a PDF document (application/pdf)",
        ),
        (
            "application/octet-stream",
            b"a\0b",
            "binary data (application/octet-stream)",
        ),
    ] {
        let server = RawServer::always(response(content_type, body)).await;

        let error = Trial::new().error(&server.url("/")).await;

        assert_eq!(error.code().as_str(), "not_text", "{content_type}");
        assert_eq!(
            error.message(),
            format!("`url` is {what}, which cannot be shown as text.")
        );
    }
}

#[tokio::test]
async fn binary_content_is_detected_early() {
    let body = [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 2_000_000]].concat();
    let answer = [b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), body].concat();
    let server = RawServer::always(answer).await;

    assert_eq!(Trial::new().code(&server.url("/")).await, "not_text");
}
