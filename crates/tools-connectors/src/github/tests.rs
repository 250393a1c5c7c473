use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tool_core::{Secret, ToolContext, ToolError};
use tool_test::Scratch;
use tools_builtin::Workspace;
use tools_builtin::repository::{LocalRepository, RepositoryQuery, RepositorySource};

use super::*;
use crate::door::testing::{Received, Reply, Server};

mod archive;
mod caches;
mod cold;
mod equality;
#[cfg(all(
    feature = "gmail",
    feature = "calendar",
    feature = "anthropic-admin",
    feature = "linkedin"
))]
mod faults;
mod service;

use self::service::{Files, id, reply, sample, server};

const TOKEN: &str = "ghp_canary-token";

fn connection(server: &Server) -> GitHubConnection {
    GitHubConnection::new("octo", "hello")
        .with_base_url(server.url())
        .with_token(Secret::new(TOKEN.to_owned()))
}

fn source(server: &Server) -> GitHubSource {
    GitHubSource::quick(connection(server))
}

async fn listed(source: &dyn RepositorySource, path: &str) -> Vec<String> {
    let listing = source
        .list_folder(&ToolContext::test(), path, 100)
        .await
        .unwrap();
    listing
        .entries
        .into_iter()
        .map(|entry| entry.path)
        .collect()
}

async fn read(source: &GitHubSource, path: &str) -> Result<String, ToolError> {
    let file = source.read_file(&ToolContext::test(), path, 1000).await?;
    Ok(format!(
        "{}: {}",
        file.path,
        String::from_utf8(file.content).unwrap()
    ))
}

async fn found(source: &dyn RepositorySource, query: &RepositoryQuery) -> Vec<String> {
    let hits = source.search(&ToolContext::test(), query).await.unwrap();
    hits.into_iter()
        .map(|hit| format!("{}:{}: {}", hit.path, hit.line, hit.text))
        .collect()
}

#[tokio::test]
async fn lists_reads_and_searches() {
    for is_truncated in [false, true] {
        let server = server(sample(), is_truncated).await;
        let source = source(&server);

        assert_eq!(
            listed(&source, "src").await,
            ["src/deep", "src/main.rs", "src/up"],
            "{is_truncated}"
        );
        assert_eq!(listed(&source, "src/up").await, ["src-old/b.rs"]);
        let files = source
            .list_files(&ToolContext::test(), ".", 100)
            .await
            .unwrap();
        let files: Vec<&str> = files
            .entries
            .iter()
            .map(|entry| entry.path.as_str())
            .collect();
        assert_eq!(
            files,
            ["README.md", "src-old/b.rs", "src/deep/a.rs", "src/main.rs"]
        );
        assert_eq!(
            read(&source, "./src/../README.md").await.unwrap(),
            "README.md: The Main idea\n"
        );
        // The service follows links to files without stating their target.
        let target = if is_truncated {
            "alias.rs"
        } else {
            "src/main.rs"
        };
        assert_eq!(
            read(&source, "alias.rs").await.unwrap(),
            format!("{target}: fn main() {{}}\n// MAIN again\n")
        );
        assert_eq!(
            read(&source, "src/up/b.rs").await.unwrap(),
            "src-old/b.rs: nothing\n"
        );
        for (path, code) in [
            ("out", "path_outside_workspace"),
            ("../x", "path_outside_workspace"),
            ("loop", "file_not_found"),
            ("missing", "file_not_found"),
            ("README.md/x", "file_not_found"),
            ("src", "not_a_file"),
            ("module", "not_a_file"),
        ] {
            assert_eq!(
                read(&source, path).await.unwrap_err().code().as_str(),
                code,
                "{path}"
            );
        }
        for request in server.received() {
            assert_eq!(
                request.header("x-github-api-version").is_some(),
                !request.path.contains("archive")
            );
        }
    }
}

#[tokio::test]
async fn search_agrees_in_blobs_archive_and_index() {
    let expected = [
        "README.md:1: The Main idea",
        "src/deep/a.rs:1: main();",
        "src/main.rs:1: fn main() {}",
        "src/main.rs:2: // MAIN again",
    ];
    let query = RepositoryQuery::new("main");
    let few = server(sample(), false).await;
    assert_eq!(found(&source(&few), &query).await, expected);
    assert!(
        !few.received()
            .iter()
            .any(|request| request.path.contains("tarball"))
    );

    let mut many = sample();
    for number in 0..61 {
        let content = format!("file {number}").into_bytes();
        many.push((format!("z/{number}.txt"), "100644", content));
    }
    let many = server(many, false).await;
    let archived = source(&many);
    assert_eq!(found(&archived, &query).await, expected);
    assert!(
        !many
            .received()
            .iter()
            .any(|request| request.path.contains("blobs"))
    );
    let requests = many.received().len();
    assert_eq!(
        found(&archived, &query.clone().with_pattern("*.md")).await,
        &expected[..1]
    );
    assert_eq!(many.received().len(), requests);

    let large = server(sample(), true).await;
    assert_eq!(found(&source(&large), &query).await, &expected[2..]);
    let limited = found(&source(&few), &query.with_limit(2)).await;
    assert_eq!(limited, &expected[..2]);
}

