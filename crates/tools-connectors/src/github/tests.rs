use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tar::{Builder, EntryType, Header};
use tool_core::{Arguments, Redactor, Secret, ToolContext, ToolError, ToolInput, TypedTool};
use tools_builtin::Workspace;
use tools_builtin::files::ListFiles;
use tools_builtin::repository::RepositorySource;
use tools_builtin::search::SearchCode;

use self::service::{packed, reply, sample, server};
use super::*;
use crate::door::testing::{Received, Reply, Server};

mod service;

const TOKEN: &str = "ghp_canary-token";

fn connection(server: &Server) -> GitHubConnection {
    GitHubConnection::new("octo", "hello")
        .with_base_url(server.url())
        .with_token(Secret::new(TOKEN.to_owned()))
}

fn source(server: &Server) -> GitHubSource {
    GitHubSource::new(connection(server))
}

async fn run<E: TypedTool>(
    source: &GitHubSource,
    engine: fn(Workspace) -> E,
    input: Value,
) -> Result<E::Output, ToolError> {
    let cx = ToolContext::test();
    let engine = engine(source.open(&cx).await?.workspace);
    let input = E::Input::from_arguments(&Arguments::from_value(input)).unwrap();
    engine.run(&cx, input).await
}

async fn listed(source: &GitHubSource, path: &str) -> Result<Vec<String>, ToolError> {
    let listing = run(source, ListFiles::new, json!({"path": path})).await?;
    Ok(listing.files.into_iter().map(|file| file.path).collect())
}

async fn read(source: &GitHubSource, path: &str) -> Result<String, ToolError> {
    let opened = source.open(&ToolContext::test()).await?;
    let content = opened.workspace.existing_file("path", path)?.read(1000)?;
    let content = String::from_utf8(content).unwrap();
    Ok(opened.redactor.scrub(&content).into_owned())
}

async fn found(source: &GitHubSource, query: &str) -> Result<Vec<String>, ToolError> {
    let found = run(source, SearchCode::new, json!({"query": query})).await?;
    let shown = found
        .matches
        .iter()
        .map(|hit| format!("{}:{}: {}", hit.path, hit.line, hit.text));
    Ok(shown.collect())
}

fn code<T: std::fmt::Debug>(outcome: Result<T, ToolError>) -> String {
    outcome.unwrap_err().code().as_str().to_owned()
}

#[tokio::test]
async fn archive_is_fetched_once_and_read_like_local_repository() {
    let server = server(sample()).await;
    let source = source(&server);

    assert_eq!(listed(&source, "src").await.unwrap(), ["src/main.rs"]);
    assert_eq!(listed(&source, "src/up").await.unwrap(), ["src/up/b.rs"]);
    assert_eq!(
        found(&source, "main").await.unwrap(),
        [
            "README.md:1: The Main idea",
            "src/deep/a.rs:1: main();",
            "src/main.rs:1: fn main() {}",
            "src/main.rs:2: // MAIN again",
        ]
    );
    assert_eq!(
        read(&source, "./src/../README.md").await.unwrap(),
        "The Main idea\n"
    );
    assert_eq!(read(&source, "src/up/b.rs").await.unwrap(), "nothing\n");
    for (path, expected) in [
        ("out", "path_outside_workspace"),
        ("../x", "path_outside_workspace"),
        ("missing", "file_not_found"),
        ("src", "not_a_file"),
    ] {
        assert_eq!(code(read(&source, path).await), expected, "{path}");
    }
    let paths: Vec<String> = server
        .received()
        .into_iter()
        .map(|request| request.path)
        .collect();
    assert_eq!(
        paths,
        [
            "/repos/octo/hello/commits/HEAD",
            "/repos/octo/hello/tarball/c0ffee",
            "/archive/x.tar.gz"
        ]
    );
    let request = &server.received()[0];
    assert_eq!(
        request.header("authorization"),
        Some("Bearer ghp_canary-token")
    );
}

