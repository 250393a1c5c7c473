//! Faults of the service, at each request of each operation.

use tools_builtin::repository::RepositoryListing;

use super::*;
use crate::faults::{Body, FAULTS, Fault, SLOW};

/// Every operation, with the beginning of the route of each of its requests.
const OPERATIONS: [(&str, &[&str]); 4] = [
    ("list_folder", &["", "/commits/", "/git/trees/"]),
    ("list_files", &["", "/commits/", "/git/trees/"]),
    ("read_file", &["", "/commits/", "/contents/"]),
    (
        "search",
        &[
            "",
            "/commits/",
            "/git/trees/",
            "/git/blobs/",
            "/tarball/",
            "/archive/",
        ],
    ),
];

/// Returns the code of an operation, or an empty string.
async fn code_of(operation: &str, source: &GitHubSource) -> String {
    let cx = ToolContext::test();
    let listed = |listing: RepositoryListing| listing.entries.len();
    let result = match operation {
        "list_folder" => source.list_folder(&cx, ".", 10).await.map(listed),
        "list_files" => source.list_files(&cx, ".", 10).await.map(listed),
        "read_file" => {
            let file = source.read_file(&cx, "README.md", 10).await;
            file.map(|file| file.content.len())
        }
        _ => {
            let hits = source.search(&cx, &RepositoryQuery::new("main")).await;
            hits.map(|hits| hits.len())
        }
    };
    result.map_or_else(|error| error.code().as_str().to_owned(), |_| String::new())
}

/// Returns the codes that the fault of one request may have.
fn expected(fault: &Fault, route: &str) -> &'static [&'static str] {
    let is_content = matches!(route, "/git/blobs/");
    let is_archive = matches!(route, "/tarball/" | "/archive/");
    match fault {
        // The tree decides whether the file exists.
        Fault::Status(403 | 404, ..) if route == "/contents/" => &[""],
        Fault::Status(400, ..) => &["failed"],
        Fault::Status(429, ..) if route != "/archive/" => &["rate_limited"],
        Fault::Status(401 | 403 | 404 | 410 | 429 | 500.., ..) | Fault::Cut(..) => &["unavailable"],
        Fault::Slow(..) => &["timeout"],
        Fault::Body(_, Body::Bomb) if is_archive => &["invalid_response"],
        Fault::Body(..) if is_content => &[""],
        // The archive may be at any address.
        Fault::Redirect(_) if route == "/tarball/" => &["invalid_response", "unavailable"],
        _ => &["invalid_response"],
    }
}

async fn check(fault: &Fault, operation: &str, route: &'static str) {
    let broken = fault.reply(&["x".to_owned()]);
    let files = match route {
        "/tarball/" | "/archive/" => archive::many(),
        _ => sample(),
    };
    let server = Server::start(move |request, _| {
        let path = request.route();
        let path = path.strip_prefix("/repos/octo/hello").unwrap_or(path);
        let is_broken = if route.is_empty() {
            path.is_empty()
        } else {
            path.starts_with(route)
        };
        if is_broken {
            broken.clone()
        } else {
            reply(&files, false, request)
        }
    })
    .await;

    let code = code_of(operation, &source(&server)).await;

    assert!(
        expected(fault, route).contains(&code.as_str()),
        "{operation} with {} at `{route}`: {code}",
        fault.name()
    );
}

#[tokio::test]
async fn each_fault_has_its_code_for_each_request() {
    for (operation, routes) in OPERATIONS {
        for route in routes {
            for fault in FAULTS {
                check(&fault, operation, route).await;
            }
        }
    }
}

#[tokio::test]
async fn slow_and_cut_responses_have_codes() {
    for fault in SLOW {
        let mut slow = tokio::task::JoinSet::new();
        for (operation, routes) in OPERATIONS {
            for route in routes {
                match fault {
                    Fault::Slow(..) => {
                        slow.spawn(async move { check(&fault, operation, route).await });
                    }
                    _ => check(&fault, operation, route).await,
                }
            }
        }
        slow.join_all().await;
    }
}

#[tokio::test]
async fn rejected_reference_and_query_have_message_of_service() {
    let rejection = || Reply::error(422, &json!({"message": "No commit found for SHA: main"}));
    let files = sample();
    let server = Server::start(move |request, _| match request.route() {
        "/repos/octo/hello/commits/main" => rejection(),
        _ => reply(&files, false, request),
    })
    .await;
    let error = read(&source(&server), "README.md").await.unwrap_err();
    assert_eq!(error.code().as_str(), "failed");
    assert_eq!(error.suggestion(), Some("No commit found for SHA: main"));

    let files = sample();
    let server = Server::start(move |request, _| match request.route() {
        "/search/code" => rejection(),
        _ => reply(&files, true, request),
    })
    .await;
    let query = RepositoryQuery::new("main");
    let error = source(&server)
        .search(&ToolContext::test(), &query)
        .await
        .unwrap_err();
    assert_eq!(error.code().as_str(), "invalid_arguments");
    assert!(error.message().contains("`query`"), "{error}");
}
