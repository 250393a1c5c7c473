use std::error::Error;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use super::*;

const KEY: &str = "BSA-very-secret";

fn brave(url: &str) -> BraveSearch {
    let brave = BraveSearch::new(&Secret::new(KEY.to_owned())).unwrap();
    brave.with_base_url(url).unwrap()
}

async fn server(answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(answer)
        .mount(&server)
        .await;
    server
}

async fn answered(answer: ResponseTemplate) -> Result<Vec<SearchResult>, SearchError> {
    let server = server(answer).await;
    brave(&server.uri()).search("rust", 5).await
}

/// Starts a server that sends these bytes to every client and then waits.
async fn raw(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).await;
        let _ = stream.write_all(bytes).await;
        std::future::pending::<()>().await;
    });
    url
}

fn web(results: &Value) -> Value {
    json!({"type": "search", "web": {"type": "search", "results": results}})
}

/// Returns all text of an error.
fn all_texts(error: &SearchError) -> String {
    let mut text = format!("{error} {error:?}");
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}

#[tokio::test]
async fn request_has_key_query_and_count() {
    let server = MockServer::start().await;
    let found = web(&json!([{"title": "T", "url": "https://example.com/", "description": "D"}]));
    Mock::given(method("GET"))
        .and(path("/res/v1/web/search"))
        .and(header("X-Subscription-Token", KEY))
        .and(header("Accept", "application/json"))
        .and(query_param("q", "a&b=c ä \"d\""))
        .and(query_param("count", "7"))
        .respond_with(ResponseTemplate::new(200).set_body_json(found))
        .expect(1)
        .mount(&server)
        .await;

    let results = brave(&server.uri())
        .search("a&b=c ä \"d\"", 7)
        .await
        .unwrap();

    assert_eq!(
        results,
        [SearchResult::new("T", "https://example.com/", "D")]
    );
    let request: &Request = &server.received_requests().await.unwrap()[0];
    assert_eq!(request.headers.get("cookie"), None);
    assert!(!request.url.as_str().contains(KEY));
}

#[tokio::test]
async fn base_url_path_is_kept() {
    let server = MockServer::start().await;
    Mock::given(path("/own/search"))
        .and(query_param("tenant", "7"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!({})))
        .expect(1)
        .mount(&server)
        .await;

    let url = format!("{}/own/search?tenant=7", server.uri());
    let results = brave(&url).search("rust", 5).await.unwrap();

    assert_eq!(results, []);
}

#[tokio::test]
async fn removes_markup_and_ignores_missing_members() {
    let listed = json!([
        {"title": "<b>Rust</b> &amp; C", "url": "https://a.example/", "description": "It&#x27;s <strong>fast</strong>"},
        {"url": "http://b.example/"},
        {"title": null, "url": "https://c.example/", "description": 7, "more": {}},
        {"title": "No address"},
        {"title": "Script", "url": "javascript:alert(1)"},
        {"title": "File", "url": "file:///etc/passwd"},
        "nonsense",
        null,
    ]);

    let results = answered(ResponseTemplate::new(200).set_body_json(web(&listed)))
        .await
        .unwrap();

    assert_eq!(
        results,
        [
            SearchResult::new("Rust & C", "https://a.example/", "It's fast"),
            SearchResult::new("", "http://b.example/", ""),
            SearchResult::new("", "https://c.example/", ""),
        ]
    );
}

#[tokio::test]
async fn response_without_results_is_empty() {
    for body in [
        json!({}),
        json!({"web": null}),
        json!({"web": {"results": []}}),
        json!({"web": {"results": "none"}}),
        json!({"type": "search", "mixed": {}}),
    ] {
        let results = answered(ResponseTemplate::new(200).set_body_json(&body))
            .await
            .unwrap();

        assert_eq!(results, [], "{body}");
    }
}