#[tokio::test]
async fn token_in_files_is_removed_and_taught() {
    let (server, redactor) = (server(sample()).await, Redactor::new());
    let source = source(&server).with_redactor(redactor.clone());

    assert_eq!(read(&source, "key.txt").await.unwrap(), "a [redacted]\n");

    assert_eq!(redactor.scrub(&format!("a {TOKEN} b")), "a [redacted] b");
}

#[tokio::test]
async fn archive_of_hostile_server_stays_in_its_directory() {
    let scratch = tool_test::Scratch::new().file("secret.txt", "secret");
    let target = scratch.path().to_str().unwrap().to_owned();
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, target) in [("root", target.as_str()), ("a/link", target.as_str())] {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Symlink);
        header.set_size(0);
        builder.append_link(&mut header, path, target).unwrap();
    }
    // Writes through a link, and above the directory.
    for path in ["root/new.txt", "a/link/new.txt", "a/b/../../../new.txt"] {
        let mut header = Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(1);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, &b"x"[..]).unwrap();
    }
    let hostile = builder.into_inner().unwrap().finish().unwrap();
    let server = Server::start(move |request, _| {
        if request.path.contains("archive") {
            Reply::status(200, "", &hostile)
        } else {
            reply(&sample(), request)
        }
    })
    .await;

    for path in [
        "secret.txt",
        "root/secret.txt",
        "link/secret.txt",
        "a/link/secret.txt",
    ] {
        assert!(read(&source(&server), path).await.is_err(), "{path}");
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn archive_over_limit_is_not_unpacked() {
    // 401 MB of zeros.
    let files = vec![("zeros", EntryType::Regular, vec![0; 401 * 1024 * 1024])];
    let bomb = packed(&files);
    drop(files);
    let server = Server::start(move |request, _| {
        if request.path.contains("archive") {
            Reply::status(200, "", &bomb)
        } else {
            reply(&sample(), request)
        }
    })
    .await;
    let source = source(&server);

    for _ in 0..2 {
        let error = read(&source, "README.md").await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "The repository is too large to be read. Tell the user."
        );
    }
    // The second call does not fetch the archive again.
    assert_eq!(server.received().len(), 3);
}

