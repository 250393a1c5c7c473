mod attacks;
mod generated;
mod inputs;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use tool_core::{CancellationToken, ErrorCode, ToolContext};
use tool_test::Scratch;

use super::ChangeKind::{Changed, Created, CreatedDirectory, Removed, RemovedDirectory};
use super::git::Tracked;
use super::*;
use crate::workspace::{Undone, WriteMode};

/// A workspace, and a state directory next to it.
struct Layout {
    scratch: Scratch,
    state: Scratch,
}

impl Layout {
    fn new(scratch: Scratch) -> Self {
        let state = Scratch::new();
        Self { scratch, state }
    }

    fn open(&self) -> Workspace {
        let builder = Workspace::builder().root(self.scratch.path());
        let state = self.state.path().join("state");
        builder.checkpoints_in(state).build().unwrap()
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.scratch.path().join(path)
    }

    fn git(&self, arguments: &[&str]) -> String {
        git(self.scratch.path(), arguments)
    }
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args([
            "-c",
            "commit.gpgsign=false",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn none() -> CancellationToken {
    CancellationToken::new()
}

/// Does `work` between a checkpoint and its end.
fn during(workspace: &Workspace, call_id: &str, work: impl FnOnce()) -> ChangedPaths {
    let checkpoint = workspace.checkpoint(&none()).unwrap();
    work();
    checkpoint.finish(call_id, &none()).unwrap()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn reports_and_undoes_each_kind_of_change() {
    let layout = Layout::new(
        Scratch::new()
            .file("changed", "old\n")
            .file("removed", "gone\n")
            .file("src/deep/a", "a\r\n")
            .folder("empty")
            .file("mode", "")
            .link("link", "changed"),
    );
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::write(layout.path("changed"), "new\n").unwrap();
        fs::remove_file(layout.path("removed")).unwrap();
        fs::remove_dir_all(layout.path("src")).unwrap();
        fs::remove_dir(layout.path("empty")).unwrap();
        set_mode(&layout.path("mode"), 0o600);
        fs::remove_file(layout.path("link")).unwrap();
        fs::write(layout.path("link"), "file").unwrap();
        fs::create_dir_all(layout.path("new/inner")).unwrap();
        fs::write(layout.path("new/inner/file"), "x").unwrap();
    });

    let paths = [
        "changed",
        "empty",
        "link",
        "mode",
        "new",
        "new/inner",
        "new/inner/file",
        "removed",
        "src",
        "src/deep",
        "src/deep/a",
    ];
    assert_eq!(changed.paths, paths);
    assert_eq!((changed.meanwhile.len(), changed.notes.len()), (0, 0));
    let recorded = workspace.changes("call");
    let kinds: Vec<_> = recorded.iter().map(|change| change.kind).collect();
    let expected = [
        Changed,
        RemovedDirectory,
        Changed,
        Changed,
        CreatedDirectory,
        CreatedDirectory,
        Created,
        Removed,
        RemovedDirectory,
        RemovedDirectory,
        Removed,
    ];
    assert_eq!(kinds, expected);
    let diff = "--- a/changed\n+++ b/changed\n@@ -1 +1 @@\n-old\n+new\n";
    assert_eq!(recorded[0].diff.as_deref(), Some(diff));
    let before = crate::workspace::digest_of(b"old\n");
    assert_eq!(recorded[0].before, Some(before));
    let old = workspace.content_before("call", "src/deep/a");
    assert_eq!(old.as_deref(), Some(&b"a\r\n"[..]));

    let undone = workspace.undo("call").unwrap();

    let restored = [
        "changed",
        "empty",
        "link",
        "mode",
        "removed",
        "src",
        "src/deep",
        "src/deep/a",
    ];
    assert_eq!(undone.restored, restored);
    assert_eq!(undone.removed, ["new/inner/file", "new/inner", "new"]);
    assert_eq!(undone.conflicts, Vec::<String>::new());
    assert_eq!(layout.scratch.read("changed"), "old\n");
    assert_eq!(layout.scratch.read("src/deep/a"), "a\r\n");
    assert_eq!(mode(&layout.path("mode")), 0o644);
    assert_eq!(
        fs::read_link(layout.path("link")).unwrap(),
        Path::new("changed")
    );
    assert!(layout.path("empty").is_dir() && !layout.path("new").exists());
    let error = workspace.undo("call").unwrap_err();
    assert_eq!(error.code().to_string(), "not_recorded");
}

#[test]
fn unchanged_files_are_not_changes() {
    let layout = Layout::new(Scratch::new().file("a", "same").file("b", "other"));
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::write(layout.path("a"), "same").unwrap();
        fs::write(layout.path("c"), "").unwrap();
        fs::remove_file(layout.path("c")).unwrap();
    });

