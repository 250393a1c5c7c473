use tool_core::{CancellationToken, ErrorCode, ToolError};
use tool_test::Scratch;

use crate::workspace::{WalkOptions, Workspace, WriteMode, Written};

/// Creates a project, a read-only manual and a directory with results.
fn layout() -> (Scratch, Workspace) {
    let scratch = Scratch::new()
        .file("project/a.txt", "project")
        .file("project/vendor/v.txt", "vendor")
        .file("manual/a.txt", "manual")
        .file("manual/deep/b.txt", "deep")
        .file("manual/deep/.gitignore", "*.log")
        .file("manual/deep/x.log", "")
        .file("results/r.txt", "results")
        .file("other/o.txt", "other")
        .link("project/out", "../manual")
        .link("results/out", "../other")
        .link("alias", "results");
    let at = |name: &str| scratch.path().join(name);
    let workspace = Workspace::builder()
        .root(at("project"))
        .read_only_root(at("manual"))
        .root(at("alias"))
        .read_only_root(at("project/vendor"))
        .build()
        .unwrap();
    (scratch, workspace)
}

fn read(workspace: &Workspace, path: &str) -> Result<(String, String), ToolError> {
    let mut file = workspace.existing_file("path", path)?;
    let text = String::from_utf8(file.read(100)?).unwrap();
    Ok((file.path().to_owned(), text))
}

fn write(workspace: &Workspace, path: &str) -> Result<Written, ToolError> {
    let none = CancellationToken::new();
    workspace.write("path", path, b"new", WriteMode::Overwrite, true, &none)
}

#[test]
fn resolves_relative_and_absolute_paths() {
    let (scratch, workspace) = layout();
    let full = |path: &str| scratch.path().join(path).display().to_string();

    for (path, shown, text) in [
        ("a.txt".to_owned(), "a.txt".to_owned(), "project"),
        (full("project/a.txt"), "a.txt".to_owned(), "project"),
        (full("manual/a.txt"), full("manual/a.txt"), "manual"),
        (
            full("manual//deep/./b.txt"),
            full("manual/deep/b.txt"),
            "deep",
        ),
        (full("alias/r.txt"), full("alias/r.txt"), "results"),
        (full("results/r.txt"), full("alias/r.txt"), "results"),
        (
            full("project/vendor/v.txt"),
            full("project/vendor/v.txt"),
            "vendor",
        ),
    ] {
        let found = read(&workspace, &path).unwrap();

        assert_eq!(found, (shown, text.to_owned()), "{path}");
    }
}

#[test]
fn rejects_paths_from_one_root_into_another() {
    let (scratch, workspace) = layout();
    let full = |path: &str| scratch.path().join(path).display().to_string();

    for path in [
        "out/a.txt".to_owned(),
        "../manual/a.txt".to_owned(),
        full("project/out/a.txt"),
        full("project/../manual/a.txt"),
        full("manual/../other/o.txt"),
        full("alias/out/o.txt"),
        full("alias/../other/o.txt"),
        full("other/o.txt"),
        full("manual-evil/a.txt"),
        full(""),
    ] {
        for outcome in [
            read(&workspace, &path).map(drop),
            write(&workspace, &path).map(drop),
        ] {
            let error = outcome.unwrap_err();

            assert_eq!(error.code(), &ErrorCode::PathOutsideWorkspace, "{path}");
        }
    }
}

#[test]
fn walk_paths_are_valid_input() {
    let (scratch, workspace) = layout();
    let full = |path: &str| scratch.path().join(path).display().to_string();
    let walked = |path: &str| -> Vec<String> {
        let none = CancellationToken::new();
        let walk = workspace.walk("path", path, &WalkOptions::files(), &none);
        walk.unwrap().map(|entry| entry.path().to_owned()).collect()
    };

    let paths = [walked(&full("manual")), walked(&full("manual/deep"))].concat();

    let expected = ["manual/a.txt", "manual/deep/b.txt", "manual/deep/b.txt"];
    assert_eq!(paths, expected.map(full));
    for path in &paths {
        assert_eq!(&read(&workspace, path).unwrap().0, path);
    }
    let directory = workspace
        .existing_dir("path", &full("manual/deep/"))
        .unwrap();
    let (entries, _) = directory.entries("path", 10).unwrap();
    let shown: Vec<&str> = entries.iter().map(crate::workspace::Entry::path).collect();
    assert_eq!(shown.last(), Some(&full("manual/deep/x.log").as_str()));
}

