//! Files that are read before the tree.

use super::*;

/// Returns the requests since the last call, without the repository.
fn requests(server: &Server, seen: &mut usize) -> Vec<String> {
    let received = server.received();
    let new = received[*seen..].iter().map(|request| {
        let path = request.path.trim_start_matches("/repos/octo/hello");
        path.to_owned()
    });
    let new = new.collect();
    *seen = received.len();
    new
}

#[tokio::test]
async fn first_file_costs_one_request_beyond_commit() {
    let server = server(sample(), false).await;
    let (source, mut seen) = (source(&server), 0);

    let main = "src/main.rs: fn main() {}\n// MAIN again\n";
    assert_eq!(read(&source, "src/main.rs").await.unwrap(), main);
    let contents = "/contents/src/main.rs?ref=c0ffee";
    assert_eq!(
        requests(&server, &mut seen),
        ["", "/commits/main", contents]
    );

    assert_eq!(read(&source, "./src/main.rs").await.unwrap(), main);
    assert!(requests(&server, &mut seen).is_empty());
    assert!(read(&source, "README.md").await.is_ok());
    assert_eq!(
        requests(&server, &mut seen),
        ["/contents/README.md?ref=c0ffee"]
    );

    // The tree is read for a listing, and then used for files.
    listed(&source, ".").await;
    assert!(read(&source, "src/deep/a.rs").await.is_ok());
    let blob = format!("/git/blobs/{}", id(b"main();\n"));
    assert_eq!(
        requests(&server, &mut seen),
        ["/git/trees/abcd?recursive=1", &blob]
    );
}

#[tokio::test]
async fn file_has_all_characters_of_its_path() {
    for path in ["a b/c#d?e.txt", "100%/\u{e4}+\u{e4}.txt", "back\\slash"] {
        let file = (path.to_owned(), "100644", b"found".to_vec());
        let server = server(vec![file], false).await;

        assert_eq!(
            read(&source(&server), path).await.unwrap(),
            format!("{path}: found")
        );

        assert_eq!(server.received().len(), 3, "{path}");
    }
}

#[tokio::test]
async fn cold_paths_give_results_of_tree() {
    for (path, expected) in [
        ("src/up/b.rs", Ok("src-old/b.rs: nothing\n")),
        ("missing", Err("file_not_found")),
        ("README.md/x", Err("file_not_found")),
        ("src", Err("not_a_file")),
        (".", Err("not_a_file")),
        ("module", Err("not_a_file")),
        ("out", Err("path_outside_workspace")),
        ("loop", Err("file_not_found")),
    ] {
        let server = server(sample(), false).await;

        let found = read(&source(&server), path).await;

        let code = |error: ToolError| error.code().as_str().to_owned();
        assert_eq!(
            found.map_err(code),
            expected.map(str::to_owned).map_err(str::to_owned),
            "{path}"
        );
    }
}

#[tokio::test]
async fn link_to_file_has_content_of_its_target() {
    let server = server(sample(), false).await;
    let source = source(&server);

    assert_eq!(
        read(&source, "alias.rs").await.unwrap(),
        "alias.rs: nothing\n".replace("nothing", "fn main() {}\n// MAIN again")
    );

    // The ID of the link is not that of the content.
    listed(&source, ".").await;
    assert!(
        read(&source, "alias.rs")
            .await
            .unwrap()
            .starts_with("src/main.rs: fn main")
    );
}

#[tokio::test]
async fn token_in_file_is_removed() {
    for content in [
        format!("a {TOKEN}"),
        TOKEN.to_owned(),
        format!("xy{TOKEN}{TOKEN}"),
    ] {
        let file = ("key.txt".to_owned(), "100644", content.clone().into_bytes());
        let server = server(vec![file], false).await;

        let read = read(&source(&server), "key.txt").await.unwrap();

        assert!(
            read.contains("[redacted]") && !read.contains("canary"),
            "{read}"
        );
    }
}

#[tokio::test]
async fn empty_repository_has_no_files() {
    let server = Server::start(|request, _| match request.route() {
        "/repos/octo/hello" => Reply::json(&json!({"default_branch": "main", "size": 0})),
        _ => Reply::error(409, &json!({"message": "Git Repository is empty."})),
    })
    .await;

    let error = read(&source(&server), "a").await.unwrap_err();

    assert_eq!(error.code().as_str(), "file_not_found");
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn reference_replaces_default_branch() {
    let files = sample();
    let server = Server::start(move |request, _| {
        let path = request.path.replace("/commits/v1.2%2Fx", "/commits/main");
        reply(
            &files,
            false,
            &Received {
                path,
                ..request.clone()
            },
        )
    })
    .await;
    let source = GitHubSource::quick(connection(&server).with_reference("v1.2/x"));

    assert!(read(&source, "README.md").await.is_ok());

    let paths = requests(&server, &mut 0);
    assert_eq!(
        paths,
        ["/commits/v1.2%2Fx", "/contents/README.md?ref=c0ffee"]
    );
    let invalid = GitHubSource::quick(connection(&server).with_reference(".."));
    let error = read(&invalid, "README.md").await.unwrap_err();
    assert_eq!(error.code().as_str(), "invalid_response");
}
