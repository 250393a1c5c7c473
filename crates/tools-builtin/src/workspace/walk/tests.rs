use tool_test::Scratch;

use super::options::MAX_DEPTH;
use super::*;
use crate::workspace::{EntryKind, Pattern};

mod differential;
mod helpers;

fn paths(scratch: &Scratch, folder: &str, options: &WalkOptions) -> Vec<String> {
    let workspace = Workspace::open(scratch.path()).unwrap();
    workspace
        .walk("path", folder, options, &CancellationToken::new())
        .unwrap()
        .map(|entry| entry.path().to_owned())
        .collect()
}

#[test]
fn files_come_in_the_order_of_their_paths() {
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
fn folders_come_before_what_is_in_them_to_the_depth_asked_for() {
    let scratch = Scratch::new().folder("a/b/c").folder("d");

    for (depth, expected) in [
        (1, vec!["a", "d"]),
        (2, vec!["a", "a/b", "d"]),
        (9, vec!["a", "a/b", "a/b/c", "d"]),
    ] {
        let options = WalkOptions::directories().with_max_depth(depth);

        assert_eq!(paths(&scratch, ".", &options), expected, "{depth}");
    }
}

#[test]
fn the_nearest_rule_decides_and_ignore_outranks_gitignore() {
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
fn rules_above_the_folder_hold_up_to_the_root_of_the_workspace() {
    let scratch = Scratch::new()
        .file(".gitignore", "*.log\n/sub/in/x.txt")
        .file("sub/.ignore", "y.txt")
        .file("sub/in/a.log", "")
        .file("sub/in/x.txt", "")
        .file("sub/in/y.txt", "")
        .file("sub/in/z.txt", "");

    for folder in ["sub/in", "./sub//in/", "sub"] {
        assert_eq!(
            paths(&scratch, folder, &WalkOptions::files()),
            ["sub/in/z.txt"],
            "{folder}"
        );
    }
}

#[test]
fn a_repository_inside_has_its_own_gitignore_alone() {
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
fn rules_made_to_be_slow_or_broken_do_no_harm() {
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
fn a_walk_ends_at_its_bound_and_says_so() {
    let scratch = (0..20).fold(Scratch::new(), |scratch, number| {
        scratch.file(&format!("{number:02}/a.txt"), "")
    });
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions::files().with_max_entries(25);
    let none = CancellationToken::new();

    let mut walk = workspace.walk("path", ".", &options, &none).unwrap();

    assert_eq!(walk.by_ref().count(), 5);
    assert!(walk.truncated());
}

#[test]
fn a_cancelled_walk_ends_at_once() {
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
fn folders_that_are_too_deep_are_left_out_and_reported() {
    let deep = vec!["d"; MAX_DEPTH + 5].join("/");
    let scratch = Scratch::new().folder(&deep).file("a.txt", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions::directories();

    let mut walk = workspace
        .walk("path", ".", &options, &CancellationToken::new())
        .unwrap();

    assert_eq!(walk.by_ref().count(), MAX_DEPTH);
    assert!(walk.truncated());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_passed_over_and_counted() {
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
fn entries_that_are_no_files_are_told_by_their_kind() {
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
fn a_walk_ends_at_its_deadline() {
    let scratch = Scratch::new().file("a", "").file("b", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let options = WalkOptions::files().with_deadline(std::time::Instant::now());
    let mut walk = workspace
        .walk("path", ".", &options, &CancellationToken::new())
        .unwrap();

    assert!(walk.next().is_none());
    assert!(walk.truncated());
}
