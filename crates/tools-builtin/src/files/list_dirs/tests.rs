use serde_json::json;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{call, open};

fn project() -> Scratch {
    Scratch::new()
        .file("apps/webapp/src/main.tsx", "")
        .folder("apps/webapp/src/domains/auth")
        .folder("apps/webapp/src/routes")
        .folder(".git/hooks")
        .folder("target/debug")
        .file(".gitignore", "target/\n")
}

async fn paths(scratch: &Scratch, input: serde_json::Value) -> Vec<String> {
    let output = call(ListDirs::new(open(scratch)), input).await.output();
    output.dirs.into_iter().map(|found| found.path).collect()
}

#[tokio::test]
async fn lists_directories_with_depth() {
    let input = json!({"path": "apps/webapp/src", "depth": 2, "limit": 50});

    let output = call(ListDirs::new(open(&project())), input).await.output();

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
    assert_eq!(
        ListDirs::render(&output),
        "apps/webapp/src/domains/\napps/webapp/src/routes/\napps/webapp/src/domains/auth/"
    );
}

#[tokio::test]
async fn applies_depth_and_options() {
    let scratch = project();
    for (input, expected) in [
        (json!({}), vec!["apps", "target"]),
        (json!({"depth": 2}), vec!["apps", "target", "apps/webapp"]),
        (
            json!({"depth": 3}),
            vec!["apps", "target", "apps/webapp", "apps/webapp/src"],
        ),
        (
            json!({"hidden": true, "depth": 2}),
            vec![".git", "apps", "target", "apps/webapp"],
        ),
        (
            json!({"ignored": true, "depth": 2}),
            vec!["apps", "target", "apps/webapp", "target/debug"],
        ),
        (
            json!({"hidden": true, "ignored": true, "depth": 2}),
            vec![
                ".git",
                "apps",
                "target",
                ".git/hooks",
                "apps/webapp",
                "target/debug",
            ],
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
async fn clamps_depth_with_warning() {
    let scratch = Scratch::new().folder("1/2/3/4");
    let further = " List a subdirectory to see more.";
    for (depth, listed, further) in [(0, 1, ""), (4, 3, further), (1000, 3, further)] {
        let outcome = call(ListDirs::new(open(&scratch)), json!({"depth": depth})).await;

        assert_eq!(
            outcome.warnings,
            [format!(
                "The requested depth was {depth}; {listed} was used.{further}"
            )]
        );
        assert_eq!(outcome.output().dirs.len(), listed);
    }
}

#[tokio::test]
async fn truncated_listing_states_next_step() {
    let scratch = Scratch::new().folder("a").folder("b").folder("c");
    for (limit, text, truncated) in [
        (
            2,
            "a/\nb/\n[… more directories; list one of these, or raise limit]",
            true,
        ),
        (3, "a/\nb/\nc/", false),
    ] {
        let output = call(ListDirs::new(open(&scratch)), json!({"limit": limit}))
            .await
            .output();

        assert_eq!(
            (ListDirs::render(&output).as_str(), output.truncated),
            (text, truncated)
        );
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
            json!({"limit": 1, "depth": 2}),
            1,
            Some(
                "2 directories are omitted: b, c. Directories below this level are omitted as well. Pass a directory as `path`, or raise `limit`.",
            ),
        ),
        (
            json!({"limit": 2}),
            2,
            Some("1 directory is omitted: c. Pass a directory as `path`, or raise `limit`."),
        ),
        (json!({"limit": 3}), 3, None),
        (
            json!({"limit": 91, "depth": 2}),
            91,
            Some(
                "2 directories are omitted: c/28, c/29. Pass a directory as `path`, or raise `limit`.",
            ),
        ),
    ] {
        let outcome = call(ListDirs::new(open(&scratch)), input.clone()).await;

        assert_eq!(outcome.warnings, Vec::from_iter(warning), "{input}");
        let output = outcome.output();
        assert_eq!(
            (output.dirs.len(), output.truncated),
            (count, warning.is_some())
        );
    }
    let outcome = call(ListDirs::new(open(&scratch)), json!({"depth": 2})).await;
    let [warning] = outcome.warnings.as_slice() else {
        panic!("{:?}", outcome.warnings);
    };
    assert!(
        warning.starts_with("43 directories are omitted: b/17, "),
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

    let listed = paths(&scratch, json!({"depth": 2, "hidden": true})).await;

    assert_eq!(listed, [".git", "node_modules", "src", "src/web"]);
}

#[tokio::test]
async fn default_limit_is_fifty() {
    let scratch = (0..60).fold(Scratch::new(), |scratch, number| {
        scratch.folder(&format!("{number:02}"))
    });

    assert_eq!(paths(&scratch, json!({})).await.len(), 50);
    assert_eq!(paths(&scratch, json!({"limit": 100})).await.len(), 60);
}

#[tokio::test]
async fn renders_empty_result() {
    let scratch = Scratch::new().file("a.txt", "");

    let output = call(ListDirs::new(open(&scratch)), json!({}))
        .await
        .output();

    assert_eq!(ListDirs::render(&output), "No directories found.");
    assert!(!output.truncated);
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
        let refusal = call(ListDirs::new(open(&scratch)), json!({"path": path}))
            .await
            .refusal();

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

    let outcome = call(ListDirs::new(open(&scratch)), json!({"depth": 2})).await;

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