#[test]
fn read_only_root_rejects_changes() {
    let (scratch, workspace) = layout();
    let full = |path: &str| scratch.path().join(path).display().to_string();

    for path in [
        full("manual/a.txt"),
        full("manual/new.txt"),
        full("manual/new/new.txt"),
        full("project/vendor/v.txt"),
        "vendor/v.txt".to_owned(),
        "./vendor/../vendor/new/n.txt".to_owned(),
    ] {
        let error = write(&workspace, &path).unwrap_err();

        assert_eq!(error.code(), &ErrorCode::Protected, "{path}");
        assert_eq!(
            error.to_string(),
            "`path` is in a read-only directory, so nothing was changed. Use a path relative to the \
             workspace root."
        );
        assert_eq!(error.parameter(), Some("path"));
    }
    assert_eq!(scratch.read("manual/a.txt"), "manual");
    assert!(!scratch.has("manual/new") && !scratch.has("project/vendor/new"));
    let none = CancellationToken::new();
    let edited = workspace.edit("path", &full("manual/a.txt"), 100, &none);
    assert_eq!(edited.unwrap_err().code(), &ErrorCode::Protected);
}

#[test]
fn writes_to_other_writable_roots() {
    let (scratch, workspace) = layout();
    let path = scratch.path().join("alias/new/n.txt").display().to_string();

    let written = write(&workspace, &path).unwrap();

    assert_eq!((written.path, written.created), (path, true));
    assert_eq!(scratch.read("results/new/n.txt"), "new");
}

#[test]
fn inner_writable_root_is_writable_by_any_path() {
    let scratch = Scratch::new().folder("repository/build");
    let at = |name: &str| scratch.path().join(name);
    let workspace = Workspace::builder()
        .read_only_root(at("repository"))
        .root(at("repository/build"))
        .build()
        .unwrap();

    assert!(write(&workspace, "build/a").is_ok());
    assert!(write(&workspace, &at("repository/build/b").display().to_string()).is_ok());
    let error = write(&workspace, "c").unwrap_err();
    let suggestion = format!("Use a path inside `{}`.", at("repository/build").display());
    assert_eq!(error.suggestion(), Some(suggestion.as_str()));
}

#[test]
fn suggests_files_of_same_root() {
    let (scratch, workspace) = layout();
    let full = |path: &str| scratch.path().join(path).display().to_string();

    let error = read(&workspace, &full("manual/deep/c.txt")).unwrap_err();

    let meant = format!("Did you mean `{}`?", full("manual/deep/b.txt"));
    assert_eq!(error.suggestion(), Some(meant.as_str()));
}

#[test]
fn all_spellings_of_path_share_key() {
    let (scratch, workspace) = layout();
    let full = |path: &str| scratch.path().join(path).display().to_string();

    assert_eq!(
        workspace.key_of("a.txt"),
        workspace.key_of(&full("project/./a.txt"))
    );
    assert_eq!(
        workspace.key_of(&full("alias/r")),
        workspace.key_of(&full("results/r"))
    );
    assert_ne!(
        workspace.key_of("a.txt"),
        workspace.key_of(&full("manual/a.txt"))
    );
}

#[test]
fn working_directory_may_be_in_any_root() {
    let (scratch, workspace) = layout();
    let path = scratch.path().join("manual/deep").display().to_string();

    let directory = workspace.working_directory("path", &path).unwrap();

    let output = std::process::Command::new("ls")
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "b.txt\nx.log\n");
}
