use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use tool_core::{ErrorCode, ToolContext};
use tool_test::Scratch;

use super::*;
use crate::workspace::ChangeKind;

/// Files of the tests of interruptions.
const FILES: usize = 20;
/// Names the directory of the child process that is killed.
const DIRECTORY: &str = "TOOLWRIGHT_TEST_TOGETHER";

fn write(path: &str, before: Option<&str>, after: Option<&str>) -> FileWrite {
    FileWrite {
        parameter: path.to_owned(),
        path: path.to_owned(),
        before: before.map(|before| Arc::new(before.as_bytes().to_vec())),
        after: after.map(|after| Arc::new(after.as_bytes().to_vec())),
        like: None,
    }
}

fn open(directory: &Path) -> Workspace {
    let builder = Workspace::builder().root(directory.join("root"));
    #[cfg(target_os = "linux")]
    let builder = builder.checkpoints_in(directory.join("state"));
    builder.build().unwrap()
}

fn files(scratch: &Scratch) -> Vec<(String, String)> {
    fn add(directory: &Path, prefix: &str, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                add(&entry.path(), &format!("{name}/"), found);
            } else {
                found.push((name, std::fs::read_to_string(entry.path()).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    add(&scratch.path().join("root"), "", &mut found);
    found.sort();
    found
}

fn scratch() -> Scratch {
    Scratch::new()
        .file("root/a", "1")
        .file("root/b", "2")
        .file("root/c", "3")
}

fn changes() -> [FileWrite; 4] {
    [
        write("a", Some("1"), Some("one")),
        write("new/d", None, Some("four")),
        write("b", Some("2"), Some("two")),
        write("c", Some("3"), None),
    ]
}

#[test]
fn writes_creates_and_removes_files() {
    let scratch = scratch();
    let workspace = open(scratch.path());
    let cx = ToolContext::new("1", "patch");

    let paths = workspace
        .for_call(&cx)
        .write_together(&changes(), &CancellationToken::new());

    assert_eq!(paths.unwrap(), ["a", "new/d", "b", "c"]);
    let after = [("a", "one"), ("b", "two"), ("new/d", "four")];
    assert_eq!(
        files(&scratch),
        after.map(|(name, text)| (name.to_owned(), text.to_owned()))
    );
    let kinds: Vec<(String, ChangeKind)> = workspace
        .changes("1")
        .into_iter()
        .map(|change| (change.path, change.kind))
        .collect();
    let expected = [
        ("a", ChangeKind::Changed),
        ("new/d", ChangeKind::Created),
        ("b", ChangeKind::Changed),
        ("c", ChangeKind::Removed),
    ];
    assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
    let undone = workspace.undo("1").unwrap();
    assert_eq!(
        (undone.restored.len(), undone.removed),
        (3, vec!["new/d".into(), "new".into()])
    );
    assert_eq!(files(&scratch), files(&self::scratch()));
}

#[cfg(unix)]
#[test]
fn mode_of_removed_and_moved_files_is_kept() {
    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = scratch();
    let mode = |name: &str| {
        metadata(scratch.path().join("root").join(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    set_permissions(scratch.path().join("root/a"), Permissions::from_mode(0o750)).unwrap();
    let workspace = open(scratch.path());
    let cx = ToolContext::new("1", "move");
    let target = FileWrite {
        like: Some(1),
        ..write("d", None, Some("1"))
    };

    let moved = [target, write("a", Some("1"), None)];
    workspace
        .for_call(&cx)
        .write_together(&moved, &CancellationToken::new())
        .unwrap();

    assert_eq!(mode("d"), 0o750);
    workspace.undo("1").unwrap();
    assert_eq!(mode("a"), 0o750);
    assert!(!scratch.has("root/d"));
}

#[test]
fn nothing_is_written_if_one_file_is_not_as_expected() {
    for (wrong, expected) in [
        (write("a", Some("other"), Some("x")), ErrorCode::Conflict),
        (write("missing", Some("1"), None), ErrorCode::Conflict),
        (write("b", None, Some("x")), ErrorCode::AlreadyExists),
        (write(".git/hooks/x", None, Some("x")), ErrorCode::Protected),
        (
            write("../out", None, Some("x")),
            ErrorCode::PathOutsideWorkspace,
        ),
        (write("link", Some("3"), None), ErrorCode::NotAFile),
        (
            write("link", Some("3"), Some("x")),
            ErrorCode::InvalidArguments,
        ),
    ] {
        let scratch = scratch().link("root/link", "c").folder("root/.git");
        let before = files(&scratch);
        let workspace = open(scratch.path());
        let writes = [
            write("new/d", None, Some("four")),
            write("c", Some("3"), Some("three")),
            wrong,
        ];

        let refused = workspace
            .write_together(&writes, &CancellationToken::new())
            .unwrap_err();

        assert_eq!(refused.code(), &expected, "{refused}");
        assert_eq!(files(&scratch), before, "{refused}");
        assert!(!scratch.has("root/new"), "{refused}");
    }
}

#[cfg(unix)]
#[test]
fn failure_in_the_middle_takes_back_what_was_written() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = scratch().file("root/full/e", "5");
    let full = scratch.path().join("root/full");
    set_permissions(&full, Permissions::from_mode(0o555)).unwrap();
    let before = files(&scratch);
    let mut writes = changes().to_vec();
    writes.push(write("full/e", Some("5"), Some("five")));

    let outcome = open(scratch.path()).write_together(&writes, &CancellationToken::new());

    set_permissions(&full, Permissions::from_mode(0o755)).unwrap();
    // A superuser may write anything.
    if outcome.is_err() {
        assert_eq!(files(&scratch), before);
        assert!(!scratch.has("root/new"));
    }
}

fn has_journal(scratch: &Scratch) -> bool {
    let state = std::fs::read_dir(scratch.path().join("state")).unwrap();
    let mut names = state.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.any(|name| name.starts_with("journal-") && !name.contains('.'))
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_change_is_taken_back_at_the_next_start() {
    let mut interruptions = 0;
    for steps in 0.. {
        let scratch = scratch();
        STEPS_LEFT.set(Some(steps));
        let outcome = open(scratch.path()).write_together(&changes(), &CancellationToken::new());
        STEPS_LEFT.set(None);
        if outcome.is_ok() {
            break;
        }
        interruptions += 1;

        // A program that another test starts holds the lock of the journal until it is executed.
        for _ in 0..100 {
            let _ = open(scratch.path());
            if !has_journal(&scratch) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }

        assert_eq!(files(&scratch), files(&self::scratch()), "{steps}");
        assert!(!has_journal(&scratch), "{steps}");
    }
    assert_eq!(interruptions, 5);
}

#[cfg(target_os = "linux")]
#[test]
fn file_that_changed_since_the_interruption_is_left() {
    let scratch = scratch();
    STEPS_LEFT.set(Some(3));
    let workspace = open(scratch.path());
    assert!(
        workspace
            .write_together(&changes(), &CancellationToken::new())
            .is_err()
    );
    STEPS_LEFT.set(None);
    let scratch = scratch.file("root/a", "mine");

    // The next change of the same process takes back the earlier one, too.
    let next = [write("c", Some("3"), Some("three"))];
    workspace
        .write_together(&next, &CancellationToken::new())
        .unwrap();

    let after = [("a", "mine"), ("b", "2"), ("c", "three")];
    assert_eq!(
        files(&scratch),
        after.map(|(name, text)| (name.to_owned(), text.to_owned()))
    );
}

#[cfg(target_os = "linux")]
#[test]
fn damaged_journal_changes_nothing() {
    let scratch = scratch();
    STEPS_LEFT.set(Some(2));
    assert!(
        open(scratch.path())
            .write_together(&changes(), &CancellationToken::new())
            .is_err()
    );
    STEPS_LEFT.set(None);
    let state = scratch.path().join("state");
    let journal = std::fs::read_dir(&state)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with("journal-")
                && path.extension().is_none()
        })
        .unwrap();
    let whole = std::fs::read(&journal).unwrap();
    let before = files(&scratch);

    for end in [0, 1, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&journal, &whole[..end]).unwrap();
        let _ = open(scratch.path());
        assert_eq!(files(&scratch), before, "{end}");
    }
    std::fs::write(&journal, &whole).unwrap();
    let _ = open(scratch.path());
    assert_eq!(files(&scratch), files(&self::scratch()));
}

#[cfg(target_os = "linux")]
#[test]
fn empty_journal_is_a_complete_change() {
    let scratch = scratch();
    STEPS_LEFT.set(Some(4));
    let workspace = open(scratch.path());
    let outcome = workspace.write_together(&changes(), &CancellationToken::new());
    STEPS_LEFT.set(None);
    assert!(outcome.is_err());
    let after = files(&scratch);
    let (directory, name) = workspace.journal_place().unwrap();

    journal::empty(&directory, &name).unwrap();
    let _ = open(scratch.path());

    assert_eq!(files(&scratch), after);
    assert_eq!(scratch.read("root/a"), "one");
}

#[cfg(target_os = "linux")]
#[test]
fn journal_that_cannot_be_removed_is_an_error() {
    let scratch = scratch();
    let (directory, _) = open(scratch.path()).journal_place().unwrap();
    directory.write("file", "").unwrap();
    let place = |name: &str| Some((directory.try_clone().unwrap(), name.to_owned()));
    for (name, is_removed) in [("missing", true), ("file", true), ("..", false)] {
        let journal = Journal {
            files: Vec::new(),
            place: place(name),
        };

        assert_eq!(journal.remove().is_ok(), is_removed, "{name}");
    }
}

/// Changes all files together, again and again, until the process is killed.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "a child process of another test"]
fn child_that_is_killed() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let workspace = open(Path::new(&directory));
    for round in 0..100_000 {
        let (old, new) = (round.to_string(), (round + 1).to_string());
        let writes = (0..FILES).map(|file| write(&file.to_string(), Some(&old), Some(&new)));
        let writes: Vec<FileWrite> = writes.collect();
        workspace
            .write_together(&writes, &CancellationToken::new())
            .unwrap();
    }
}

#[cfg(target_os = "linux")]
fn killed_child(directory: &Path, after: Duration) {
    let program = std::env::current_exe().unwrap();
    let mut child: Child = Command::new(program)
        .args([
            "--exact",
            "workspace::together::tests::child_that_is_killed",
            "--ignored",
        ])
        .env(DIRECTORY, directory)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // Until the first round is complete.
    for _ in 0..500 {
        let text = std::fs::read_to_string(directory.join("root/0")).unwrap();
        if text != "0" && text != "1" {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[cfg(target_os = "linux")]
fn kill_and_compare(after: Duration) {
    let files_at_0 = (0..FILES).fold(Scratch::new(), |scratch, file| {
        scratch.file(&format!("root/{file}"), "0")
    });
    killed_child(files_at_0.path(), after);

    let _ = open(files_at_0.path());

    let found = files(&files_at_0);
    let texts: Vec<&String> = found
        .iter()
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts.len(), FILES);
    assert!(texts.iter().all(|text| *text == texts[0]), "{found:?}");
    assert_ne!(texts[0], "0");
}

#[cfg(target_os = "linux")]
#[test]
fn killed_process_leaves_all_old_or_all_new() {
    kill_and_compare(Duration::from_millis(7));
}

/// `cargo test -p tools-builtin --lib at_any_point -- --ignored`, one minute
#[cfg(target_os = "linux")]
#[test]
#[ignore = "100 processes"]
fn killed_process_leaves_all_old_or_all_new_at_any_point() {
    for round in 0..100 {
        kill_and_compare(Duration::from_micros(round * 531));
    }
}
