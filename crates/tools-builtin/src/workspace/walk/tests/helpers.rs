//! A walk with helpers returns the same as a walk without helpers.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Observable behavior of a walk: files in order, with sizes, and its status.
#[derive(Debug, PartialEq, Eq)]
struct WalkResult {
    found: Vec<FoundFile>,
    truncated: bool,
    unreadable: usize,
    skipped: Option<String>,
}

fn options() -> WalkOptions {
    WalkOptions {
        counts_skipped: true,
        ..WalkOptions::kinds([EntryKind::File, EntryKind::Link])
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as walks call it")]
fn size_of(entry: &Entry) -> Option<u64> {
    let depth = u64::try_from(entry.depth()).unwrap();
    match entry.kind() {
        EntryKind::File => Some(entry.size() + 1000 * depth),
        _ => Some(0),
    }
}

/// Walks with so many helpers after `alone` entries; `None` if there were too many entries for that.
fn together(
    scratch: &Scratch,
    options: &WalkOptions,
    alone: usize,
    helpers: usize,
) -> Option<WalkResult> {
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();
    let mut walk = workspace.walk("path", ".", options, &none).unwrap();
    let mut found = Vec::new();
    let is_complete = walk.find_alone(alone, usize::MAX, &size_of, &mut found)
        || walk.find_together(vec![(); helpers], &size_of, &mut found);
    is_complete.then(|| result(found, &walk, &workspace))
}

fn alone(scratch: &Scratch, options: &WalkOptions) -> WalkResult {
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();
    let mut walk = workspace.walk("path", ".", options, &none).unwrap();
    let found = walk.by_ref().map(|entry| {
        let size = size_of(&entry).unwrap();
        (entry.into_path(), size)
    });
    let found = found.collect();
    result(found, &walk, &workspace)
}

fn result(found: Vec<FoundFile>, walk: &Walk, workspace: &Workspace) -> WalkResult {
    let skipped = walk.skipped(workspace);
    WalkResult {
        found,
        truncated: walk.truncated(),
        unreadable: walk.unreadable(),
        skipped: skipped.map(|skipped| skipped.warning("pattern")),
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
        first in 0_usize..20,
        helpers in 0_usize..4,
    )| {
        let scratch = make(&tree);
        let options = WalkOptions {
            hidden,
            ignored,
            max_depth,
            max_entries,
            ..options()
        };

        let alone = alone(&scratch, &options);

        match together(&scratch, &options, first, helpers) {
            Some(together) => prop_assert_eq!(together, alone),
            None => prop_assert!(alone.truncated),
        }
    });
}

/// Creates many directories, some nested, and one with many names.
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
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();
    for (max_entries, limit, pattern) in [
        (1_000_000, usize::MAX, "*"),
        (1_000_000, usize::MAX, "**/*.rs"),
        (1_000_000, 300, "*"),
        (1000, usize::MAX, "*"),
        (300, usize::MAX, "*"),
    ] {
        let pattern = Pattern::parse("pattern", pattern).unwrap();
        let options = WalkOptions {
            max_entries,
            pattern: Some(pattern),
            ..options()
        };
        let mut expected = alone(&scratch, &options);
        for helpers in [1, 7] {
            if let Some(found) = together(&scratch, &options, 0, helpers) {
                assert!(found == expected, "{max_entries} {helpers}");
            } else {
                assert!(expected.truncated, "{max_entries} {helpers}");
            }
        }

        let found = workspace.find("path", ".", &options, &none, limit, size_of);

        expected.found.truncate(limit);
        let (found, walk) = found.unwrap();
        assert!(found == expected.found, "{max_entries} {limit}");
        assert!(limit == 300 || walk.truncated() == expected.truncated);
    }
}

#[test]
fn cancellation_stops_walk_with_helpers() {
    let scratch = large();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let cancellation = CancellationToken::new();
    let mut walk = workspace
        .walk("path", ".", &options(), &cancellation)
        .unwrap();
    let mut found = Vec::new();
    let size_of = |_: &Entry| {
        cancellation.cancel();
        Some(0)
    };

    let is_complete = walk.find_together(vec![(); 2], &size_of, &mut found);

    assert!(is_complete && walk.truncated());
    assert!(found.len() < 450, "{}", found.len());
}

#[test]
fn panic_of_a_helper_is_passed_on() {
    let scratch = large();
    let workspace = Workspace::open(scratch.path()).unwrap();
    let none = CancellationToken::new();
    let mut walk = workspace.walk("path", ".", &options(), &none).unwrap();
    let size_of = |entry: &Entry| -> Option<u64> {
        assert!(entry.depth() < 2, "a panic");
        Some(0)
    };

    let walked =
        std::panic::AssertUnwindSafe(|| walk.find_together(vec![(); 2], &size_of, &mut Vec::new()));

    assert!(std::panic::catch_unwind(walked).is_err());
}
