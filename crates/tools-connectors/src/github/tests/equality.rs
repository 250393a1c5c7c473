//! Equality with a local repository.

use proptest::collection::btree_map;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;

/// Compares every operation for all directories and files.
async fn check_equality(files: BTreeMap<String, String>) {
    let mut scratch = Scratch::new();
    for (path, content) in &files {
        scratch = scratch.file(path, content);
    }
    let local = LocalRepository::new(Workspace::open(scratch.path()).unwrap());
    let entries = files
        .iter()
        .map(|(path, content)| (path.clone(), "100644", content.clone().into_bytes()));
    let server = server(entries.collect(), false).await;
    let remote = source(&server);
    let cx = ToolContext::test();
    let mut directories = vec![".".to_owned()];
    for path in files.keys() {
        let parents = path
            .match_indices('/')
            .map(|(end, _)| path[..end].to_owned());
        directories.extend(parents);
        for limit in [5, 1000] {
            let both = (
                local.read_file(&cx, path, limit).await.unwrap(),
                remote.read_file(&cx, path, limit).await.unwrap(),
            );
            assert_eq!(both.0, both.1, "{path}");
        }
    }
    for path in &directories {
        let both = (
            local.list_folder(&cx, path, 100).await.unwrap(),
            remote.list_folder(&cx, path, 100).await.unwrap(),
        );
        assert_eq!(both.0, both.1, "{path}");
        let both = (
            local.list_files(&cx, path, 100).await.unwrap(),
            remote.list_files(&cx, path, 100).await.unwrap(),
        );
        assert_eq!(both.0, both.1, "{path}");
        // The selection of a truncated listing is not defined.
        let both = (
            local.list_folder(&cx, path, 1).await.unwrap(),
            remote.list_folder(&cx, path, 1).await.unwrap(),
        );
        let both = [both.0, both.1].map(|listing| (listing.entries.len(), listing.truncated));
        assert_eq!(both[0], both[1], "{path}");
    }
    // Files are read from the tree now.
    for path in files.keys() {
        let both = (
            local.read_file(&cx, path, 1000).await.unwrap(),
            remote.read_file(&cx, path, 1000).await.unwrap(),
        );
        assert_eq!(both.0, both.1, "{path}");
    }
    for query in ["a", "B\u{e4}", "x y"] {
        let query = RepositoryQuery::new(query).with_limit(1000);
        let both = (
            local.search(&cx, &query).await.unwrap(),
            remote.search(&cx, &query).await.unwrap(),
        );
        assert_eq!(both.0, both.1, "{query:?}");
    }
}

/// Returns whether no path is a directory of another one.
fn is_tree(files: &BTreeMap<String, String>) -> bool {
    let is_parent = |path: &String| {
        let prefix = format!("{path}/");
        files.keys().any(|other| other.starts_with(&prefix))
    };
    !files.keys().any(is_parent)
}

#[test]
fn equals_local_repository() {
    let config = Config {
        cases: 16,
        failure_persistence: None,
        ..Config::default()
    };
    let files = btree_map(
        "(\\.?[a-c]{1,2}(-d)?/){0,3}\\.?[a-d]{1,2}(\\.rs|-)?",
        "([aAbB\u{e4} xy]{0,6}\n){0,4}",
        1..12,
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(config);
    runner
        .run(&files.prop_filter("a tree", is_tree), |files| {
            runtime.block_on(check_equality(files));
            Ok(())
        })
        .unwrap();
}
