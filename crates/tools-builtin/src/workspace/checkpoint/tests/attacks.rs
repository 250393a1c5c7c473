//! Workspaces and commands that try to lose files, or to run or reach something outside.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, symlink};

use super::*;

pub(super) fn repository() -> Layout {
    let layout = Layout::new(
        Scratch::new()
            .file(".gitignore", "/target/\n*.log\n.env\n")
            .file("src/a.rs", "a\r\n")
            .file("forced.log", "tracked")
            .file("target/keep/tracked.txt", "tracked")
            .file("target/debug/out", "built")
            .file(".env", "secret")
            .file("untracked.txt", "mine"),
    );
    layout.git(&["init", "-q"]);
    layout.git(&[
        "add",
        "-f",
        ".gitignore",
        "src",
        "forced.log",
        "target/keep",
    ]);
    layout.git(&["commit", "-qm", "first"]);
    layout
}

#[test]
fn new_ignore_rules_hide_nothing() {
    let layout = repository();
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::write(layout.path(".gitignore"), "*\n").unwrap();
        fs::write(layout.path(".ignore"), "*\n").unwrap();
        fs::remove_dir_all(layout.path("src")).unwrap();
        for file in [
            "untracked.txt",
            ".env",
            "forced.log",
            "target/keep/tracked.txt",
        ] {
            fs::remove_file(layout.path(file)).unwrap();
        }
    });

    assert_eq!(changed.paths.len(), 8, "{changed:?}");
    let undone = workspace.undo("call").unwrap();
    assert_eq!(
        (undone.restored.len(), undone.removed.len()),
        (7, 1),
        "{undone:?}"
    );
    assert_eq!(layout.scratch.read("src/a.rs"), "a\r\n");
    assert_eq!(layout.scratch.read(".env"), "secret");
    assert_eq!(layout.scratch.read("target/keep/tracked.txt"), "tracked");
    assert_eq!(layout.git(&["status", "--porcelain"]), "?? untracked.txt\n");
}

#[test]
fn directory_that_moves_to_an_ignored_name_is_restored() {
    let layout = repository();
    let workspace = layout.open();

    during(&workspace, "call", || {
        fs::remove_dir_all(layout.path("target")).unwrap();
        fs::rename(layout.path("src"), layout.path("target")).unwrap();
        fs::remove_dir_all(layout.path("target")).unwrap();
    });

    let changed = workspace.changes("call");
    let target = changed
        .iter()
        .find(|change| change.path == "target")
        .unwrap();
    assert_eq!(target.kind, ChangeKind::RemovedDirectory);
    workspace.undo("call").unwrap();
    assert_eq!(layout.scratch.read("src/a.rs"), "a\r\n");
    assert_eq!(layout.scratch.read("target/keep/tracked.txt"), "tracked");
    assert!(!layout.path("target/debug").exists());
}

#[test]
fn removed_ignored_directory_is_noted() {
    let layout = Layout::new(
        Scratch::new()
            .file(".ignore", "out/\n")
            .file("out/a", "built"),
    );
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::remove_dir_all(layout.path("out")).unwrap();
    });

    assert_eq!(changed.notes, ["`out` was removed and is not kept."]);
    assert!(!workspace.changes("call")[0].kept);
    assert_eq!(workspace.undo("call").unwrap().restored, ["out"]);
    assert!(layout.path("out").is_dir());
}

#[test]
fn ignored_directories_are_kept_unless_a_build_makes_them_again() {
    let layout = Layout::new(
        Scratch::new()
            .file(".ignore", "data/\ntarget/\n")
            .file("data/deep/a", "only here")
            .file("target/a", "built"),
    );
    let workspace = layout.open();

    during(&workspace, "call", || {
        fs::write(layout.path(".ignore"), "*\n").unwrap();
        fs::remove_dir_all(layout.path("data")).unwrap();
        fs::remove_dir_all(layout.path("target")).unwrap();
    });
    workspace.undo("call").unwrap();

    assert_eq!(layout.scratch.read("data/deep/a"), "only here");
    assert!(layout.path("target").is_dir() && !layout.path("target/a").exists());
}

