use tool_test::Scratch;

use super::*;

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
