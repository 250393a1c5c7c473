//! Pages.

use tool_core::{Arguments, ErrorCode, Registry, ToolError};
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::*;
use crate::contracts::cli_agent::web::fetching;
use crate::web::{AddressGuard, WebFetch};
use crate::{Kit, Workspace};

/// The set, with a guard that lets it reach servers of the test.
fn registry() -> Registry {
    let guard = AddressGuard::new().allow_host("127.0.0.1").unwrap();
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let kit = kit.with_web(WebFetch::new().with_guard(guard));
    Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .contract(&CliAgent.contract(&kit).unwrap())
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
async fn a_page_is_told_with_its_size_and_then_its_text() {
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
async fn a_page_over_a_megabyte_is_cut_with_the_printed_warning() {
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
async fn a_page_that_the_server_does_not_give_is_an_error_with_what_it_said() {
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
async fn each_printed_error_is_given_to_the_letter() {
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
            "Error: `timeout_seconds` must be from 1 to 60, not 0. Use 1, or leave it out.",
            "invalid_arguments",
        ),
        (
            json!({"url": "http://example.com", "timeout_seconds": 61}),
            "Error: `timeout_seconds` must be from 1 to 60, not 61. Use 60, or leave it out.",
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
fn errors_that_need_a_network_are_told_as_printed() {
    let arguments =
        Arguments::from_value(json!({"url": "https://example.com", "timeout_seconds": 10}));
    for (code, text) in [
        ("timeout", "Error: Request timed out after 10 seconds"),
        ("host_not_found", "Error: Failed to fetch - host not found"),
        (
            "connect_timeout",
            "Error: Failed to fetch - connection timed out",
        ),
        (
            "tls_error",
            "Error: Failed to fetch - the server cannot be trusted",
        ),
        (
            "redirect_loop",
            "Error: Failed to fetch - too many redirects",
        ),
    ] {
        let error = ToolError::about(ErrorCode::from(code), "url", "failed");

        let told = fetching(error, &arguments);

        assert_eq!(told.to_model_text(), text);
        assert_eq!(told.code().as_str(), code);
    }
}