#[tokio::test]
async fn status_maps_to_error_without_key() {
    let token = json!({"error": {"status": 422, "code": "SUBSCRIPTION_TOKEN_INVALID", "detail": format!("no {KEY}")}});
    let no_token = json!({"error": {"code": "VALIDATION", "meta": {"errors": [{"loc": ["header", "x-subscription-token"]}]}}});
    let query = json!({"error": {"code": "VALIDATION", "meta": {"errors": [{"loc": ["query", "q"], "msg": "too long"}]}}});
    for (status, body, expected) in [
        (401, json!({}), "NotAuthorized"),
        (403, json!({}), "NotAuthorized"),
        (422, token, "NotAuthorized"),
        (422, no_token, "NotAuthorized"),
        (422, json!("?"), "NotAuthorized"),
        (422, query, "QueryRefused"),
        (400, json!({}), "QueryRefused"),
        (402, json!({}), "RateLimited { retry_after: None }"),
        (
            429,
            json!({"error": {"code": "RATE_LIMITED"}}),
            "RateLimited { retry_after: None }",
        ),
        (204, json!({}), "Status(204)"),
        (404, json!({}), "Status(404)"),
        (500, json!({}), "Status(500)"),
        (503, json!({}), "Status(503)"),
    ] {
        let error = answered(ResponseTemplate::new(status).set_body_json(body))
            .await
            .unwrap_err();

        assert_eq!(format!("{error:?}"), expected, "{status}");
        assert!(!all_texts(&error).contains(KEY));
    }
}

#[test]
fn retry_after_is_read_from_headers() {
    for (named, expected) in [
        (&[("retry-after", "3")][..], Some(3)),
        (&[("retry-after", "999999999")], Some(24 * 60 * 60)),
        (&[("retry-after", "soon")], None),
        (&[("retry-after", "-1")], None),
        (&[], None),
    ] {
        let headers: HeaderMap = named
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();

        let refusal = refusal(StatusCode::TOO_MANY_REQUESTS, &headers, b"");

        let SearchError::RateLimited { retry_after } = refusal else {
            panic!("{refusal:?}");
        };
        assert_eq!(
            retry_after.map(|wait| wait.as_secs()),
            expected,
            "{named:?}"
        );
    }
}

#[tokio::test]
async fn does_not_follow_redirects() {
    let other = server(ResponseTemplate::new(200).set_body_json(json!({}))).await;
    let redirect = ResponseTemplate::new(302).insert_header("location", other.uri());

    let error = answered(redirect).await.unwrap_err();

    assert!(matches!(error, SearchError::Status(302)), "{error:?}");
    assert_eq!(other.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn rejects_responses_that_are_not_json_objects() {
    for body in [
        "",
        "<html>",
        "[]",
        "null",
        "{\"web\": ",
        &"[".repeat(100_000),
    ] {
        let error = answered(ResponseTemplate::new(200).set_body_string(body))
            .await
            .unwrap_err();

        assert!(
            matches!(error, SearchError::Unreadable),
            "{body:.20}: {error:?}"
        );
    }
}

#[tokio::test]
async fn rejects_large_and_compressed_large_responses() {
    let large = " ".repeat(3 * 1024 * 1024);
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(large.as_bytes()).unwrap();
    let plain = ResponseTemplate::new(200).set_body_string(large);
    let bomb = ResponseTemplate::new(200)
        .insert_header("content-encoding", "gzip")
        .set_body_bytes(packed.finish().unwrap());

    for answer in [plain, bomb] {
        let error = answered(answer).await.unwrap_err();

        assert!(
            matches!(error, SearchError::ResponseTooLarge { .. }),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn closed_port_and_invalid_http_are_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = format!("http://{}/res/{KEY}", listener.local_addr().unwrap());
    drop(listener);
    let strange = raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n").await;

    for url in [closed, strange] {
        let error = brave(&url).search("private words", 5).await.unwrap_err();

        assert!(matches!(error, SearchError::Unreachable(_)), "{error:?}");
        let texts = all_texts(&error);
        assert!(
            !texts.contains(KEY) && !texts.contains("private"),
            "{texts}"
        );
    }
}

#[test]
fn rejects_invalid_keys_and_urls() {
    let made = |key: &str| BraveSearch::new(&Secret::new(key.to_owned()));

    assert!(matches!(made(""), Err(SearchSetupError::EmptyKey)));
    assert!(matches!(made("a\nb"), Err(SearchSetupError::InvalidKey(_))));
    assert!(matches!(made(" padded\n").map(drop), Ok(())));
    for url in ["", "nowhere", "ftp://example.com/", "file:///tmp"] {
        let refused = made(KEY).unwrap().with_base_url(url);

        assert!(
            matches!(refused, Err(SearchSetupError::InvalidUrl)),
            "{url}"
        );
    }
    assert!(!format!("{:?}", made(KEY).unwrap()).contains(KEY));
}
