//! Displayed paths, and errors for paths that do not work.

use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use crate::workspace::{WalkOptions, Workspace, WriteMode};

#[test]
fn displays_real_path_for_parent_components() {
    let scratch = Scratch::new()
        .file("a.txt", "one")
        .folder("src/web")
        .file("lib/deep/b.txt", "two");
    let workspace = Workspace::open(scratch.path()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("lib/deep", scratch.path().join("link")).unwrap();
    let cancellation = CancellationToken::new();
    let shown = |path: &str| {
        workspace
            .existing_file("path", path)
            .unwrap()
            .path()
            .to_owned()
    };

    for (path, expected) in [
        ("src/../a.txt", "a.txt"),
        ("src/web/../../lib/./deep/b.txt", "lib/deep/b.txt"),
    ] {
        assert_eq!(shown(path), expected);
    }
    #[cfg(unix)]
    assert_eq!(shown("link/../deep/b.txt"), "lib/deep/b.txt");
    for (path, expected) in [("src/..", "."), ("src/web/..", "src"), ("lib", "lib")] {
        assert_eq!(
            workspace.existing_dir("path", path).unwrap().path(),
            expected
        );
    }
    let written = workspace.write(
        "path",
        "src/../new/c.txt",
        b"",
        WriteMode::Overwrite,
        true,
        &cancellation,
    );
    assert_eq!(written.unwrap().path, "new/c.txt");
    let edit = workspace
        .edit("path", "src/../a.txt", 10, &cancellation)
        .unwrap();
    assert_eq!(edit.path(), "a.txt");
    for path in ["src/../made", "src/../made"] {
        assert_eq!(
            workspace.create_directory("path", path).unwrap().path,
            "made"
        );
    }
}

#[cfg(unix)]
#[test]
fn walk_entry_rejects_hard_links_if_configured() {
    let scratch = Scratch::new().file("src/a.txt", "one");
    std::fs::hard_link(
        scratch.path().join("src/a.txt"),
        scratch.path().join("src/b.txt"),
    )
    .unwrap();
    for (strict, expected) in [(false, None), (true, Some(ErrorCode::Protected))] {
        let builder = Workspace::builder().root(scratch.path());
        let builder = if strict {
            builder.refuse_hard_links()
        } else {
            builder
        };
        let workspace = builder.build().unwrap();
        let walk = workspace.walk(
            "path",
            ".",
            &WalkOptions::files(),
            &CancellationToken::new(),
        );
        let entry = walk.unwrap().next().unwrap();

        let refused = entry.open("path").err().map(|error| error.code().clone());

        assert_eq!(refused, expected);
    }
}

#[test]
fn missing_file_suggests_similar_paths() {
    let scratch = Scratch::new()
        .file("src/main.rs", "")
        .file("mail.rs", "")
        .file("docs/guide.md", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    for (path, expected) in [
        ("main.rs", "Did you mean `mail.rs` or `src/main.rs`?"),
        ("scr/main.rs", "Did you mean `src/main.rs`?"),
        ("lib.rs", "List the directory that should contain it."),
        ("MAIL.RS", "Did you mean `mail.rs`?"),
        ("src/guide.md", "Did you mean `docs/guide.md`?"),
        (
            "nothing.like.it",
            "List the directory that should contain it.",
        ),
    ] {
        let error = workspace.existing_file("path", path).unwrap_err();

        assert_eq!(error.suggestion(), Some(expected), "{path}");
    }
}

#[test]
fn empty_file_path_has_own_message() {
    let scratch = Scratch::new();
    let workspace = Workspace::open(scratch.path()).unwrap();

    let error = workspace.existing_file("path", "").unwrap_err();

    assert_eq!(
        error.to_string(),
        "`path` is empty. Use the path of a file, relative to the workspace root."
    );
}
