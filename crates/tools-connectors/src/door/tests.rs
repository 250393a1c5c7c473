use std::time::{Duration, Instant};

use serde_json::json;

use super::testing::{Reply, Server};
use super::*;

fn door() -> Door {
    let secrets = Secrets::default();
    secrets.add("secret-token");
    Door::new("The test service", secrets, None).unwrap()
}

async fn get(server: &Server) -> Result<Response, Problem> {
    let base = Base::parse(&server.url()).unwrap();
    let request = Request::get("get", &base, &["items"]).max_bytes(1000);
    door()
        .send(&request, Deadline::after(Duration::from_secs(5)))
        .await
}

async fn post(server: &Server) -> Result<Response, Problem> {
    let base = Base::parse(&server.url()).unwrap();
    let request = Request::post("post", &base, &["items"], &json!({"a": 1}));
    door()
        .send(&request, Deadline::after(Duration::from_secs(5)))
        .await
}

fn code(outcome: Result<Response, Problem>) -> String {
    let error = outcome.unwrap_err().into_error("The test service");
    error.code().as_str().to_owned()
}

#[tokio::test]
async fn sends_request_to_origin_with_own_agent() {
    let server = Server::replies([Reply::json(&json!({"ok": true}))]).await;

    let response = get(&server).await.unwrap();

    assert_eq!(
        response.json::<serde_json::Value>().unwrap(),
        json!({"ok": true})
    );
    let request = &server.received()[0];
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        ("GET", "/items")
    );
    assert!(
        request
            .header("user-agent")
            .unwrap()
            .starts_with("toolwright/")
    );
    assert!(request.header("accept-encoding").unwrap().contains("gzip"));
}

#[tokio::test]
async fn repeats_get_after_temporary_status() {
    for status in [408, 429, 500, 502, 503, 504] {
        let replies = [Reply::status(status, "", ""), Reply::json(&json!({}))];
        let server = Server::replies(replies).await;

        assert_eq!(get(&server).await.unwrap().status, 200, "{status}");
        assert_eq!(server.received().len(), 2, "{status}");
    }
}

#[tokio::test]
async fn stops_after_three_attempts() {
    let server = Server::replies([Reply::status(503, "", "")]).await;

    assert_eq!(get(&server).await.unwrap().status, 503);
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn repeats_get_after_lost_response() {
    let cut = Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}".to_vec());
    for first in [Reply::Close, cut] {
        let server = Server::replies([first, Reply::json(&json!({}))]).await;

        assert_eq!(get(&server).await.unwrap().status, 200);
        assert_eq!(server.received().len(), 2);
    }
}

#[tokio::test]
async fn repeats_post_only_if_rejected() {
    for (reply, count) in [
        (Reply::Close, 1),
        (Reply::status(500, "", ""), 1),
        (Reply::status(503, "", ""), 1),
        (Reply::status(429, "", ""), 3),
    ] {
        let server = Server::replies([reply]).await;

        let _ = post(&server).await;

        assert_eq!(server.received().len(), count);
    }
}

