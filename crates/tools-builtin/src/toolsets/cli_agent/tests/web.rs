//! Web pages.

use tool_core::{ErrorCode, Registry, ToolError};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::toolsets::cli_agent::web::sentence;
use crate::web::{AddressGuard, WebFetch};
use crate::{Kit, Workspace};

/// Returns a registry whose guard allows the test servers.
fn registry() -> Registry {
    let guard = AddressGuard::new().allow_host("127.0.0.1").unwrap();
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let kit = kit.with_web(WebFetch::new().with_guard(guard));
    Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .toolset(&CliAgent.toolset(&kit).unwrap())
        .unwrap()
        .build()
}

async fn server(status: u16, body: Vec<u8>) -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(status).set_body_raw(body, "text/html");
    Mock::given(method("GET"))
        .respond_with(answer)
        .mount(&server)
        .await;
    server
}

#[tokio::test]
async fn page_has_size_headline_and_text() {
    let page = format!("<p>Hello.</p>{}", " ".repeat(5324 - 13));
    let server = server(200, page.into_bytes()).await;
    let url = server.uri();

    let result = registry()
        .execute("fetch_webpage", json!({"url": url}))
        .await;

    let mut form = json!(CliAgentResult::of(&result));
    form.as_object_mut().unwrap().remove("execution_time_ms");
    assert_eq!(
        form,
        json!({
            "success": true,
            "output": format!("Fetched content from {url} (5.2 KB)\nHello."),
            "files_affected": [],
            "metadata": {
                "url": url,
                "status_code": 200,
                "content_length": 5324,
                "content_type": "text/html",
            },
        })
    );
}

#[tokio::test]
async fn page_over_1_mb_is_truncated_with_documented_warning() {
    let server = server(200, vec![b'a'; 1024 * 1024 + 1]).await;

    let result = registry()
        .execute("fetch_webpage", json!({"url": server.uri()}))
        .await;

    assert!(result.success, "{result}");
    assert_eq!(
        result.warnings,
        ["Error: Response too large (>1MB), truncating"]
    );
    assert_eq!(result.data.as_ref().unwrap()["content_length"], 1024 * 1024);
}

#[tokio::test]
async fn http_error_status_is_error_with_body() {
    let server = server(404, b"<p>Gone.</p>".to_vec()).await;
    let url = server.uri();

    let result = registry()
        .execute("fetch_webpage", json!({"url": url}))
        .await;

    assert_eq!(
        result.text(),
        format!(
            "Error: Failed to fetch - HTTP status 404 Not Found\nFetched content from {url} (0.0 KB)\nGone."
        )
    );
    assert_eq!(result.error.unwrap().code.as_str(), "http_status");
    assert_eq!(result.data.unwrap()["status_code"], 404);
}

#[tokio::test]
async fn errors_match_document() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = listener.local_addr().unwrap();
    drop(listener);
    for (arguments, text, code) in [
        (
            json!({"url": "example.com"}),
            "Error: Invalid URL format",
            "invalid_arguments",
        ),
        (
            json!({"url": "ftp://example.com"}),
            "Error: Invalid URL format",
            "invalid_arguments",
        ),
        (
            json!({"url": "http://"}),
            "Error: Invalid URL format",
            "invalid_arguments",
        ),
        (
            json!({"url": format!("http://{free}")}),
            "Error: Failed to fetch - connection refused",
            "connection_refused",
        ),
        (
            json!({"url": "http://example.com", "timeout_seconds": 0}),
            "Error: `timeout_seconds` must be from 1 to 60, not 0. Use 1, or omit it.",
            "invalid_arguments",
        ),
        (
            json!({"url": "http://example.com", "timeout_seconds": 61}),
            "Error: `timeout_seconds` must be from 1 to 60, not 61. Use 60, or omit it.",
            "invalid_arguments",
        ),
    ] {
        let result = registry().execute("fetch_webpage", arguments.clone()).await;

        let found = result.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(
            (result.text().as_str(), found),
            (text, Some(code)),
            "{arguments}"
        );
    }
}

#[test]
fn network_errors_match_document() {
    for (code, text) in [
        ("timeout", "Error: Request timed out after 10 seconds"),
        ("host_not_found", "Error: Failed to fetch - host not found"),
        (
            "connect_timeout",
            "Error: Failed to fetch - connection timed out",
        ),
        (
            "tls_error",
            "Error: Failed to fetch - the server is not trusted",
        ),
        (
            "redirect_loop",
            "Error: Failed to fetch - too many redirects",
        ),
    ] {
        let error = ToolError::about(ErrorCode::from(code), "url", "failed");

        let reported = sentence(error, 10);

        assert_eq!(reported.to_model_text(), text);
        assert_eq!(reported.code().as_str(), code);
    }
}