#[tokio::test]
async fn known_directory_needs_no_request() {
    let server = server(sample(), false).await;
    let source = source(&server);
    listed(&source, ".").await;
    let requests = server.received();
    assert_eq!(requests.len(), 3);
    assert_eq!(
        requests[0].header("authorization"),
        Some("Bearer ghp_canary-token")
    );

    listed(&source, "src").await;

    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn unreadable_repository_is_not_connected() {
    for status in [401, 403, 404, 451] {
        let server = Server::replies([Reply::error(status, &json!({"message": TOKEN}))]).await;

        let error = read(&source(&server), "a").await.unwrap_err();

        assert_eq!(error.message(), "No active GitHub connection found");
        assert!(!format!("{error:?}").contains(TOKEN));
    }
    let server = server(sample(), false).await;
    let invalid = GitHubConnection::new("..", "hello").with_base_url(server.url());
    let error = read(&GitHubSource::new(invalid), "a").await.unwrap_err();
    assert_eq!(error.message(), "No active GitHub connection found");
}

#[tokio::test]
async fn empty_repository_has_no_entries() {
    let server = Server::start(|request, _| match request.route() {
        "/repos/octo/hello" => Reply::json(&json!({"default_branch": "main", "size": 0})),
        _ => Reply::error(409, &json!({"message": "Git Repository is empty."})),
    })
    .await;

    assert!(listed(&source(&server), ".").await.is_empty());
}

#[tokio::test]
async fn renamed_repository_is_followed_once_within_origin() {
    let files = sample();
    let server = Server::start(move |request, _| match request.route() {
        "/repositories/7" => Reply::json(&json!({"default_branch": "main", "size": 1})),
        "/repos/octo/hello" => Reply::status(301, "Location: /repositories/7\r\n", ""),
        _ => reply(&files, false, request),
    })
    .await;
    assert_eq!(listed(&source(&server), "src-old").await, ["src-old/b.rs"]);

    let other = Server::replies([Reply::json(&json!({}))]).await;
    let location = format!("Location: {}/x\r\n", other.url());
    let server = Server::replies([Reply::status(301, &location, "")]).await;
    let error = read(&source(&server), "a").await.unwrap_err();
    assert_eq!(error.code().as_str(), "invalid_response");
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn exhausted_limit_stops_requests() {
    for (headers, body) in [
        (
            "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 4000000000\r\n",
            "{}",
        ),
        ("Retry-After: 30\r\n", "{}"),
        ("", "You have exceeded a secondary rate limit"),
    ] {
        let server = Server::replies([Reply::status(403, headers, body)]).await;
        let source = source(&server);
        for _ in 0..2 {
            let error = read(&source, "a").await.unwrap_err();

            assert_eq!(error.code().as_str(), "rate_limited", "{headers}");
            assert!(error.retry_after().is_some());
        }
        assert_eq!(server.received().len(), 1);
    }
}

#[tokio::test]
async fn large_files_are_read_to_the_limit() {
    let large = vec![b'x'; 1_500_000];
    let server = server(vec![("large".to_owned(), "100644", large)], false).await;
    let cx = ToolContext::test();

    // With the usual timeouts, because the server is slow.
    let patient = GitHubSource::new(connection(&server));
    let file = patient.read_file(&cx, "large", 100).await.unwrap();

    assert_eq!((file.size, file.content.len()), (1_500_000, 100));
    let huge = vec![b'x'; 60 * 1024 * 1024];
    let server = self::server(vec![("huge".to_owned(), "100644", huge)], false).await;
    let patient = GitHubSource::new(connection(&server));
    let file = patient.read_file(&cx, "huge", 100_000).await.unwrap();
    assert_eq!((file.size, file.content.len()), (60 * 1024 * 1024, 100_000));
}

#[tokio::test]
async fn pointer_of_lfs_is_returned_with_warning() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n".to_vec();
    let server = server(vec![("big.bin".to_owned(), "100644", pointer)], false).await;
    let cx = ToolContext::test();

    assert!(source(&server).read_file(&cx, "big.bin", 100).await.is_ok());

    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    assert_eq!(output.warnings.len(), 1);
}

#[derive(Debug)]
struct Products {
    url: String,
    is_connected: AtomicBool,
}

#[async_trait]
impl GitHubConnections for Products {
    async fn connection(
        &self,
        product: &str,
    ) -> Result<Option<GitHubConnection>, Box<dyn Error + Send + Sync>> {
        if product == "broken" {
            return Err("the database is down".into());
        }
        let connection = GitHubConnection::new("octo", "hello").with_base_url(&self.url);
        Ok(self
            .is_connected
            .load(Ordering::Relaxed)
            .then_some(connection))
    }
}

#[tokio::test]
async fn product_without_connection_is_not_connected() {
    let server = server(sample(), false).await;
    let products = Arc::new(Products {
        url: server.url(),
        is_connected: AtomicBool::new(false),
    });
    let source = GitHubSource::of_product(products.clone(), "product-7");
    let error = read(&source, "README.md").await.unwrap_err();
    assert_eq!(error.message(), "No active GitHub connection found");

    products.is_connected.store(true, Ordering::Relaxed);
    assert!(read(&source, "README.md").await.is_ok());
    assert!(
        server
            .received()
            .iter()
            .all(|request| request.header("authorization").is_none())
    );

    let error = read(&GitHubSource::of_product(products, "broken"), "a")
        .await
        .unwrap_err();
    assert_eq!(error.message(), "No active GitHub connection found");
}