#[tokio::test]
async fn waits_for_short_retry_after_only() {
    let soon = [
        Reply::status(429, "Retry-After: 1\r\n", ""),
        Reply::json(&json!({})),
    ];
    let server = Server::replies(soon).await;
    let begin = Instant::now();
    assert_eq!(get(&server).await.unwrap().status, 200);
    assert!(begin.elapsed() >= Duration::from_secs(1));

    let server = Server::replies([Reply::status(429, "Retry-After: 21\r\n", "")]).await;
    let response = get(&server).await.unwrap();
    assert_eq!(response.retry_after(), Some(Duration::from_secs(21)));
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let other = Server::replies([Reply::json(&json!({}))]).await;
    let location = format!("Location: {}/x\r\n", other.url());
    let server = Server::replies([Reply::status(302, &location, "")]).await;

    assert_eq!(get(&server).await.unwrap().status, 302);
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn rejects_large_bodies_and_headers() {
    let server = Server::replies([Reply::status(200, "", vec![b'x'; 1001])]).await;
    assert_eq!(code(get(&server).await), "response_too_large");

    let mut endless = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    endless.extend(vec![b'x'; 5000]);
    let server = Server::replies([Reply::Raw(endless)]).await;
    assert_eq!(code(get(&server).await), "response_too_large");

    let header = format!("X-Long: {}\r\n", "x".repeat(70_000));
    let server = Server::replies([Reply::status(200, &header, "")]).await;
    assert_eq!(code(get(&server).await), "response_too_large");
}

#[tokio::test]
async fn rejects_gzip_bomb() {
    // 64 KiB of zeros.
    let bomb: Vec<u8> = {
        let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        // Stored block of deflate.
        bytes.extend([1, 0xff, 0xff, 0, 0]);
        bytes.extend(vec![0; 65_535]);
        bytes
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        bomb.len()
    );
    let server = Server::replies([Reply::Raw([head.as_bytes(), &bomb].concat())]).await;

    assert_eq!(code(get(&server).await), "response_too_large");
}

#[tokio::test]
async fn reports_refused_connection_and_silence() {
    let closed = Server::replies([Reply::Close]).await;
    let base = Base::parse("http://127.0.0.1:1").unwrap();
    let request = Request::get("get", &base, &[]);
    let refused = door()
        .send(&request, Deadline::after(Duration::from_secs(5)))
        .await;
    assert_eq!(code(refused), "unavailable");
    drop(closed);

    let server = Server::replies([Reply::Silence]).await;
    assert_eq!(code(get(&server).await), "timeout");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn deadline_ends_request() {
    let server = Server::replies([Reply::Silence]).await;
    let base = Base::parse(&server.url()).unwrap();
    let begin = Instant::now();

    let request = Request::get("get", &base, &[]);
    let outcome = door()
        .send(&request, Deadline::after(Duration::from_millis(100)))
        .await;

    assert_eq!(code(outcome), "timeout");
    assert!(begin.elapsed() < Duration::from_millis(700));
}

#[tokio::test]
async fn scrubs_body_and_hides_url_in_cause() {
    let server = Server::replies([Reply::json(&json!({"echo": "Bearer secret-token"}))]).await;
    let response = get(&server).await.unwrap();
    assert_eq!(response.body, br#"{"echo":"Bearer [redacted]"}"#);

    let base = Base::parse("http://127.0.0.1:1").unwrap();
    let request = Request::get("get", &base, &[]).query("q", "private words");
    let refused = door()
        .send(&request, Deadline::after(Duration::from_secs(5)))
        .await;
    let error = refused.unwrap_err().into_error("x");
    assert!(!format!("{error:?}").contains("private"), "{error:?}");
}

#[tokio::test]
async fn rejects_deep_json() {
    let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
    let server = Server::replies([Reply::status(200, "", deep)]).await;

    let parsed = get(&server).await.unwrap().json::<serde_json::Value>();

    assert!(matches!(parsed, Err(Problem::InvalidResponse)));
}

#[test]
fn debug_of_request_hides_token() {
    let base = Base::parse("http://127.0.0.1:1").unwrap();
    let token = tool_core::Secret::new("secret-token".to_owned());

    let request = Request::get("get", &base, &[]).bearer(&token).unwrap();

    assert!(!format!("{request:?}").contains("secret-token"));
}

#[test]
fn problems_become_errors_of_table() {
    let wait = Some(Duration::from_millis(1500));
    let missing = Missing {
        code: "event_not_found",
        what: "The event",
        is_deleted: true,
    };
    for (problem, code, is_retryable, text) in [
        (
            Problem::SignInRequired("the sign-in has expired"),
            "sign_in_required",
            false,
            "A sign-in to Google is required: the sign-in has expired. Ask the user to sign in to Google again.",
        ),
        (
            Problem::RateLimited {
                wait,
                is_final: false,
            },
            "rate_limited",
            true,
            "The rate limit of S is exhausted. Try again after 2 seconds.",
        ),
        (
            Problem::RateLimited {
                wait: None,
                is_final: true,
            },
            "rate_limited",
            false,
            "The rate limit of S is exhausted. The quota is used up. Try again tomorrow.",
        ),
        (
            Problem::NotFound(missing),
            "event_not_found",
            false,
            "The event was deleted. Search again for a current ID.",
        ),
        (
            Problem::Status(503),
            "unavailable",
            true,
            "S is unavailable (HTTP status 503). Try again later.",
        ),
        (
            Problem::ScopeMissing("send mail"),
            "scope_missing",
            false,
            "The user did not grant the permission to send mail. Ask the user to sign in again and leave that permission ticked.",
        ),
        (
            Problem::InvalidParameter("query", "Bad\nquery".to_owned()),
            "invalid_arguments",
            false,
            "`query` was rejected by the service. Bad query",
        ),
        (
            Problem::InvalidResponse,
            "invalid_response",
            false,
            "S returned an invalid response. Try again later.",
        ),
    ] {
        let error = problem.into_error("S");

        assert_eq!(
            (error.code().as_str(), error.retryable()),
            (code, is_retryable)
        );
        assert_eq!(error.to_string(), text);
    }
}