#[cfg(feature = "shell")]
#[test]
fn directories_kept_as_names_are_build_outputs_of_the_filter() {
    let filter = shell_verdict::CommandFilter::standard(["/srv/app"]);
    for name in super::super::scan::BUILD_OUTPUTS {
        let verdict = filter.judge(&format!("rm -rf {name}")).verdict();
        assert_eq!(verdict, shell_verdict::CommandVerdict::Confine, "{name}");
    }
}

#[test]
fn settings_of_git_run_nothing() {
    let layout = repository();
    let canary = layout.state.path().join("canary");
    let program = format!("touch {}; cat", canary.display());
    let other = layout.state.path().join("other");
    fs::create_dir(&other).unwrap();
    let settings = format!(
        "[core]\n\tfsmonitor = {program}\n\tworktree = {}\n\thooksPath = {0}\n[filter \"x\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n[include]\n\tpath = {0}\n[diff]\n\texternal = {program}\n",
        other.display()
    );
    for config in [".git/config", "nested/.git/config"] {
        fs::create_dir_all(layout.path(config).parent().unwrap()).unwrap();
        fs::write(layout.path(config), &settings).unwrap();
    }
    fs::write(layout.path(".gitattributes"), "* filter=x diff=x\n").unwrap();
    fs::write(layout.path("nested/a"), "1\n").unwrap();
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::write(layout.path("nested/a"), "2\n").unwrap();
    });
    workspace.undo("call").unwrap();

    assert_eq!(changed.paths, ["nested/a"]);
    assert_eq!(layout.scratch.read("nested/a"), "1\n");
    assert!(!canary.exists());
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
}

#[test]
fn lost_objects_of_git_do_not_matter() {
    let layout = repository();
    let workspace = layout.open();

    during(&workspace, "call", || {
        fs::remove_dir_all(layout.path(".git/objects")).unwrap();
        fs::remove_dir_all(layout.path("src")).unwrap();
    });

    assert_eq!(
        workspace.undo("call").unwrap().restored,
        ["src", "src/a.rs"]
    );
}

#[test]
fn branches_and_stashes_are_restored() {
    let layout = repository();
    layout.git(&["branch", "side"]);
    fs::write(layout.path("src/a.rs"), "stashed").unwrap();
    layout.git(&["stash"]);
    let stash = layout.git(&["stash", "list"]);
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        layout.git(&["branch", "-D", "side"]);
        layout.git(&["stash", "drop"]);
        fs::write(layout.path("untracked.txt"), "2").unwrap();
    });

    assert_eq!(changed.paths, ["untracked.txt"]);
    workspace.undo("call").unwrap();
    assert_eq!(layout.git(&["stash", "list"]), stash);
    assert!(layout.git(&["branch"]).contains("side"));
    assert_eq!(layout.git(&["status", "--porcelain"]), "?? untracked.txt\n");
}

#[test]
fn nested_repositories_are_entered_and_new_ones_stay() {
    let layout = repository();
    fs::create_dir(layout.path("nested")).unwrap();
    fs::write(layout.path("nested/.gitignore"), "*.tmp\n").unwrap();
    fs::write(layout.path("nested/mine"), "1").unwrap();
    git(&layout.path("nested"), &["init", "-q"]);
    let workspace = layout.open();

    during(&workspace, "call", || {
        fs::remove_dir_all(layout.path("nested")).unwrap();
        fs::create_dir(layout.path("new")).unwrap();
        git(&layout.path("new"), &["init", "-q"]);
        fs::write(layout.path("new/a"), "").unwrap();
    });
    let undone = workspace.undo("call").unwrap();

    assert_eq!(layout.scratch.read("nested/mine"), "1");
    assert_eq!(
        layout.scratch.read("nested/.git/HEAD"),
        "ref: refs/heads/main\n"
    );
    // Its objects may be all there is of somebody's work, and no scan has seen them.
    assert_eq!(undone.conflicts, ["new/.git", "new"]);
    assert!(layout.path("new/.git/HEAD").exists() && !layout.path("new/a").exists());
}

