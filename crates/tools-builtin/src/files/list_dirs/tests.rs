use serde_json::{Value, json};
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

fn project() -> Scratch {
    Scratch::new()
        .file("apps/webapp/src/main.tsx", "")
        .folder("apps/webapp/src/domains/auth")
        .folder("apps/webapp/src/routes")
        .folder(".git/hooks")
        .folder("target/debug")
        .file(".gitignore", "target/\n")
}

/// Lists with a limit of 50, unless `input` has another one.
async fn list(scratch: &Scratch, mut input: Value) -> Outcome<ListDirsOutput> {
    for (key, value) in [
        ("path", json!(".")),
        ("depth", json!(1)),
        ("limit", json!(50)),
    ] {
        if input.get(key).is_none() {
            input[key] = value;
        }
    }
    call(ListDirs(open(scratch)), input).await
}

async fn paths(scratch: &Scratch, input: Value) -> Vec<String> {
    let output = list(scratch, input).await.output();
    output.dirs.into_iter().map(|found| found.path).collect()
}

#[tokio::test]
async fn lists_directories_with_depth() {
    let input = json!({"path": "apps/webapp/src", "depth": 2, "limit": 50});

    let output = list(&project(), input).await.output();

    let found = |path: &str, depth| FoundDirectory {
        path: path.to_owned(),
        depth,
    };
    assert_eq!(
        output,
        ListDirsOutput {
            dirs: vec![
                found("apps/webapp/src/domains", 1),
                found("apps/webapp/src/routes", 1),
                found("apps/webapp/src/domains/auth", 2),
            ],
            truncated: false,
        }
    );
}

#[tokio::test]
async fn applies_depth_and_lists_no_contents_of_ignored_directories() {
    let scratch = project();
    for (input, expected) in [
        (json!({}), vec![".git", "apps", "target"]),
        (
            json!({"depth": 2}),
            vec![".git", "apps", "target", "apps/webapp"],
        ),
        (
            json!({"depth": 3}),
            vec![".git", "apps", "target", "apps/webapp", "apps/webapp/src"],
        ),
        (json!({"path": ".git"}), vec![".git/hooks"]),
        (json!({"path": "target", "depth": 2}), vec!["target/debug"]),
        (
            json!({"path": "apps/./webapp/../webapp"}),
            vec!["apps/webapp/src"],
        ),
    ] {
        assert_eq!(paths(&scratch, input.clone()).await, expected, "{input}");
    }
}

#[tokio::test]
async fn truncated_listing_names_omitted_directories() {
    let scratch = ["a", "b", "c"]
        .into_iter()
        .fold(Scratch::new(), |scratch, name| {
            (0..30).fold(scratch, |scratch, number| {
                scratch.folder(&format!("{name}/{number:02}"))
            })
        });
    for (input, count, warning) in [
        (
            json!({"limit": 1}),
            1,
            Some("Omitted directories: b, c. Pass a directory as `path`, or raise `limit`."),
        ),
        (
            json!({"limit": 2}),
            2,
            Some("Omitted directories: c. Pass a directory as `path`, or raise `limit`."),
        ),
        (json!({"limit": 3}), 3, None),
        (
            json!({"limit": 91, "depth": 2}),
            91,
            Some("Omitted directories: c/28, c/29. Pass a directory as `path`, or raise `limit`."),
        ),
    ] {
        let outcome = list(&scratch, input.clone()).await;

        assert_eq!(outcome.warnings, Vec::from_iter(warning), "{input}");
        let output = outcome.output();
        assert_eq!(
            (output.dirs.len(), output.truncated),
            (count, warning.is_some())
        );
    }
    let outcome = list(&scratch, json!({"depth": 2})).await;
    let [warning] = outcome.warnings.as_slice() else {
        panic!("{:?}", outcome.warnings);
    };
    assert!(
        warning.starts_with("Omitted directories: b/17, "),
        "{warning}"
    );
    assert!(warning.contains(", c/06 and 23 more. "), "{warning}");
}

#[tokio::test]
async fn lists_source_directories_before_contents_of_ignored_ones() {
    let mut scratch = Scratch::new()
        .folder("src/web")
        .file(".gitignore", "node_modules/\n");
    for number in 0..60 {
        scratch = scratch
            .folder(&format!(".git/{number:02}"))
            .folder(&format!("node_modules/{number:02}"));
    }

    let listed = paths(&scratch, json!({"depth": 2})).await;

    assert_eq!(listed, [".git", "node_modules", "src", "src/web"]);
}

#[tokio::test]
async fn limit_is_number_of_directories() {
    let scratch = (0..60).fold(Scratch::new(), |scratch, number| {
        scratch.folder(&format!("{number:02}"))
    });

    assert_eq!(paths(&scratch, json!({"limit": 20})).await.len(), 20);
    assert_eq!(paths(&scratch, json!({"limit": 100})).await.len(), 60);
}

#[cfg(unix)]
#[tokio::test]
async fn lists_directory_symlinks_without_entering() {
    let scratch = Scratch::new()
        .folder("sub/deep")
        .file("a.txt", "")
        .link("again", "sub")
        .link("file", "a.txt")
        .link("out", "/etc")
        .link("nowhere", "missing");

    assert_eq!(
        paths(&scratch, json!({"depth": 3})).await,
        ["again", "sub", "sub/deep"]
    );
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = Scratch::new().file("a.txt", "");
    for (path, code) in [
        ("a.txt", "not_a_directory"),
        ("missing", "file_not_found"),
        ("", "invalid_arguments"),
        ("..", "path_outside_workspace"),
        ("/", "path_outside_workspace"),
        (r"C:\", "path_outside_workspace"),
    ] {
        let refusal = list(&scratch, json!({"path": path})).await.refusal();

        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
}

#[cfg(unix)]
#[tokio::test]
async fn counts_unreadable_directories() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::new().folder("closed/sub").folder("open");
    let closed = scratch.path().join("closed");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read_dir(&closed).is_ok();

    let outcome = list(&scratch, json!({"depth": 2})).await;

    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    // A privileged user can read every directory.
    if !readable {
        assert_eq!(outcome.warnings, ["Directories that could not be read: 1."]);
        assert_eq!(outcome.output().dirs.len(), 2);
    }
}

#[tokio::test]
async fn sorts_names_by_bytes() {
    let scratch = Scratch::new()
        .folder("ä")
        .folder("Z")
        .folder("a b")
        .folder("a-b");

    assert_eq!(paths(&scratch, json!({})).await, ["Z", "a b", "a-b", "ä"]);
}
