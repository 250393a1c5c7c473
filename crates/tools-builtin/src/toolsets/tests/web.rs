//! Web tools of the toolsets, with a local provider and server.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{ErrorCode, Registry, ToolResult};
use tool_test::Scratch;
use wiremock::matchers::method;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::toolsets::ToolGroup;
use crate::toolsets::ToolsetName::{self, Assistant, Standard};
use crate::web::{AddressGuard, SearchError, SearchProvider, SearchResult, WebFetch};
use crate::{Kit, Workspace};

/// Returns the requested number of results and records the requests.
#[derive(Debug, Default)]
struct Pages {
    asked: Mutex<Vec<(String, usize)>>,
}

#[async_trait]
impl SearchProvider for Pages {
    fn provider_name(&self) -> &'static str {
        "pages"
    }

    async fn search(&self, query: &str, count: usize) -> Result<Vec<SearchResult>, SearchError> {
        self.asked.lock().unwrap().push((query.to_owned(), count));
        let page =
            |number| SearchResult::new(format!("Page {number}"), "https://example.com/", "Text.");
        Ok((1..=count).map(page).collect())
    }
}

fn kit(scratch: &Scratch) -> Kit {
    Kit::new(Workspace::open(scratch.path()).unwrap())
}

fn registry(set: ToolsetName, kit: &Kit) -> Registry {
    let toolset = match set {
        Standard => ToolGroup::Web.add_to(set.toolset(kit).unwrap(), kit),
        set => set.toolset(kit),
    };
    Registry::builder()
        .policy(Policy::allow_all())
        .toolset(&toolset.unwrap())
        .unwrap()
        .build()
}

/// Returns the result and the requests that the provider received.
async fn searched(set: ToolsetName, arguments: Value) -> (ToolResult, Vec<(String, usize)>) {
    let provider = Arc::new(Pages::default());
    let kit = kit(&Scratch::new()).with_search(Arc::clone(&provider) as Arc<dyn SearchProvider>);

    let result = registry(set, &kit).execute("web_search", arguments).await;

    let asked = provider.asked.lock().unwrap().clone();
    (result, asked)
}

#[test]
fn search_tool_requires_provider() {
    let scratch = Scratch::new();
    for set in ToolsetName::ALL {
        assert!(
            registry(set, &kit(&scratch)).get("web_search").is_none(),
            "{set}"
        );
    }
}

#[tokio::test]
async fn search_returns_five_results_by_default() {
    for set in [Standard, Assistant] {
        let (result, asked) = searched(set, json!({"query": "rust"})).await;

        let beginning =
            "Search results for \"rust\" (5 results):\n\n1. Page 1\n   https://example.com/";
        assert!(result.text().starts_with(beginning), "{set}: {result}");
        assert_eq!(asked, [("rust".to_owned(), 5)], "{set}");
    }
}

#[tokio::test]
async fn search_clamps_count() {
    for set in [Standard, Assistant] {
        for (count, used) in [
            (json!(0), 1),
            (json!(-3), 1),
            (json!(21), 20),
            (json!("7"), 7),
        ] {
            let (_, asked) = searched(set, json!({"query": "rust", "count": count})).await;

            assert_eq!(asked, [("rust".to_owned(), used)], "{set} {count}");
        }
    }
}

#[tokio::test]
async fn long_query_is_shortened_and_standard_warns() {
    let query = "word ".repeat(200);
    for (set, warnings) in [(Standard, 1), (Assistant, 0)] {
        let (result, asked) = searched(set, json!({"query": query})).await;

        assert!(result.success, "{set}");
        assert!(asked[0].0.chars().count() <= 400, "{set}");
        assert_eq!(
            result.warnings.len(),
            warnings,
            "{set}: {:?}",
            result.warnings
        );
    }
}

#[tokio::test]
async fn blank_query_is_rejected_before_request() {
    for set in [Standard, Assistant] {
        for arguments in [
            json!({"query": " \n"}),
            json!({}),
            json!({"query": ["a", "b"]}),
        ] {
            let (result, asked) = searched(set, arguments.clone()).await;

            assert!(
                result.text().contains("`query`"),
                "{set} {arguments}: {result}"
            );
            assert_eq!(result.error.unwrap().code, ErrorCode::InvalidArguments);
            assert_eq!(asked, [], "{set} {arguments}");
        }
    }
}

#[test]
fn assistant_search_schema_matches_document() {
    let kit = kit(&Scratch::new()).with_search(Arc::new(Pages::default()));

    let tool = registry(Assistant, &kit).get("web_search").unwrap();

    let schema = r#"{"type": "object", "properties": {
        "query": {"type": "string", "description": "Search query, at most 400 characters"},
        "count": {"type": "integer", "description": "Number of results, from 1 to 20", "default": 5}},
        "required": ["query"]}"#;
    let schema: Value = serde_json::from_str(schema).unwrap();
    assert_eq!(tool.definition().input_schema(), &schema);
}

#[tokio::test]
async fn page_continues_and_metadata_has_origin_and_length() {
    let server = MockServer::start().await;
    let page = ResponseTemplate::new(200).set_body_raw("one two three", "text/plain");
    Mock::given(method("GET"))
        .respond_with(page)
        .mount(&server)
        .await;
    let guard = AddressGuard::new().allow_host("127.0.0.1").unwrap();
    let kit = kit(&Scratch::new()).with_web(WebFetch::new().with_guard(guard));
    let registry = registry(Standard, &kit);

    let first = json!({"url": server.uri(), "max_chars": 4});
    let first = registry.execute("web_fetch", first).await;
    let rest = json!({"url": server.uri(), "offset": 4, "maxChars": 100});
    let rest = registry.execute("web_fetch", rest).await;

    assert!(
        first
            .text()
            .ends_with("\none \n\n[… 9 more characters; continue with offset 4]"),
        "{first}"
    );
    assert!(rest.text().ends_with("\ntwo three"), "{rest}");
    for result in [first, rest] {
        let extra = &result.metadata.extra;
        assert_eq!(extra["untrusted_origin"], server.uri());
        assert_eq!(extra["total_chars"], 13);
    }
}
