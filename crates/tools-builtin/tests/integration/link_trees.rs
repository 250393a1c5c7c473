//! Random trees of files, directories and links, in which a workspace must behave like cap-std.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use proptest::prelude::*;
use tempfile::TempDir;
use tool_core::CancellationToken;
use tools_builtin::workspace::{Workspace, WriteMode};

/// Step that creates part of a tree.
#[derive(Debug, Clone)]
enum Step {
    File(String),
    Folder(String),
    Link { at: String, to: String },
}

/// Few names, so that paths collide.
fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d"]).prop_map(str::to_owned)
}

fn place() -> impl Strategy<Value = String> {
    prop::collection::vec(name(), 1..4).prop_map(|parts| parts.join("/"))
}

/// Path of a model or link target: also upwards, outside, and absolute.
fn path() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        6 => name(),
        3 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just("outside".to_owned()),
        1 => Just("ws".to_owned()),
        1 => Just(String::new()),
    ];
    let parts = prop::collection::vec(part, 1..7);
    (parts, prop::bool::weighted(0.1))
        .prop_map(|(parts, slash)| parts.join("/") + if slash { "/" } else { "" })
        // The workspace has separate errors for empty and absolute paths.
        .prop_filter("a relative path", |path| {
            !path.is_empty() && !path.starts_with('/')
        })
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![8 => path(), 1 => Just("/".to_owned()), 1 => Just("/etc/passwd".to_owned())]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => place().prop_map(Step::File),
        1 => place().prop_map(Step::Folder),
        2 => (place(), target()).prop_map(|(at, to)| Step::Link { at, to }),
    ]
}

/// Creates the tree in `ws`, next to a directory `outside`. Steps that do not fit the current tree
/// are skipped.
fn grow(steps: &[Step]) -> TempDir {
    let place = tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap());
    let (root, outside) = (place.path().join("ws"), place.path().join("outside"));
    std::fs::create_dir(&root).unwrap();
    std::fs::create_dir(&outside).unwrap();
    for name in ["a", "b"] {
        std::fs::write(outside.join(name), "secret").unwrap();
    }
    let dir = Dir::open_ambient_dir(&root, ambient_authority()).unwrap();
    for step in steps {
        let _ = match step {
            Step::File(at) => dir.write(at, format!("inside {at}")),
            Step::Folder(at) => dir.create_dir(at),
            Step::Link { at, to } => dir.symlink_contents(to, at),
        };
    }
    place
}

/// Returns everything below a directory: file content and link targets.
fn snapshot(folder: &Path) -> BTreeMap<PathBuf, String> {
    let (mut found, mut left) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(current) = left.pop() {
        for entry in std::fs::read_dir(&current).unwrap() {
            let entry = entry.unwrap();
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            let what = if kind.is_symlink() {
                format!("-> {}", std::fs::read_link(&path).unwrap().display())
            } else if kind.is_dir() {
                left.push(path.clone());
                "folder".to_owned()
            } else {
                std::fs::read_to_string(&path).unwrap()
            };
            found.insert(path.strip_prefix(folder).unwrap().to_owned(), what);
        }
    }
    found
}

fn read_by_workspace(root: &Path, path: &str) -> Option<Vec<u8>> {
    let workspace = Workspace::open(root).unwrap();
    workspace.existing_file("path", path).ok()?.read(1000).ok()
}

fn read_by_cap_std(root: &Path, path: &str) -> Option<Vec<u8>> {
    let dir = Dir::open_ambient_dir(root, ambient_authority()).unwrap();
    let mut bytes = Vec::new();
    let mut file = dir.open(path).ok()?;
    file.metadata().unwrap().is_file().then_some(())?;
    file.read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

fn listed_by_workspace(root: &Path, path: &str) -> Option<Vec<String>> {
    let folder = Workspace::open(root).unwrap().existing_dir("path", path);
    let (entries, _) = folder.ok()?.entries("path", 100).unwrap();
    let mut names: Vec<String> = entries
        .iter()
        .map(|entry| entry.name().to_owned())
        .collect();
    names.sort();
    Some(names)
}

fn listed_by_cap_std(root: &Path, path: &str) -> Option<Vec<String>> {
    let dir = Dir::open_ambient_dir(root, ambient_authority()).unwrap();
    let entries = dir.open_dir(path).ok()?.entries().unwrap();
    let name = |entry: cap_std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    Some(names)
}

fn write_by_workspace(root: &Path, path: &str) -> bool {
    let none = CancellationToken::new();
    let workspace = Workspace::open(root).unwrap();
    let written = workspace.write("path", path, b"new", WriteMode::Overwrite, false, &none);
    written.is_ok()
}

fn write_by_cap_std(root: &Path, path: &str) -> bool {
    use std::io::Write;

    let dir = Dir::open_ambient_dir(root, ambient_authority()).unwrap();
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let file = dir.open_with(path, &options);
    file.is_ok_and(|mut file| file.write_all(b"new").is_ok())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn workspace_reads_like_cap_std(
        steps in prop::collection::vec(step(), 0..16),
        paths in prop::collection::vec(path(), 8),
    ) {
        let place = grow(&steps);
        let root = place.path().join("ws");
        for path in &paths {
            let read = read_by_workspace(&root, path);

            prop_assert_ne!(read.as_deref(), Some(&b"secret"[..]), "{}", path);
            prop_assert_eq!(read, read_by_cap_std(&root, path), "{}", path);
            prop_assert_eq!(
                listed_by_workspace(&root, path),
                listed_by_cap_std(&root, path),
                "{}",
                path
            );
        }
    }

    #[test]
    fn workspace_writes_like_cap_std(
        steps in prop::collection::vec(step(), 0..16),
        path in path(),
    ) {
        let (own, other) = (grow(&steps), grow(&steps));

        let written = write_by_workspace(&own.path().join("ws"), &path);

        let expected = write_by_cap_std(&other.path().join("ws"), &path);
        prop_assert_eq!(written, expected, "{}", path);
        prop_assert_eq!(snapshot(own.path()), snapshot(other.path()), "{}", path);
    }

    #[test]
    fn undo_restores_tree(
        steps in prop::collection::vec(step(), 0..16),
        paths in prop::collection::vec(path(), 1..6),
    ) {
        let place = grow(&steps);
        let root = place.path().join("ws");
        let before = snapshot(place.path());
        let workspace = Workspace::open(&root).unwrap();
        let call = workspace.for_call(&tool_core::ToolContext::new("call", "tool"));
        let none = CancellationToken::new();
        let mut changed = false;
        for (number, path) in paths.iter().enumerate() {
            let content = number.to_string();
            let mode = WriteMode::Overwrite;
            let written = call.write("path", path, content.as_bytes(), mode, true, &none);
            let made = call.create_directory("path", path);
            changed |= written.is_ok() || made.is_ok_and(|made| made.created);
        }

        prop_assert_eq!(workspace.undo("call").is_ok(), changed);
        prop_assert_eq!(snapshot(place.path()), before);
    }
}