#[tokio::test]
async fn archive_is_fetched_from_service_only() {
    let other = Server::replies([Reply::json(&json!({}))]).await;
    for target in [
        other.url(),
        "https://169.254.169.254/latest".to_owned(),
        "https://localhost/x".to_owned(),
        "https://codeload.github.com/x".to_owned(),
        "http://codeload.127.0.0.1/x".to_owned(),
    ] {
        let location = format!("Location: {target}\r\n");
        let server = Server::start(move |request, _| {
            if request.path.contains("tarball") {
                Reply::status(302, &location, "")
            } else {
                reply(&sample(), request)
            }
        })
        .await;

        assert_eq!(
            code(read(&source(&server), "README.md").await),
            "invalid_response"
        );
    }
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn invalid_archives_are_errors() {
    for (broken, expected) in [
        (Reply::status(200, "", b"not gzip"), "invalid_response"),
        (Reply::status(500, "", ""), "unavailable"),
        (Reply::status(429, "", ""), "rate_limited"),
        (
            Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n\x1f\x8b".to_vec()),
            "unavailable",
        ),
    ] {
        let answer = broken.clone();
        let server = Server::start(move |request, _| {
            if request.path.contains("archive") {
                answer.clone()
            } else {
                reply(&sample(), request)
            }
        })
        .await;

        assert_eq!(
            code(found(&source(&server), "main").await),
            expected,
            "{broken:?}"
        );
    }
}

#[tokio::test]
async fn unreadable_repository_is_not_connected() {
    for status in [401, 403, 404, 451] {
        let server = Server::replies([Reply::error(status, &json!({"message": TOKEN}))]).await;

        let error = read(&source(&server), "a").await.unwrap_err();

        assert_eq!(error.message(), "No active GitHub connection found");
        assert!(!format!("{error:?}").contains(TOKEN));
    }
    let server = server(sample()).await;
    let invalid = GitHubConnection::new("..", "hello").with_base_url(server.url());
    let reference = connection(&server).with_reference("..");
    for connection in [invalid, reference] {
        let error = read(&GitHubSource::new(connection), "a").await.unwrap_err();
        assert_eq!(error.message(), "No active GitHub connection found");
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn empty_repository_has_no_entries() {
    let empty = json!({"message": "Git Repository is empty."});
    let server = Server::replies([Reply::error(409, &empty)]).await;

    let source = source(&server);

    assert!(listed(&source, ".").await.unwrap().is_empty());
    assert_eq!(code(read(&source, "a").await), "file_not_found");
}

#[tokio::test]
async fn reference_and_path_of_server_are_in_addresses() {
    let server = Server::start(|request, _| {
        let path = request
            .path
            .strip_prefix("/api/v3")
            .unwrap_or(&request.path);
        let path = path.replace("/commits/v1.2%2Fx", "/commits/HEAD");
        let request = Received {
            path,
            ..request.clone()
        };
        reply(&sample(), &request)
    })
    .await;
    let connection = connection(&server).with_base_url(format!("{}/api/v3", server.url()));

    let source = GitHubSource::new(connection.with_reference("v1.2/x"));

    assert_eq!(listed(&source, "src-old").await.unwrap(), ["src-old/b.rs"]);
}

#[tokio::test]
async fn renamed_repository_is_followed_once_within_origin() {
    let server = Server::start(|request, _| match request.route() {
        "/repositories/7" => Reply::json(&json!({"sha": "c0ffee"})),
        "/repos/octo/hello/commits/HEAD" => Reply::status(301, "Location: /repositories/7\r\n", ""),
        _ => reply(&sample(), request),
    })
    .await;
    assert_eq!(
        listed(&source(&server), "src-old").await.unwrap(),
        ["src-old/b.rs"]
    );

    let other = Server::replies([Reply::json(&json!({}))]).await;
    let location = format!("Location: {}/x\r\n", other.url());
    let server = Server::replies([Reply::status(301, &location, "")]).await;
    assert_eq!(code(read(&source(&server), "a").await), "invalid_response");
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn limits_state_time_to_wait() {
    for (status, headers, body) in [
        (
            403,
            "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: 4000000000\r\n",
            "{}",
        ),
        (403, "Retry-After: 30\r\n", "{}"),
        (403, "", "You have exceeded a secondary rate limit"),
        (429, "Retry-After: 3000\r\n", "{}"),
    ] {
        let server = Server::replies([Reply::status(status, headers, body)]).await;

        let error = read(&source(&server), "a").await.unwrap_err();

        assert_eq!(error.code().as_str(), "rate_limited", "{headers}");
        assert!(error.retry_after().is_some());
    }
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
        let token = Secret::new(format!("ghp_token-of-{product}"));
        let connection = GitHubConnection::new("octo", "hello").with_token(token);
        let is_connected = self.is_connected.load(Ordering::Relaxed);
        Ok(is_connected.then(|| connection.with_base_url(&self.url)))
    }
}

#[tokio::test]
async fn products_have_their_own_connections() {
    // Only the first product may read the repository.
    let server = Server::start(|request, _| match request.header("authorization") {
        Some("Bearer ghp_token-of-one") | None => reply(&sample(), request),
        _ => Reply::error(404, &json!({})),
    })
    .await;
    let products = Arc::new(Products {
        url: server.url(),
        is_connected: AtomicBool::new(false),
    });
    let one = GitHubSource::of_product(products.clone(), "one");
    let not_connected = "No active GitHub connection found";
    assert_eq!(
        read(&one, "README.md").await.unwrap_err().message(),
        not_connected
    );

    products.is_connected.store(true, Ordering::Relaxed);

    assert!(read(&one, "README.md").await.is_ok());
    for product in ["two", "broken"] {
        let source = GitHubSource::of_product(products.clone(), product);
        let error = read(&source, "README.md").await.unwrap_err();
        assert_eq!(error.message(), not_connected, "{product}");
    }
}
