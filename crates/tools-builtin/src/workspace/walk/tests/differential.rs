//! Comparison with `rg`, if it is installed.

use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;

const NAMES: [&str; 8] = ["a", "b.rs", "c.log", ".d", "e f", "target", "src", "[x]"];

const LINES: [&str; 30] = [
    "*.log",
    "!c.log",
    "/a",
    "a/",
    "target/",
    "src/**",
    "**/b.rs",
    "a/**/c.log",
    "!a",
    "!.d",
    "*",
    "!*/",
    "!*.rs",
    "e f",
    "e f ",
    "e\\ f\\ ",
    "\\#x",
    "# comment",
    "",
    "   ",
    "\\[x\\]",
    "[x]",
    "[a-c]*",
    "{a,b.rs}",
    "src/a",
    "/src/*/a",
    "src",
    "**",
    "a/*",
    "[",
];

#[derive(Debug, Clone)]
struct Tree {
    files: Vec<String>,
    rules: Vec<(String, String)>,
}

fn path(depth: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), depth).prop_map(|parts| parts.join("/"))
}

fn rules() -> impl Strategy<Value = (String, String)> {
    let file = prop::sample::select(&[".gitignore", ".gitignore", ".ignore", ".rgignore"][..]);
    let destination =
        (path(0..3), file).prop_map(|(directory, file)| format!("{directory}/{file}"));
    let exclude = prop::sample::select(&["", "src"][..])
        .prop_map(|directory| format!("{directory}/.git/info/exclude"));
    let lines = prop::collection::vec(prop::sample::select(&LINES[..]), 1..5);
    let text = lines.prop_map(|lines| lines.join("\n"));
    (prop_oneof![4 => destination, 1 => exclude], text)
}

prop_compose! {
    fn tree()(
        files in prop::collection::vec(path(1..5), 1..25),
        rules in prop::collection::vec(rules(), 0..6),
    ) -> Tree {
        Tree { files, rules }
    }
}

/// Skips entries that cannot be created: a name cannot be both a file and a directory.
fn make(tree: &Tree) -> Scratch {
    let scratch = Scratch::new().folder(".git");
    let write = |path: &str, text: &str| {
        let path = scratch.path().join(path.trim_start_matches('/'));
        let created = path
            .parent()
            .is_some_and(|directory| std::fs::create_dir_all(directory).is_ok());
        if created && !path.is_dir() {
            let _ = std::fs::write(path, text);
        }
    };
    tree.files.iter().for_each(|path| write(path, "x\n"));
    tree.rules.iter().for_each(|(path, text)| write(path, text));
    scratch
}

fn listed_by_rg(scratch: &Scratch, hidden: bool) -> Vec<String> {
    let mut command = Command::new("rg");
    command
        .current_dir(scratch.path())
        .args([
            "--no-config",
            "--no-ignore-parent",
            "--no-ignore-global",
            "--files",
        ])
        .args(hidden.then_some("--hidden"))
        .stderr(Stdio::null());
    let output = command.output().unwrap();
    let mut paths: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(ToOwned::to_owned)
        .collect();
    paths.sort();
    paths
}

#[test]
fn lists_same_files_as_rg() {
    if Command::new("rg")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        return;
    }
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(64)
    };
    proptest!(config, |(tree in tree(), hidden: bool)| {
        let scratch = make(&tree);

        let ours = paths(&scratch, ".", &WalkOptions {
            hidden,
            ..WalkOptions::files()
        });

        prop_assert_eq!(ours, listed_by_rg(&scratch, hidden));
    });
}
