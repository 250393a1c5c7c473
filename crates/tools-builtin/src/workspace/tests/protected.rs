use tool_core::{CancellationToken, ErrorCode, ToolError};
use tool_test::Scratch;

use crate::workspace::{Workspace, WriteMode};

type Change = fn(&Workspace, &str) -> Result<(), ToolError>;

/// All operations that change something.
const CHANGES: [(&str, Change); 4] = [
    ("write", |workspace, path| {
        let none = CancellationToken::new();
        let written = workspace.write("path", path, b"evil", WriteMode::Overwrite, true, &none);
        written.map(drop)
    }),
    ("create", |workspace, path| {
        let none = CancellationToken::new();
        let written = workspace.write("path", path, b"evil", WriteMode::CreateNew, true, &none);
        written.map(drop)
    }),
    ("edit", |workspace, path| {
        let none = CancellationToken::new();
        workspace
            .edit("path", path, 1000, &none)?
            .replace(b"evil", &none)
    }),
    ("mkdir", |workspace, path| {
        workspace.create_directory("path", path).map(drop)
    }),
];

fn layout() -> Scratch {
    Scratch::new()
        .file(".git/config", "good")
        .file(".git/hooks/pre-commit", "good")
        .file(".git/HEAD", "good")
        .file("worktree/.git", "gitdir: ../.git/worktrees/worktree")
        .file("sub/module/.git/config", "good")
        .file("plain.txt", "good")
        .link("config_link", ".git/config")
        .link("hooks_link", ".git/hooks")
        .link("git_link", ".git")
        .link("chain", "git_link/hooks")
        .link("new_hook", ".git/hooks/new")
        .link("sub/up", "../.git")
}

#[test]
fn rejects_all_spellings_of_protected_names() {
    let scratch = layout();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let full = scratch.path().join(".git/hooks/pre-commit");
    let full = full.display().to_string();
    for (path, there) in [
        (".git/config", true),
        ("./.git//./config", true),
        ("sub/../.git/config", true),
        (".git/hooks/../config", true),
        (".git/hooks/pre-commit", true),
        (full.as_str(), true),
        ("config_link", true),
        ("hooks_link/pre-commit", true),
        ("git_link/hooks/pre-commit", true),
        ("chain/pre-commit", true),
        ("sub/up/config", true),
        ("sub/module/.git/config", true),
        ("worktree/.git", true),
        (".git/hooks/new", false),
        ("new_hook", false),
        ("chain/new", false),
        ("hooks_link/deep/new", false),
        (".GIT/CONFIG", false),
        (".Git/hooks/x", false),
        (".git/config.worktree", false),
        (".git/commondir", false),
        (".git/modules/m/config", false),
        ("new/.git/hooks/x", false),
        ("new/.git/description", false),
        ("new/.git", false),
        (".toolwright/policy.json", false),
    ] {
        for (operation, change) in CHANGES {
            // Missing entries cannot be edited, and existing entries cannot be created.
            if !there && operation == "edit" {
                continue;
            }
            let error = change(&workspace, path).unwrap_err();

            let taken = error.code() == &ErrorCode::AlreadyExists && operation != "write";
            let is_protected = error.code() == &ErrorCode::Protected;
            assert!(is_protected || taken, "{operation} {path}: {error}");
        }
    }
    for (path, content) in [
        (".git/config", "good"),
        (".git/hooks/pre-commit", "good"),
        ("worktree/.git", "gitdir: ../.git/worktrees/worktree"),
    ] {
        assert_eq!(scratch.read(path), content);
    }
    for path in [
        "new",
        ".GIT",
        ".Git",
        ".toolwright",
        ".git/hooks/new",
        ".git/modules",
    ] {
        assert!(!scratch.has(path), "{path}");
    }
}

#[test]
fn protection_error_has_suggestion() {
    let scratch = layout();
    let workspace = Workspace::open(scratch.path()).unwrap();

    let error = CHANGES[0].1(&workspace, ".git/hooks/x").unwrap_err();

    assert_eq!(
        error.to_string(),
        "`path` is protected, so nothing was changed. Do not change it; tell the user which \
         change is needed."
    );
    assert_eq!(error.parameter(), Some("path"));
}

#[test]
fn protected_files_are_readable_and_siblings_writable() {
    let scratch = layout().file(".git/info/exclude", "");
    let workspace = Workspace::open(scratch.path()).unwrap();

    let mut file = workspace.existing_file("path", "config_link").unwrap();

    assert_eq!(file.read(100).unwrap(), b"good");
    for path in ["plain.txt", ".git/info/exclude", ".git/HEAD"] {
        CHANGES[0].1(&workspace, path).unwrap();
    }
}

#[test]
fn root_inside_repository_is_protected() {
    let scratch = layout();
    let workspace = Workspace::open(scratch.path().join(".git")).unwrap();

    for path in ["config", "hooks/new", "modules/m/x"] {
        let error = CHANGES[0].1(&workspace, path).unwrap_err();

        assert_eq!(error.code(), &ErrorCode::Protected, "{path}");
    }
    CHANGES[0].1(&workspace, "HEAD").unwrap();
}

#[test]
fn hard_link_does_not_reach_protected_file() {
    let scratch = layout();
    let config = scratch.path().join(".git/config");
    std::fs::hard_link(config, scratch.path().join("hard")).unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();

    for (_, change) in CHANGES {
        let _ = change(&workspace, "hard");
    }

    assert_eq!(scratch.read(".git/config"), "good");
}

#[test]
fn rejects_hard_links_if_configured() {
    let scratch = Scratch::new().file("outside", "secret").folder("ws");
    let link = scratch.path().join("ws/hard");
    std::fs::hard_link(scratch.path().join("outside"), link).unwrap();
    let workspace = Workspace::builder()
        .root(scratch.path().join("ws"))
        .refuse_hard_links()
        .build()
        .unwrap();

    let read = workspace.existing_file("path", "hard").map(drop);

    let changes = CHANGES.map(|(_, change)| change(&workspace, "hard"));
    for (outcome, code) in [read].into_iter().chain(changes).zip([
        ErrorCode::Protected,
        ErrorCode::Protected,
        ErrorCode::AlreadyExists,
        ErrorCode::Protected,
        ErrorCode::AlreadyExists,
    ]) {
        assert_eq!(outcome.unwrap_err().code(), &code);
    }
    assert_eq!(scratch.read("outside"), "secret");
}
