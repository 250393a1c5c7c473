//! `--search-key-file` and `--search-url`.

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_test::Scratch;
use wiremock::matchers::{header, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::run_in;

/// Server that returns one result for requests with the key.
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

/// Returns the option that adds the web tools.
fn group(toolset: &str) -> &'static [&'static str] {
    match toolset {
        "standard" => &["--group", "web"],
        _ => &[],
    }
}

#[test]
fn lists_tool_only_with_key() {
    for toolset in ["standard", "assistant"] {
        let list = [&["list", "--contract", toolset][..], group(toolset)].concat();
        let without = run_in(&keyed(), &list, "").document();
        let with = [&list[..], &["--search-key-file", "key"]].concat();
        let with = run_in(&keyed(), &with, "").document();

        assert!(!names(&without).contains(&"web_search"), "{toolset}");
        assert!(names(&with).contains(&"web_search"), "{toolset}");
    }
}

#[test]
fn call_searches_without_printing_key() {
    let server = Server::start();
    let url = server.server.uri();
    let options = ["--search-key-file", "key", "--search-url", &url];

    for toolset in ["standard", "assistant"] {
        let call = [
            "call",
            "web_search",
            r#"{"query": "rust"}"#,
            "--contract",
            toolset,
        ];
        let call = [&call[..], &options, group(toolset)].concat();
        let run = run_in(&keyed(), &call, "");

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
fn batch_distinguishes_errors() {
    let server = Server::start();
    let url = server.server.uri();
    let options = [
        "batch",
        "--group",
        "web",
        "--search-key-file",
        "key",
        "--search-url",
        &url,
    ];
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
fn truncates_long_query_with_warning_except_in_assistant() {
    let server = Server::start();
    let url = server.server.uri();
    let options = ["--search-key-file", "key", "--search-url", &url];
    let long = json!({"query": "x".repeat(401)}).to_string();

    let warning = "`query` was truncated to 400 characters; 1 were omitted. Use a shorter query.";
    for (toolset, warnings) in [("standard", json!([warning])), ("assistant", json!([]))] {
        let call = ["call", "web_search", &long, "--contract", toolset];
        let call = [&call[..], &options, group(toolset)].concat();
        let result = run_in(&keyed(), &call, "").document();

        assert_eq!(
            (&result["success"], &result["warnings"]),
            (&json!(true), &warnings),
            "{toolset}"
        );
    }
}

#[test]
fn rejects_unusable_key() {
    for (options, message) in [
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
            "the search cannot be used: invalid base URL of the search; use an http or https URL",
        ),
    ] {
        let run = run_in(&keyed(), &[&["list"], options].concat(), "");

        assert_eq!(run.status, Some(2), "{options:?}");
        assert!(run.errors.contains(message), "{options:?}: {}", run.errors);
    }
}
