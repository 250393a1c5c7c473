//! What a disk may hold, and how what goes wrong there is told.

use std::error::Error as _;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, chown, symlink};

use tool_core::{CancellationToken, ErrorCode};
use tool_test::Scratch;

use crate::workspace::{EntryKind, WalkOptions, Workspace, WorkspaceError, WriteMode};

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_is_listed_with_marks_and_its_file_can_be_opened() {
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
    assert_eq!((names, is_all), (vec!["a\u{fffd}.txt", "b.txt"], true));
    assert_eq!(read.len(), 2);
    assert!(read.contains(&"odd".to_owned()), "{read:?}");
}

#[test]
fn a_link_that_leads_to_no_text_is_not_written_through() {
    let scratch = Scratch::new();
    symlink(OsStr::from_bytes(b"\xff"), scratch.path().join("link")).unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();

    let written = workspace.write("path", "link", b"x", WriteMode::Overwrite, true, &none);

    let error = written.unwrap_err();
    assert_eq!(error.code(), &ErrorCode::FileNotFound);
    assert_eq!(
        error.to_string(),
        "`path` is a link with a target that is no text. Give the path that the link leads to."
    );
}

#[test]
fn a_file_that_is_written_keeps_its_owner() {
    let scratch = Scratch::new().file("theirs.txt", "old");
    let path = scratch.path().join("theirs.txt");
    // Only root may give a file away.
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
fn what_is_no_folder_is_no_workspace_and_the_programmer_is_told_which() {
    let scratch = Scratch::new().file("a.txt", "").link("loop", "loop");
    let path = |name: &str| scratch.path().join(name);
    let shown = |name: &str| path(name).display().to_string();
    for (opened, told, has_source) in [
        (
            Workspace::open(path("none")),
            format!("there is no folder `{}`", shown("none")),
            false,
        ),
        (
            Workspace::open(path("a.txt")),
            format!("`{}` is not a folder", shown("a.txt")),
            false,
        ),
        (
            Workspace::open(path("loop")),
            format!("`{}` cannot be opened", shown("loop")),
            true,
        ),
        (
            Workspace::builder().build(),
            "a workspace needs a folder".to_owned(),
            false,
        ),
        (
            Workspace::builder()
                .root(scratch.path())
                .protect("[")
                .build(),
            "`[` is no name to protect".to_owned(),
            false,
        ),
    ] {
        let error: WorkspaceError = opened.unwrap_err();

        assert_eq!(error.to_string(), told);
        assert_eq!(error.source().is_some(), has_source, "{told}");
    }
}

#[test]
fn protection_can_be_left_out() {
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
fn a_name_of_no_likeness_is_not_guessed() {
    let scratch = Scratch::new().file(&"a".repeat(120), "");
    let workspace = Workspace::open(scratch.path()).unwrap();

    let error = workspace
        .existing_file("path", &"a".repeat(121))
        .unwrap_err();

    assert_eq!(
        error.suggestion(),
        Some("List the folder that should hold it, to see what is there.")
    );
}

#[test]
fn what_a_programmer_prints_has_names_and_nothing_of_what_is_in_files() {
    let scratch = Scratch::new().file("sub/a.txt", "the secret");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let file = workspace.existing_file("path", "sub/a.txt").unwrap();
    let folder = workspace.existing_dir("path", "sub").unwrap();
    let (entries, _) = folder.entries("path", 10).unwrap();
    let none = CancellationToken::new();
    let walk = workspace
        .walk("path", ".", &WalkOptions::files(), &none)
        .unwrap();
    assert_eq!(
        (file.is_empty(), entries[0].kind()),
        (false, EntryKind::File)
    );
    for (shown, part) in [
        (format!("{workspace:?}"), "Workspace("),
        (format!("{file:?}"), "path: \"sub/a.txt\", len: 10"),
        (format!("{folder:?}"), "path: \"sub\""),
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
