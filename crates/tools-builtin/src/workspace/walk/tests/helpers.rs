//! A walk with helpers returns the same as a walk without helpers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Observable behavior of a walk: entries in order, with sizes, and its status.
#[derive(Debug, PartialEq, Eq)]
struct WalkResult {
    entries: Vec<(String, EntryKind, usize, u64)>,
    truncated: bool,
    unreadable: usize,
    skipped: Option<String>,
}

fn options() -> WalkOptions {
    WalkOptions::kinds([EntryKind::File, EntryKind::Directory, EntryKind::Link])
        .with_sizes()
        .with_skipped_count(true)
}

fn size_of(entry: &Entry) -> u64 {
    match entry.kind() {
        EntryKind::File => entry.size(),
        _ => 0,
    }
}

fn seen(
    scratch: &Scratch,
    options: &WalkOptions,
    most: usize,
    helpers: Option<usize>,
) -> WalkResult {
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();
    let mut walk = workspace.walk("path", ".", options, &none).unwrap();
    let mut entries = Vec::new();
    let mut take = |entry: Entry| {
        let size = size_of(&entry);
        entries.push((entry.path().to_owned(), entry.kind(), entry.depth(), size));
        if entries.len() == most {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let _ = match helpers {
        Some(helpers) => walk.visit_with(0, || vec![(); helpers], take),
        None => walk.by_ref().try_for_each(&mut take),
    };
    WalkResult {
        entries,
        truncated: walk.truncated(),
        unreadable: walk.unreadable(),
        skipped: walk
            .skipped(&workspace)
            .map(|skipped| skipped.warning("pattern")),
    }
}

fn tree() -> impl Strategy<Value = BTreeMap<String, usize>> {
    let part = prop::sample::select(&["a", "b", "a-b", "a.b", ".c", "x.log", "é"][..]);
    let path = prop::collection::vec(part, 1..5).prop_map(|parts| parts.join("/"));
    let rules = prop::sample::select(&[".gitignore", "a/.gitignore", "b/a/.ignore"][..]);
    let paths = prop_oneof![9 => path, 1 => rules.prop_map(str::to_owned)];
    prop::collection::btree_map(paths, 0_usize..5, 1..60)
}

/// Skips entries that cannot be created: a name cannot be both a file and a directory.
fn make(tree: &BTreeMap<String, usize>) -> Scratch {
    let scratch = Scratch::new();
    for (path, size) in tree {
        let path = scratch.path().join(path);
        let created = path
            .parent()
            .is_some_and(|directory| std::fs::create_dir_all(directory).is_ok());
        if created && !path.is_dir() {
            let rules = ["", "*.log\n", "a\n", "!x.log\n/b\n", "*\n!*/\n"];
            std::fs::write(path, rules[*size]).unwrap();
        }
    }
    scratch
}

#[test]
fn helpers_do_not_change_result() {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(64)
    };
    proptest!(config, |(
        tree in tree(),
        hidden: bool,
        ignored: bool,
        max_depth in 1_usize..6,
        max_entries in prop_oneof![Just(usize::MAX), 0_usize..40],
        most in prop_oneof![Just(usize::MAX), 1_usize..20],
        helpers in 0_usize..4,
    )| {
        let scratch = make(&tree);
        let options = options()
            .with_hidden(hidden)
            .with_ignored(ignored)
            .with_max_depth(max_depth)
            .with_max_entries(max_entries);

        let together = seen(&scratch, &options, most, Some(helpers));

        prop_assert_eq!(together, seen(&scratch, &options, most, None));
    });
}

/// Creates more directories than are read ahead, some nested, and one with more names than are read
/// ahead.
fn large() -> Scratch {
    let scratch = (0..150).fold(Scratch::new(), |scratch, number| {
        let destination = format!("{}/{}/{number}", number % 7, number % 31);
        scratch
            .file(&format!("{destination}/deep/er/a.rs"), "a")
            .file(&format!("{destination}/b.txt"), "bb")
    });
    let crowd = scratch.path().join("3/crowd");
    std::fs::create_dir(&crowd).unwrap();
    for number in 0..150 {
        std::fs::write(crowd.join(number.to_string()), "").unwrap();
    }
    scratch
}

#[test]
fn large_tree_is_complete_and_sorted_at_any_limit() {
    let scratch = large();
    for (max_entries, most, pattern) in [
        (1_000_000, usize::MAX, "*"),
        (1_000_000, usize::MAX, "**/*.rs"),
        (1_000_000, 300, "*"),
        (1000, usize::MAX, "*"),
        (300, usize::MAX, "*"),
    ] {
        let pattern = Pattern::parse("pattern", pattern).unwrap();
        let options = options()
            .with_max_entries(max_entries)
            .with_pattern(Some(pattern));
        let alone = seen(&scratch, &options, most, None);

        for helpers in [1, 7] {
            let together = seen(&scratch, &options, most, Some(helpers));

            assert!(together == alone, "{max_entries} {most} {helpers}");
        }
    }
}

#[test]
fn interrupted_walk_continues_without_helpers() {
    let scratch = large();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();
    let mut walk = workspace.walk("path", ".", &options(), &none).unwrap();
    let (mut found, path) = (Vec::new(), |entry: Entry| entry.into_path());

    let flow = walk.visit_with(
        0,
        || vec![(); 3],
        |entry| {
            found.push(path(entry));
            if found.len() == 100 {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        },
    );
    found.extend(walk.by_ref().map(path));

    let mut alone = workspace.walk("path", ".", &options(), &none).unwrap();
    let all: Vec<String> = alone.by_ref().map(path).collect();
    assert!(flow.is_break());
    assert!(found == all);
    assert!(!walk.truncated() && !alone.truncated());
}

#[test]
fn cancellation_stops_walk_with_helpers() {
    let scratch = large();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cancellation = CancellationToken::new();
    let mut walk = workspace
        .walk("path", ".", &options(), &cancellation)
        .unwrap();
    let mut count = 0;

    let flow = walk.visit_with(
        0,
        || vec![(); 2],
        |_| {
            count += 1;
            cancellation.cancel();
            ControlFlow::Continue(())
        },
    );

    assert!(flow.is_continue());
    assert_eq!((count, walk.truncated()), (1, true));
}

#[test]
fn walk_rereads_directories_that_failed_ahead() {
    let scratch = Scratch::new().file("a/x", "").file("a/y", "");
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cancellation = CancellationToken::new();
    let mut walk = workspace
        .walk("path", ".", &WalkOptions::files(), &cancellation)
        .unwrap();
    let step = walk.levels[0].next(&walk.plan, None).unwrap();
    let Children::Directory(task) = step.below else {
        panic!("`a` is a directory");
    };

    let entered = walk.enter_ahead(&Node::failed(task));

    assert!(entered.is_ok());
    let found: Vec<String> = walk.map(Entry::into_path).collect();
    assert_eq!(found, ["a/x", "a/y"]);
}
