//! Search in archives.

use super::*;

/// Returns more files than are fetched one by one.
pub(super) fn many() -> Files {
    let mut files = sample();
    for number in 0..61 {
        let content = format!("file {number}").into_bytes();
        files.push((format!("z/{number}"), "100644", content));
    }
    files
}

/// Serves the files, with an archive that has no files whose path begins with `omitted`.
async fn omitting(files: Files, omitted: &'static str) -> Server {
    Server::start(move |request, _| {
        if !request.path.contains("archive") {
            return reply(&files, false, request);
        }
        let mut files = files.clone();
        files.retain(|(path, ..)| !path.starts_with(omitted));
        reply(&files, false, request)
    })
    .await
}

#[tokio::test]
async fn archive_is_not_fetched_from_private_addresses() {
    let other = Server::replies([Reply::json(&json!({}))]).await;
    for target in [
        other.url(),
        "https://169.254.169.254/latest".to_owned(),
        "https://10.0.0.1/x".to_owned(),
        "https://localhost/x".to_owned(),
    ] {
        let many = many();
        let server = Server::start(move |request, _| {
            if request.path.contains("tarball") {
                return Reply::status(302, &format!("Location: {target}\r\n"), "");
            }
            reply(&many, false, request)
        })
        .await;

        let query = RepositoryQuery::new("main");
        let error = source(&server).search(&ToolContext::test(), &query).await;

        assert_eq!(error.unwrap_err().code().as_str(), "invalid_response");
    }
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn files_that_archive_omits_are_fetched() {
    let server = omitting(many(), "src/").await;

    let hits = found(&source(&server), &RepositoryQuery::new("main")).await;

    assert_eq!(hits.len(), 4, "{hits:?}");
    let fetched = server.received();
    let fetched = fetched
        .iter()
        .filter(|request| request.path.contains("/git/blobs/"));
    assert_eq!(fetched.count(), 2);
}

#[tokio::test]
async fn many_files_that_archive_omits_are_reported() {
    let server = omitting(many(), "z").await;
    let cx = ToolContext::test();

    let query = RepositoryQuery::new("main");
    let hits = source(&server).search(&cx, &query).await.unwrap();

    assert_eq!(hits.len(), 4);
    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    assert!(
        output.warnings[0].contains("omits 61 files"),
        "{:?}",
        output.warnings
    );
}

#[tokio::test]
async fn archive_of_server_without_redirect_is_read() {
    let files = many();
    let server = Server::start(move |request, _| match request.route() {
        "/repos/octo/hello/tarball/c0ffee" => {
            let moved = Received {
                path: "/archive/x.tar.gz".to_owned(),
                head: String::new(),
                ..request.clone()
            };
            reply(&files, false, &moved)
        }
        _ => reply(&files, false, request),
    })
    .await;

    let hits = found(&source(&server), &RepositoryQuery::new("main")).await;

    assert_eq!(hits.len(), 4, "{hits:?}");
}

#[tokio::test]
async fn incomplete_and_invalid_archives_are_errors() {
    let archive = |request: &Received| request.path.contains("archive");
    for (broken, code) in [
        (Reply::status(200, "", b"not gzip"), "invalid_response"),
        (Reply::status(404, "", ""), "unavailable"),
        (Reply::status(500, "", ""), "unavailable"),
        (
            Reply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n\x1f\x8b".to_vec()),
            "unavailable",
        ),
    ] {
        let (files, reply_to_archive) = (many(), broken.clone());
        let server = Server::start(move |request, _| {
            if archive(request) {
                reply_to_archive.clone()
            } else {
                reply(&files, false, request)
            }
        })
        .await;

        let query = RepositoryQuery::new("main");
        let error = source(&server).search(&ToolContext::test(), &query).await;

        assert_eq!(error.unwrap_err().code().as_str(), code, "{broken:?}");
    }
}

#[tokio::test]
async fn token_in_archive_is_removed() {
    let mut files = many();
    files.push((
        "key.txt".to_owned(),
        "100644",
        format!("main {TOKEN}").into_bytes(),
    ));
    let server = server(files, false).await;

    let hits = found(&source(&server), &RepositoryQuery::new("main")).await;

    assert!(
        hits.contains(&"key.txt:1: main [redacted]".to_owned()),
        "{hits:?}"
    );
}

#[tokio::test]
async fn archive_on_host_of_service_may_be_private() {
    let files = many();
    let server = Server::start(move |request, _| {
        if request.path.contains("tarball") {
            return Reply::status(302, "Location: https://127.0.0.1:9/x\r\n", "");
        }
        reply(&files, false, request)
    })
    .await;

    let query = RepositoryQuery::new("main");
    let error = source(&server).search(&ToolContext::test(), &query).await;

    // Nothing listens at the port.
    let expected = if cfg!(feature = "tls-aws-lc") {
        "unavailable"
    } else {
        "tls_unavailable"
    };
    assert_eq!(error.unwrap_err().code().as_str(), expected);
}

#[tokio::test]
async fn archive_host_needs_public_addresses_only() {
    let server = server(Vec::new(), false).await;
    let repository = source(&server).opened_for_tests();
    for (addresses, is_allowed) in [
        (vec![], false),
        (vec!["140.82.121.9:443"], true),
        (vec!["140.82.121.9:443", "10.0.0.1:443"], false),
        (vec!["127.0.0.1:443"], false),
        (vec!["[::ffff:169.254.169.254]:443"], false),
    ] {
        let parsed: Vec<_> = addresses
            .iter()
            .map(|address| address.parse().unwrap())
            .collect();

        let found = repository.pinned("codeload.example.com", &parsed);

        assert_eq!(found.is_ok(), is_allowed, "{addresses:?}");
    }
}