    assert_eq!(changed, ChangedPaths::default());
    assert_eq!(
        workspace.undo("call").unwrap_err().code().to_string(),
        "not_recorded"
    );
}

#[test]
fn later_content_is_conflict_and_stays() {
    let layout = Layout::new(
        Scratch::new()
            .file("a", "1")
            .file("b", "1")
            .file("d/e", "1"),
    );
    let workspace = layout.open();
    during(&workspace, "call", || {
        for file in ["a", "b"] {
            fs::write(layout.path(file), "2").unwrap();
        }
        fs::remove_dir_all(layout.path("d")).unwrap();
        fs::create_dir(layout.path("new")).unwrap();
    });
    fs::write(layout.path("b"), "3").unwrap();
    fs::write(layout.path("d"), "a file now").unwrap();
    fs::write(layout.path("new/mine"), "").unwrap();

    let undone = workspace.undo("call").unwrap();

    let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    let expected = Undone {
        restored: owned(&["a"]),
        removed: Vec::new(),
        conflicts: owned(&["b", "d", "new", "d/e"]),
    };
    assert_eq!(undone, expected);
    assert_eq!(layout.scratch.read("a"), "1");
    assert_eq!(layout.scratch.read("b"), "3");
    assert_eq!(
        workspace.content_before("call", "b").as_deref(),
        Some(&b"1"[..])
    );
    assert_eq!(
        workspace.undo("call").unwrap_err().code(),
        &ErrorCode::Conflict
    );
    fs::write(layout.path("b"), "2").unwrap();
    assert_eq!(workspace.undo("call").unwrap().restored, ["b"]);
}

#[test]
fn changes_survive_restart() {
    let layout = Layout::new(Scratch::new().file("a", "1"));
    during(&layout.open(), "call", || {
        fs::remove_file(layout.path("a")).unwrap();
    });

    assert_eq!(layout.open().undo("call").unwrap().restored, ["a"]);
    assert_eq!(layout.scratch.read("a"), "1");

    // Without a record, nothing is left of the store.
    let left = fs::read_dir(layout.state.path().join("state")).unwrap();
    let stores = left.filter(|entry| entry.as_ref().unwrap().path().is_dir());
    assert_eq!(stores.count(), 0);
}

#[test]
fn changes_by_file_tools_and_other_commands_are_not_part() {
    let layout = Layout::new(Scratch::new().file("a", "1").file("b", "1").file("c", "1"));
    let workspace = layout.open();
    let outer = workspace.checkpoint(&none()).unwrap();
    fs::write(layout.path("a"), "2").unwrap();
    during(&workspace, "inner", || {
        fs::write(layout.path("b"), "2").unwrap();
    });
    let edit = workspace.for_call(&ToolContext::new("edit", "write_file"));
    edit.write("path", "c", b"2", WriteMode::Overwrite, true, &none())
        .unwrap();

    let changed = outer.finish("outer", &none()).unwrap();

    assert_eq!(
        (changed.paths, changed.meanwhile),
        (vec!["a".to_owned()], vec!["b".into(), "c".into()])
    );
    assert_eq!(workspace.undo("outer").unwrap().restored, ["a"]);
    assert_eq!(workspace.undo("edit").unwrap().restored, ["c"]);
    assert_eq!(workspace.undo("inner").unwrap().restored, ["b"]);
}

#[test]
fn several_roots_and_read_only_roots() {
    let scratch = Scratch::new()
        .file("one/a", "1")
        .file("two/a", "1")
        .file("one/manual/a", "1");
    let state = Scratch::new();
    let root = |name: &str| scratch.path().join(name);
    let workspace = Workspace::builder()
        .root(root("one"))
        .root(root("two"))
        .read_only_root(root("one/manual"))
        .checkpoints_in(state.path())
        .build()
        .unwrap();

    let changed = during(&workspace, "call", || {
        for file in ["one/a", "two/a", "one/manual/a"] {
            fs::write(root(file), "2").unwrap();
        }
    });

    let second = root("two/a").display().to_string();
    assert_eq!(changed.paths, ["a".to_owned(), second]);
    assert_eq!(workspace.undo("call").unwrap().restored.len(), 2);
    assert_eq!([scratch.read("one/a"), scratch.read("two/a")], ["1", "1"]);
}

