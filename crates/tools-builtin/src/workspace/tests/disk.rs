//! Unusual directory contents, and their errors.

use std::error::Error as _;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};

use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use crate::workspace::{EntryKind, WalkOptions, Workspace, WorkspaceError, WriteMode};

#[cfg(target_os = "linux")]
#[test]
fn lists_and_opens_non_utf8_names() {
    let scratch = Scratch::new().file("b.txt", "text");
    let name = OsStr::from_bytes(b"a\xff.txt");
    std::fs::write(scratch.path().join(name), "odd").unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();

    let listed = workspace.existing_dir("path", ".").unwrap();
    let (mut listed, is_all) = listed.entries("path", 10).unwrap();
    listed.sort_by(|one, other| one.name().cmp(other.name()));
    let none = CancellationToken::new();
    let walk = workspace.walk("path", ".", &WalkOptions::files(), &none);
    let read: Vec<String> = walk
        .unwrap()
        .map(|entry| entry.open("path").unwrap().read(10).unwrap())
        .map(|bytes| String::from_utf8(bytes).unwrap())
        .collect();

    let names: Vec<&str> = listed.iter().map(crate::workspace::Entry::name).collect();
    assert_eq!((names, is_all), (vec![r"a\xFF.txt", "b.txt"], true));
    assert_eq!(read.len(), 2);
    assert!(read.contains(&"odd".to_owned()), "{read:?}");
}

#[test]
fn rejects_symlink_with_non_utf8_target() {
    let scratch = Scratch::new();
    symlink(OsStr::from_bytes(b"\xff"), scratch.path().join("link")).unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();

    let written = workspace.write("path", "link", b"x", WriteMode::Overwrite, true, &none);

    let error = written.unwrap_err();
    assert_eq!(error.code(), &ErrorCode::FileNotFound);
    assert_eq!(
        error.to_string(),
        "`path` is a symlink whose target is not UTF-8. Use the target path directly."
    );
}

#[test]
fn keeps_owner() {
    let scratch = Scratch::new().file("theirs.txt", "old");
    let path = scratch.path().join("theirs.txt");
    // Only root may change the owner.
    if chown(&path, Some(1234), Some(1234)).is_err() {
        return;
    }
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();

    workspace
        .write(
            "path",
            "theirs.txt",
            b"new",
            WriteMode::Overwrite,
            true,
            &none,
        )
        .unwrap();

    let metadata = path.metadata().unwrap();
    assert_eq!((metadata.uid(), metadata.gid()), (1234, 1234));
    assert_eq!(scratch.read("theirs.txt"), "new");
}

#[test]
fn open_error_names_path() {
    let scratch = Scratch::new().file("a.txt", "").link("loop", "loop");
    let path = |name: &str| scratch.path().join(name);
    let shown = |name: &str| path(name).display().to_string();
    for (opened, message, has_source) in [
        (
            Workspace::open(path("none")),
            format!("directory `{}` does not exist", shown("none")),
            false,
        ),
        (
            Workspace::open(path("a.txt")),
            format!("`{}` is not a directory", shown("a.txt")),
            false,
        ),
        (
            Workspace::open(path("loop")),
            format!("`{}` cannot be opened", shown("loop")),
            true,
        ),
        (
            Workspace::builder().build(),
            "a workspace requires at least one root directory".to_owned(),
            false,
        ),
        (
            Workspace::builder()
                .root(scratch.path())
                .protect("[")
                .build(),
            "`[` is not a valid name or glob to protect".to_owned(),
            false,
        ),
    ] {
        let error: WorkspaceError = opened.unwrap_err();

        assert_eq!(error.to_string(), message);
        assert_eq!(error.source().is_some(), has_source, "{message}");
    }
}

#[test]
fn protection_can_be_disabled() {
    let scratch = Scratch::new().file(".git/config", "old");
    let workspace = Workspace::builder()
        .root(scratch.path())
        .without_standard_protection()
        .build()
        .unwrap();
    let none = CancellationToken::new();

    let written = workspace.write(
        "path",
        ".git/config",
        b"new",
        WriteMode::Overwrite,
        true,
        &none,
    );

    assert!(written.is_ok());
    assert_eq!(scratch.read(".git/config"), "new");
}

#[test]
fn does_not_suggest_dissimilar_names() {
    let scratch = Scratch::new().file(&"a".repeat(120), "");
    let workspace = Workspace::open(scratch.path()).unwrap();

    let error = workspace
        .existing_file("path", &"a".repeat(121))
        .unwrap_err();

    assert_eq!(
        error.suggestion(),
        Some("List the directory that should contain it.")
    );
}

#[test]
fn debug_output_omits_file_contents() {
    let scratch = Scratch::new().file("sub/a.txt", "the secret");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let file = workspace.existing_file("path", "sub/a.txt").unwrap();
    let directory = workspace.existing_dir("path", "sub").unwrap();
    let (entries, _) = directory.entries("path", 10).unwrap();
    let none = CancellationToken::new();
    let walk = workspace
        .walk("path", ".", &WalkOptions::files(), &none)
        .unwrap();
    assert_eq!(
        (file.is_empty(), entries[0].kind()),
        (false, EntryKind::File)
    );
    for (shown, part) in [
        (format!("{workspace:?}"), "Workspace {"),
        (format!("{file:?}"), "path: \"sub/a.txt\", len: 10"),
        (format!("{directory:?}"), "path: \"sub\""),
        (
            format!("{:?}", entries[0]),
            "path: \"sub/a.txt\", kind: File",
        ),
        (format!("{walk:?}"), "truncated: false"),
        (
            format!("{:?}", workspace.roots().next()),
            "read_only: false",
        ),
    ] {
        assert!(shown.contains(part), "{shown}");
        assert!(!shown.contains("the secret"), "{shown}");
    }
}