#[test]
fn links_are_not_followed() {
    let layout = Layout::new(Scratch::new().file("src/a", "1").file("b", "1"));
    let outside = Scratch::new().file("a", "outside").file("b", "outside");
    let workspace = layout.open();
    symlink(outside.path(), layout.path("out")).unwrap();

    let changed = during(&workspace, "call", || {
        fs::remove_dir_all(layout.path("src")).unwrap();
        symlink(outside.path(), layout.path("src")).unwrap();
        fs::remove_file(layout.path("b")).unwrap();
        symlink(outside.path().join("b"), layout.path("b")).unwrap();
    });

    assert_eq!(changed.paths, ["b", "src", "src/a"]);
    workspace.undo("call").unwrap();
    assert_eq!(
        (layout.scratch.read("src/a"), layout.scratch.read("b")),
        ("1".into(), "1".into())
    );
    assert!(!layout.path("src").is_symlink() && !layout.path("b").is_symlink());

    // A directory that becomes a link after the command.
    during(&workspace, "again", || {
        fs::remove_file(layout.path("src/a")).unwrap();
    });
    fs::remove_dir(layout.path("src")).unwrap();
    symlink(outside.path(), layout.path("src")).unwrap();
    fs::remove_file(outside.path().join("a")).unwrap();
    assert_eq!(
        workspace.undo("again").unwrap_err().code(),
        &ErrorCode::Conflict
    );
    assert!(!outside.has("a"));
    assert_eq!(outside.read("b"), "outside");
}

#[test]
fn every_name_is_kept() {
    let layout = Layout::new(
        Scratch::new()
            .file("line\nbreak/ü\t\"", "1")
            .file(" -rf", "1"),
    );
    let raw = layout.scratch.path().join(OsStr::from_bytes(b"\xff\xfe\n"));
    fs::create_dir(&raw).unwrap();
    fs::write(raw.join(OsStr::from_bytes(b"\x80")), "1").unwrap();
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        for entry in fs::read_dir(layout.scratch.path()).unwrap() {
            let path = entry.unwrap().path();
            fs::remove_dir_all(&path)
                .or_else(|_| fs::remove_file(&path))
                .unwrap();
        }
    });

    assert!(
        changed.paths.iter().all(|path| !path.contains('\n')),
        "{changed:?}"
    );
    assert_eq!(
        layout.open().undo("call").unwrap_err().code().to_string(),
        "not_recorded"
    );
    assert_eq!(workspace.undo("call").unwrap().restored.len(), 5);
    assert_eq!(
        fs::read(raw.join(OsStr::from_bytes(b"\x80"))).unwrap(),
        b"1"
    );
    assert_eq!(layout.scratch.read("line\nbreak/ü\t\""), "1");
}

#[test]
fn fifos_and_sockets_are_names() {
    let layout = Layout::new(Scratch::new().file("a", "1"));
    let fifo = |name: &str| {
        let status = Command::new("mkfifo")
            .arg(layout.path(name))
            .status()
            .unwrap();
        assert!(status.success());
    };
    fifo("old");
    let socket = std::os::unix::net::UnixListener::bind(layout.path("socket")).unwrap();
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::remove_file(layout.path("old")).unwrap();
        fs::remove_file(layout.path("a")).unwrap();
        fifo("a");
        fifo("new");
    });

    assert_eq!(changed.paths, ["a", "new", "old"]);
    assert_eq!(changed.notes, ["`old` was removed and is not kept."]);
    let undone = workspace.undo("call").unwrap();
    assert_eq!(
        (undone.restored, undone.removed),
        (vec!["a".to_owned()], vec!["new".to_owned()])
    );
    assert_eq!(undone.conflicts, ["old"]);
    assert_eq!(layout.scratch.read("a"), "1");
    drop(socket);
}

#[test]
fn file_that_changes_while_it_is_read_is_noted() {
    // These files have another length than their metadata say, however often they are read.
    let state = Scratch::new();
    let workspace = Workspace::builder().root("/proc/self/fdinfo");
    let workspace = workspace.checkpoints_in(state.path()).build().unwrap();

    let checkpoint = workspace.checkpoint(&none()).unwrap();

    let expected = "Files that are changing while they are read are not kept: ";
    // Tests that run meanwhile close files, which may be a note of its own.
    let mut notes = checkpoint.notes().iter();
    assert!(notes.any(|note| note.starts_with(expected)));
}