#[test]
fn store_is_private_and_outside_the_workspace() {
    let layout = Layout::new(Scratch::new().file(".env", "secret"));
    let workspace = layout.open();
    during(&workspace, "call", || {
        fs::write(layout.path(".env"), "").unwrap();
    });

    assert_eq!(mode(&layout.state.path().join("state")), 0o700);
    for place in ["", "below/state"] {
        let inside = Workspace::builder().root(layout.scratch.path());
        let inside = inside.checkpoints_in(layout.path(place)).build().unwrap();
        let error = inside.checkpoint(&none()).unwrap_err();
        assert!(matches!(error, CheckpointError::InWorkspace), "{error:?}");
        assert!(!layout.path("below").exists());
    }
    let outside = layout.state.path().join("link");
    std::os::unix::fs::symlink(layout.scratch.path(), &outside).unwrap();
    let linked = Workspace::builder().root(layout.scratch.path());
    let linked = linked
        .checkpoints_in(outside.join("state"))
        .build()
        .unwrap();
    assert!(matches!(
        linked.checkpoint(&none()),
        Err(CheckpointError::InWorkspace)
    ));
}

#[test]
fn oldest_records_and_their_contents_are_dropped() {
    let layout = Layout::new(Scratch::new().file("a", "0"));
    let workspace = layout.open();
    for number in 1..=MAX_CHECKPOINTS + 2 {
        let write = || fs::write(layout.path("a"), vec![b'x'; 10_000 + number]).unwrap();
        during(&workspace, &format!("call-{number}"), write);
    }

    assert_eq!(workspace.changes("call-2").len(), 0);
    assert_eq!(workspace.changes("call-3").len(), 1);
    drop(workspace);
    let again = layout.open();
    assert_eq!(again.changes("call-3").len(), 1);
    let bytes = again
        .shared
        .checkpoints
        .state()
        .store
        .as_ref()
        .unwrap()
        .bytes();
    let kept = (MAX_CHECKPOINTS as u64 + 1) * 10_100;
    assert!(
        (kept - 5_000..kept + 5_000).contains(&bytes),
        "{bytes} {kept}"
    );
}

#[test]
fn compaction_keeps_what_the_workspace_and_the_records_need() {
    let layout = Layout::new(
        Scratch::new()
            .file("a", "1")
            .file("b", "1")
            .file("large", ""),
    );
    fs::write(layout.path("large"), vec![7; 5 * 1024 * 1024]).unwrap();
    let workspace = layout.open();
    during(&workspace, "call", || {
        fs::write(layout.path("a"), "2").unwrap();
        fs::remove_file(layout.path("large")).unwrap();
    });
    drop(workspace.checkpoint(&none()).unwrap());
    workspace.shared.checkpoints.state().compact_at = 0;

    during(&workspace, "later", || {
        fs::remove_file(layout.path("b")).unwrap();
    });

    assert_eq!(workspace.undo("later").unwrap().restored, ["b"]);
    assert_eq!(workspace.undo("call").unwrap().restored, ["a", "large"]);
    assert_eq!(
        fs::metadata(layout.path("large")).unwrap().len(),
        5 * 1024 * 1024
    );
}

#[test]
fn cancelled_scan_is_an_error() {
    let mut scratch = Scratch::new();
    for number in 0..300 {
        scratch = scratch.file(&format!("f{number}"), "");
    }
    let layout = Layout::new(scratch);
    let cancelled = CancellationToken::new();
    cancelled.cancel();

    let error = layout.open().checkpoint(&cancelled).unwrap_err();

    assert!(matches!(error, CheckpointError::Cancelled));
}

#[test]
fn reads_every_version_of_the_index() {
    let layout = attacks::repository();
    let listed = layout.git(&["ls-files", "-z"]);
    for version in ["2", "3", "4"] {
        layout.git(&["update-index", "--index-version", version]);
        let flag = if version == "3" {
            "--skip-worktree"
        } else {
            "--no-skip-worktree"
        };
        layout.git(&["update-index", flag, "src/a.rs"]);
        let git = Workspace::open(layout.path(".git")).unwrap();
        let root = git.roots().next().unwrap();

        let tracked = Tracked::read(&root.dir, Path::new("")).unwrap();

        for path in listed.split_terminator('\0') {
            assert!(tracked.has_file(Path::new(path)), "{version} {path}");
        }
        assert!(!tracked.has_file(Path::new("untracked.txt")));
        assert!(tracked.has_files_in(Path::new("target")));
        assert!(!tracked.has_files_in(Path::new("target/debug")));
        assert!(!tracked.has_files_in(Path::new("sr")));
    }
}
