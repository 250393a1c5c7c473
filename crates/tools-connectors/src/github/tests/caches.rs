//! Caches, conditional requests and limits.

use super::*;
use crate::github::repository::Repository;

fn aged(source: &GitHubSource) {
    let opened = source.opened_for_tests();
    Repository::age(&opened);
}

#[tokio::test]
async fn unchanged_commit_costs_one_conditional_request() {
    let files = sample();
    let server = Server::start(move |request, _| match request.header("if-none-match") {
        Some("\"v1\"") => Reply::status(304, "", ""),
        Some(_) => Reply::error(500, &json!({})),
        None => reply(&files, false, request),
    })
    .await;
    let source = source(&server);
    listed(&source, ".").await;
    let before = server.received().len();

    aged(&source);
    assert_eq!(listed(&source, "src-old").await, ["src-old/b.rs"]);

    let conditional: Vec<Received> = server.received()[before..].to_vec();
    // The default branch is kept without an ETag, the commit with one.
    assert_eq!(conditional.len(), 2);
    assert_eq!(conditional[1].header("if-none-match"), Some("\"v1\""));
}

#[tokio::test]
async fn caches_serve_entries_while_limit_is_exhausted() {
    let files = sample();
    let server = Server::start(move |request, _| {
        let limit = "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 4000000000\r\n";
        match reply(&files, false, request) {
            Reply::Raw(bytes) if request.path.contains("blobs") => {
                let text = String::from_utf8(bytes).unwrap();
                Reply::Raw(
                    text.replacen("\r\n", &format!("\r\n{limit}"), 1)
                        .into_bytes(),
                )
            }
            other => other,
        }
    })
    .await;
    let source = source(&server);
    listed(&source, ".").await;
    // The response itself is used, although it is the last one.
    assert!(read(&source, "README.md").await.is_ok());
    let requests = server.received().len();

    aged(&source);
    assert!(read(&source, "README.md").await.is_ok());
    assert_eq!(listed(&source, "src-old").await, ["src-old/b.rs"]);
    let error = read(&source, "src/main.rs").await.unwrap_err();

    assert_eq!(error.code().as_str(), "rate_limited");
    assert!(error.retry_after().is_some());
    assert_eq!(server.received().len(), requests);
}

#[tokio::test]
async fn enterprise_server_has_a_path() {
    let files = sample();
    let server = Server::start(move |request, _| {
        let path = request.path.strip_prefix("/api/v3").unwrap().to_owned();
        let request = Received {
            path,
            ..request.clone()
        };
        reply(&files, false, &request)
    })
    .await;
    let connection = connection(&server).with_base_url(format!("{}/api/v3", server.url()));

    let source = GitHubSource::quick(connection);

    assert_eq!(listed(&source, "src-old").await, ["src-old/b.rs"]);
}

#[tokio::test]
async fn products_share_no_entries() {
    #[derive(Debug)]
    struct Owners(String);
    #[async_trait]
    impl GitHubConnections for Owners {
        async fn connection(
            &self,
            product: &str,
        ) -> Result<Option<GitHubConnection>, Box<dyn Error + Send + Sync>> {
            let token = Secret::new(format!("ghp_token-of-{product}"));
            let connection = GitHubConnection::new("octo", "hello").with_token(token);
            Ok(Some(connection.with_base_url(&self.0)))
        }
    }
    let files = sample();
    // Only the first product may read the repository.
    let server = Server::start(move |request, _| match request.header("authorization") {
        Some("Bearer ghp_token-of-one") => reply(&files, false, request),
        _ => Reply::error(404, &json!({})),
    })
    .await;
    let owners = Arc::new(Owners(server.url()));
    let one = GitHubSource::of_product(owners.clone(), "one");
    let two = GitHubSource::of_product(owners, "two");
    assert!(read(&one, "README.md").await.is_ok());

    let error = read(&two, "README.md").await.unwrap_err();

    assert_eq!(error.message(), "No active GitHub connection found");
}

#[tokio::test]
async fn search_of_large_repository_needs_token() {
    let server = server(sample(), true).await;
    let connection = GitHubConnection::new("octo", "hello").with_base_url(server.url());
    let source = GitHubSource::quick(connection);

    let query = RepositoryQuery::new("main");
    let error = source
        .search(&ToolContext::test(), &query)
        .await
        .unwrap_err();

    assert!(error.to_string().contains("without a token"), "{error}");
}

#[tokio::test]
async fn redactor_learns_token() {
    let server = server(sample(), false).await;
    let redactor = tool_core::Redactor::new();
    let source = GitHubSource::new(connection(&server)).with_redactor(redactor.clone());

    assert!(read(&source, "README.md").await.is_ok());

    assert_eq!(redactor.scrub(&format!("a {TOKEN} b")), "a [redacted] b");
}