#[test]
fn equal_size_and_old_time_do_not_hide_a_change() {
    let layout = Layout::new(Scratch::new().file("a", "1"));
    let workspace = layout.open();
    let metadata = fs::metadata(layout.path("a")).unwrap();

    let changed = during(&workspace, "call", || {
        fs::write(layout.path("a"), "2").unwrap();
        let file = fs::OpenOptions::new()
            .write(true)
            .open(layout.path("a"))
            .unwrap();
        file.set_modified(metadata.modified().unwrap()).unwrap();
    });

    assert_eq!(
        metadata.mtime(),
        fs::metadata(layout.path("a")).unwrap().mtime()
    );
    assert_eq!(changed.paths, ["a"]);
}

#[test]
fn removed_permissions_hide_nothing() {
    let layout = Layout::new(
        Scratch::new()
            .file("src/in/a", "1")
            .file("b", "1")
            .file("c/d", "1"),
    );
    set_mode(&layout.path("c"), 0o555);
    let workspace = layout.open();

    let changed = during(&workspace, "call", || {
        fs::write(layout.path("src/in/a"), "2").unwrap();
        set_mode(&layout.path("src/in/a"), 0);
        set_mode(&layout.path("src/in"), 0);
        set_mode(&layout.path("src"), 0o555);
        fs::remove_file(layout.path("b")).unwrap();
        set_mode(&layout.path("c"), 0o755);
        fs::remove_file(layout.path("c/d")).unwrap();
        set_mode(&layout.path("c"), 0o555);
        set_mode(layout.scratch.path(), 0o500);
    });

    assert_eq!(
        changed.paths,
        [".", "b", "c/d", "src", "src/in", "src/in/a"]
    );
    let undone = workspace.undo("call").unwrap();
    assert_eq!(undone.conflicts, Vec::<String>::new());
    for (path, expected) in [
        ("", 0o700),
        ("src", 0o755),
        ("src/in", 0o755),
        ("src/in/a", 0o644),
        ("c", 0o555),
        ("c/d", 0o644),
    ] {
        let found = mode(&layout.path(path));
        assert!(found == expected || path.is_empty(), "{path} {found:o}");
    }
    assert_ne!(mode(layout.scratch.path()), 0o500);
    assert_eq!(layout.scratch.read("src/in/a"), "1");
    assert_eq!(layout.scratch.read("c/d"), "1");
}

#[test]
fn damaged_store_is_never_restored() {
    let layout = Layout::new(Scratch::new().file("a", "the old content").file("b", "1"));
    let workspace = layout.open();
    during(&workspace, "call", || {
        fs::write(layout.path("a"), "new").unwrap();
    });
    drop(workspace);
    let state = layout.state.path().join("state");
    let store = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let mut pack = fs::read(store.join("pack")).unwrap();
    let at = pack
        .windows(7)
        .position(|bytes| bytes == b"the old")
        .unwrap();
    pack[at] = b'X';
    pack.extend([1; 17]);
    fs::write(store.join("pack"), pack).unwrap();

    let error = layout.open().undo("call").unwrap_err();

    assert_eq!(error.code(), &ErrorCode::Conflict);
    assert_eq!(layout.scratch.read("a"), "new");
}

#[test]
fn large_files_are_noted() {
    let layout = Layout::new(
        Scratch::new()
            .file(".ignore", "*.log\n")
            .file("a.log", "")
            .file("big", ""),
    );
    let sparse = |name: &str, size| {
        fs::File::create(layout.path(name))
            .unwrap()
            .set_len(size)
            .unwrap();
    };
    sparse("a.log", MAX_IGNORED_BYTES + 1);
    sparse("big", MAX_FILE_BYTES + 1);
    let workspace = layout.open();

    let checkpoint = workspace.checkpoint(&none()).unwrap();
    let notes = checkpoint.notes().to_vec();
    fs::remove_file(layout.path("big")).unwrap();
    let changed = checkpoint.finish("call", &none()).unwrap();

    assert_eq!(
        notes,
        [
            "Files that are larger than 64 MiB are not kept: 1, such as `big`.",
            "Files that are ignored and larger than 1 MiB are not kept: 1, such as `a.log`.",
        ]
    );
    let last = changed.notes.last().map(String::as_str);
    assert_eq!(last, Some("`big` was removed and is not kept."));
    let error = workspace.undo("call").unwrap_err();
    assert_eq!(error.code(), &ErrorCode::Conflict);
}
