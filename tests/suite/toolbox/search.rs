//! `--search-key-file` and `--search-url`.

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_test::Scratch;
use wiremock::matchers::{header, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::run_in;

/// A server that finds one page, for whoever has the key.
struct Server {
    server: MockServer,
    runtime: Runtime,
}

impl Server {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(async {
            let server = MockServer::start().await;
            let page = json!({"title": "Rust", "url": "https://rust-lang.org/", "description": "A <b>language</b>"});
            let found = json!({"web": {"results": [page]}});
            Mock::given(path("/res/v1/web/search"))
                .and(header("X-Subscription-Token", "BSA-secret"))
                .and(query_param("q", "rust"))
                .respond_with(ResponseTemplate::new(200).set_body_json(found))
                .mount(&server)
                .await;
            let limited = ResponseTemplate::new(429).insert_header("retry-after", "2");
            Mock::given(query_param("q", "often")).respond_with(limited).mount(&server).await;
            Mock::given(query_param("q", "denied")).respond_with(ResponseTemplate::new(401)).mount(&server).await;
            let nothing = ResponseTemplate::new(200).set_body_json(json!({}));
            Mock::given(query_param("q", "x".repeat(400))).respond_with(nothing).mount(&server).await;
            server
        });
        Self { server, runtime }
    }

    fn requests(&self) -> usize {
        let received = self.runtime.block_on(self.server.received_requests());
        received.unwrap_or_default().len()
    }
}

fn keyed() -> Scratch {
    Scratch::new()
        .file("key", "  BSA-secret\n")
        .file("empty", " \n")
}

fn names(listed: &Value) -> Vec<&str> {
    let tools = listed.as_array().unwrap();
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

#[test]
fn the_tool_is_listed_only_with_a_key() {
    for contract in ["standard", "assistant"] {
        let without = run_in(&keyed(), &["list", "--contract", contract], "").document();
        let with = ["list", "--contract", contract, "--search-key-file", "key"];
        let with = run_in(&keyed(), &with, "").document();

        assert!(!names(&without).contains(&"web_search"), "{contract}");
        assert!(names(&with).contains(&"web_search"), "{contract}");
    }
}

#[test]
fn a_call_searches_and_shows_the_key_to_nobody() {
    let server = Server::start();
    let url = server.server.uri();
    let options = ["--search-key-file", "key", "--search-url", &url];

    for contract in ["standard", "assistant"] {
        let call = [
            "call",
            "web_search",
            r#"{"query": "rust"}"#,
            "--contract",
            contract,
        ];
        let run = run_in(&keyed(), &[&call[..], &options].concat(), "");

        let result = run.document();
        assert_eq!(
            result["content"][0]["text"],
            "Search results for \"rust\" (1 result):\n\n1. Rust\n   https://rust-lang.org/\n   A language"
        );
        assert_eq!(
            result["data"],
            json!({"results": [{"title": "Rust", "url": "https://rust-lang.org/", "description": "A language"}]})
        );
        assert!(!run.output.contains("BSA-secret") && !run.errors.contains("BSA-secret"));
    }
    assert_eq!(server.requests(), 2);
}

#[test]
fn a_batch_tells_refusals_apart() {
    let server = Server::start();
    let url = server.server.uri();
    let options = ["batch", "--search-key-file", "key", "--search-url", &url];
    let lines = ["rust", "often", "denied"]
        .map(|query| json!({"id": query, "tool": "web_search", "arguments": {"query": query}}));

    let run = run_in(&keyed(), &options, &super::json_lines(&lines));

    let codes: Vec<Value> = run
        .lines()
        .iter()
        .map(|line| line["error"]["code"].clone())
        .collect();
    assert_eq!(
        codes,
        [
            json!(null),
            json!("rate_limited"),
            json!("search_not_authorized")
        ]
    );
    assert!(!run.output.contains("BSA-secret"));
}

#[test]
fn a_long_query_is_cut_with_a_warning_and_in_assistant_without() {
    let server = Server::start();
    let url = server.server.uri();
    let options = ["--search-key-file", "key", "--search-url", &url];
    let long = json!({"query": "x".repeat(401)}).to_string();

    let told =
        "`query` was cut to its first 400 characters; 1 were left out. Search with a shorter one.";
    for (contract, warnings) in [("standard", json!([told])), ("assistant", json!([]))] {
        let call = ["call", "web_search", &long, "--contract", contract];
        let result = run_in(&keyed(), &[&call[..], &options].concat(), "").document();

        assert_eq!(
            (&result["success"], &result["warnings"]),
            (&json!(true), &warnings),
            "{contract}"
        );
    }
}

#[test]
fn a_key_that_cannot_be_used_is_wrong_usage() {
    for (options, told) in [
        (
            &["--search-key-file", "empty"][..],
            "the search cannot be used: the search key is empty",
        ),
        (
            &["--search-key-file", "missing"],
            "the search key cannot be read: ",
        ),
        (&["--search-url", "http://127.0.0.1:9"], "--search-key-file"),
        (
            &[
                "--search-key-file",
                "key",
                "--search-url",
                "ftp://example.com",
            ],
            "the search cannot be used: the base URL of the search is no http or https URL",
        ),
    ] {
        let run = run_in(&keyed(), &[&["list"], options].concat(), "");

        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.errors.contains(told), "{options:?}: {}", run.errors);
    }
}
