use tool_test::Scratch;

use super::options::MAX_DEPTH;
use super::*;
use crate::workspace::{EntryKind, Pattern};

mod differential;
mod helpers;

fn paths(scratch: &Scratch, directory: &str, options: &WalkOptions) -> Vec<String> {
    let workspace = Workspace::open(scratch.path()).unwrap();
    workspace
        .walk("path", directory, options, &CancellationToken::new())
        .unwrap()
        .map(|entry| entry.path().to_owned())
        .collect()
}

#[test]
fn returns_files_sorted_by_path() {
    let scratch = Scratch::new()
        .file("a/z", "")
        .file("a-b", "")
        .file("a.txt", "")
        .file("a/b/c", "")
        .file("b", "");

    let found = paths(&scratch, ".", &WalkOptions::files());

    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(found, ["a-b", "a.txt", "a/b/c", "a/z", "b"]);
    assert_eq!(found, sorted);
}

#[test]
fn returns_directories_before_entries_up_to_max_depth() {
    let scratch = Scratch::new().folder("a/b/c").folder("d");

    for (depth, expected) in [
        (1, vec!["a", "d"]),
        (2, vec!["a", "a/b", "d"]),
        (9, vec!["a", "a/b", "a/b/c", "d"]),
    ] {
        let options = WalkOptions {
            max_depth: depth,
            ..WalkOptions::kinds([EntryKind::Directory])
        };

        assert_eq!(paths(&scratch, ".", &options), expected, "{depth}");
    }
}

#[test]
fn nearest_rule_wins_and_ignore_overrides_gitignore() {
    let scratch = Scratch::new()
        .file(
            ".gitignore",
            "*.log\n/top.txt\nbuild/\n!.env\n# comment\n\n",
        )
        .file(".ignore", "!kept.log\n")
        .file(".env", "")
        .file(".other", "")
        .file("a.log", "")
        .file("kept.log", "")
        .file("top.txt", "")
        .file("sub/top.txt", "")
        .file("sub/build/x", "")
        .file("sub/a.log", "")
        .file("sub/.gitignore", "!a.log\n*.tmp")
        .file("sub/b.tmp", "")
        .file("b.tmp", "");

    assert_eq!(
        paths(&scratch, ".", &WalkOptions::files()),
        [".env", "b.tmp", "kept.log", "sub/a.log", "sub/top.txt"]
    );
}

#[test]
fn applies_rules_of_parents_up_to_root() {
    let scratch = Scratch::new()
        .file(".gitignore", "*.log\n/sub/in/x.txt")
        .file("sub/.ignore", "y.txt")
        .file("sub/in/a.log", "")
        .file("sub/in/x.txt", "")
        .file("sub/in/y.txt", "")
        .file("sub/in/z.txt", "");

    for directory in ["sub/in", "./sub//in/", "sub"] {
        assert_eq!(
            paths(&scratch, directory, &WalkOptions::files()),
            ["sub/in/z.txt"],
            "{directory}"
        );
    }
}

#[test]
fn nested_repository_uses_only_own_gitignore() {
    let scratch = Scratch::new()
        .file(".gitignore", "a.txt")
        .file("repo/.git/info/exclude", "b.txt")
        .file("repo/a.txt", "")
        .file("repo/b.txt", "")
        .file("repo/c.txt", "");

    assert_eq!(
        paths(&scratch, ".", &WalkOptions::files()),
        ["repo/a.txt", "repo/c.txt"]
    );
}

#[test]
fn tolerates_slow_and_invalid_rules() {
    let nested = format!("{}a{}", "{".repeat(300), "}".repeat(300));
    let scratch = Scratch::new()
        .file(
            ".gitignore",
            format!("{nested}\n[z-a]\n{}\n*.log\n", "x".repeat(5000)),
        )
        .file("a.log", "")
        .file("b.txt", "");

    assert_eq!(paths(&scratch, ".", &WalkOptions::files()), ["b.txt"]);
}

#[test]
fn reports_entry_limit() {
    let scratch = (0..20).fold(Scratch::new(), |scratch, number| {
        scratch.file(&format!("{number:02}/a.txt"), "")
    });
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions {
        max_entries: 25,
        ..WalkOptions::files()
    };
    let none = CancellationToken::new();

    let mut walk = workspace.walk("path", ".", &options, &none).unwrap();

    assert_eq!(walk.by_ref().count(), 5);
    assert!(walk.truncated());
}

#[test]
fn cancelled_walk_stops() {
    let scratch = Scratch::new().file("a", "").file("b", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cancellation = CancellationToken::new();
    let options = WalkOptions::files();
    let mut walk = workspace
        .walk("path", ".", &options, &cancellation)
        .unwrap();
    assert!(walk.next().is_some());

    cancellation.cancel();

    assert!(walk.next().is_none());
    assert!(walk.truncated());
}

#[test]
fn reports_too_deep_directories() {
    let deep = vec!["d"; MAX_DEPTH + 5].join("/");
    let scratch = Scratch::new().folder(&deep).file("a.txt", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions::kinds([EntryKind::Directory]);

    let mut walk = workspace
        .walk("path", ".", &options, &CancellationToken::new())
        .unwrap();

    assert_eq!(walk.by_ref().count(), MAX_DEPTH);
    assert!(walk.truncated());
}

#[cfg(unix)]
#[test]
fn skips_and_counts_unreadable_directories() {
    use std::os::unix::fs::PermissionsExt;

    if rustix::process::geteuid().is_root() {
        return;
    }
    let scratch = Scratch::new().file("a.txt", "").file("locked/b.txt", "");
    let locked = scratch.path().join("locked");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions::files();

    let mut walk = workspace
        .walk("path", ".", &options, &CancellationToken::new())
        .unwrap();

    assert_eq!((walk.by_ref().count(), walk.unreadable()), (1, 1));
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[cfg(unix)]
#[test]
fn returns_kind_of_special_entries() {
    let scratch = Scratch::new().file("a", "").link("b", "a").link("c", ".");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions::kinds([EntryKind::Link, EntryKind::File]);

    let walk = workspace
        .walk("path", ".", &options, &CancellationToken::new())
        .unwrap();

    let found: Vec<_> = walk
        .map(|entry| (entry.kind(), entry.open("path").is_ok()))
        .collect();
    assert_eq!(
        found,
        [
            (EntryKind::File, true),
            (EntryKind::Link, false),
            (EntryKind::Link, false)
        ]
    );
}

#[test]
fn stops_at_deadline() {
    let scratch = Scratch::new().file("a", "").file("b", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions {
        deadline: Some(std::time::Instant::now()),
        ..WalkOptions::files()
    };
    let mut walk = workspace
        .walk("path", ".", &options, &CancellationToken::new())
        .unwrap();

    assert!(walk.next().is_none());
    assert!(walk.truncated());
}
