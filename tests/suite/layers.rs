//! Dependencies between crates and dependency budgets.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Workspace crates that each library crate may depend on.
const ALLOWED: [(&str, &[&str]); 16] = [
    (
        "toolwright",
        &[
            "agent-loop",
            "provider-adapters",
            "tool-core",
            "tool-ledger",
            "tool-macros",
            "tool-mcp",
            "tool-remote",
            "tool-test",
            "tools-builtin",
            "tools-connectors",
        ],
    ),
    ("html-text", &["tool-json"]),
    ("office-text", &[]),
    ("process-tree", &[]),
    ("shell-verdict", &["tool-json"]),
    ("tool-json", &[]),
    ("tool-macros", &[]),
    ("tool-core", &["tool-json", "tool-macros"]),
    (
        "tools-builtin",
        &[
            "html-text",
            "office-text",
            "process-tree",
            "shell-verdict",
            "tool-core",
            "tool-json",
        ],
    ),
    ("provider-adapters", &["tool-core", "tool-json"]),
    ("tool-test", &["tool-core"]),
    (
        "agent-loop",
        &["provider-adapters", "tool-core", "tool-json"],
    ),
    ("tool-mcp", &["process-tree", "tool-core", "tool-json"]),
    ("tool-ledger", &["tool-core"]),
    ("tool-remote", &["tool-core"]),
    (
        "tools-connectors",
        &["html-text", "tool-core", "tool-json", "tools-builtin"],
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are in the workspace")
        .to_owned()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    serde_json::from_slice(&output.stdout).expect("cargo prints JSON")
}

/// Returns the names of the packages that `package` depends on, except in tests.
fn dependencies(package: &Value) -> BTreeSet<String> {
    let dependencies = package["dependencies"].as_array().expect("a list");
    dependencies
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn crates_depend_only_on_allowed_crates() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list");
    let ours: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).collect();

    let crates = fs::read_dir(root().join("crates"))
        .expect("there are crates")
        .count();
    // The facade is the root.
    assert_eq!(
        crates + 1,
        ALLOWED.len(),
        "a crate is missing in the table of layers"
    );
    for (name, allowed) in ALLOWED {
        let package = packages
            .iter()
            .find(|package| package["name"] == name)
            .expect(name);
        let known = dependencies(package);
        let own: BTreeSet<&str> = ours
            .iter()
            .copied()
            .filter(|own| known.contains(*own))
            .collect();

        assert_eq!(own, allowed.iter().copied().collect(), "{name}");
    }
}

/// Returns the edges of [`ALLOWED`] as the Mermaid graph in `ARCHITECTURE.md`, without edges that
/// follow from others.
fn crate_graph() -> String {
    let direct = |name: &str| {
        ALLOWED
            .iter()
            .find(|(of, _)| *of == name)
            .map_or(&[][..], |row| row.1)
    };
    let mut graph = String::from("```mermaid\ngraph TD\n");
    for (name, allowed) in ALLOWED {
        for used in allowed {
            let is_implied = allowed.iter().any(|other| direct(other).contains(used));
            if !is_implied {
                writeln!(graph, "  {name} --> {used}").expect("strings accept all text");
            }
        }
    }
    graph + "```\n"
}

/// `UPDATE_GOLDEN=1` replaces the graph.
#[test]
fn architecture_shows_crate_graph() {
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).expect("the file is readable");
    let (before, rest) = text.split_once("```mermaid\n").expect("there is a graph");
    let (_, after) = rest.split_once("```\n").expect("the graph ends");
    let expected = format!("{before}{}{after}", crate_graph());

    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &expected).expect("the file is writable");
        return;
    }
    assert!(
        text == expected,
        "the crate graph in ARCHITECTURE.md is outdated; run with UPDATE_GOLDEN=1"
    );
}

/// Returns the packages that `package` needs with these features, each with its version.
fn tree(package: &str, features: &[&str]) -> BTreeSet<String> {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "-p", package, "-e", "normal,build"])
        .args(["--prefix", "none", "--no-dedupe"])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .args(features)
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(tree.stdout).expect("names are UTF-8");
    text.lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

fn has(crates: &BTreeSet<String>, name: &str) -> bool {
    let prefix = format!("{name} v");
    crates.iter().any(|package| package.starts_with(&prefix))
}

#[test]
fn first_program_has_few_dependencies() {
    // A tool, and an agent with a model over HTTPS, as in the README.
    let used = tree("toolwright", &["--features", "http"]).len();

    assert!((1..=176).contains(&used), "{used} crates, at most 176");
}

#[test]
fn mcp_has_few_dependencies() {
    for (features, most) in [
        // Five of them are for the seals of request states.
        (&[][..], 128),
        (&["--features", "http-client"], 210),
    ] {
        let used = tree("tool-mcp", features).len().saturating_sub(1);

        assert!(
            (1..=most).contains(&used),
            "{used} crates with {features:?}, at most {most}"
        );
    }
}

#[test]
fn connectors_have_few_dependencies() {
    for (features, most) in [
        (&["--no-default-features"][..], 142),
        (&["--no-default-features", "--features", "linkedin"], 160),
        (&["--no-default-features", "--features", "github"], 215),
        // Four of them are html5ever and what it needs.
        (&["--no-default-features", "--features", "google"], 197),
        (&["--all-features"], 252),
    ] {
        let used = tree("tools-connectors", features).len().saturating_sub(1);

        assert!(
            (1..=most).contains(&used),
            "{used} crates with {features:?}, at most {most}"
        );
    }
}

#[test]
fn workers_have_few_dependencies() {
    let used = tree("tool-remote", &[]).len().saturating_sub(1);

    assert!((1..=197).contains(&used), "{used} crates, at most 197");
}

#[test]
fn only_one_module_uses_each_protocol_library() {
    for (library, name, module) in [
        ("rmcp", "tool-mcp", "wire"),
        ("async_nats", "tool-remote", "nats"),
    ] {
        let source = root().join("crates").join(name).join("src");
        let mut folders = vec![source.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.with_extension("").starts_with(source.join(module)) {
                    let text = fs::read_to_string(&path).expect("text");

                    assert!(!text.contains(library), "{}", path.display());
                }
            }
        }
    }
}

#[test]
fn core_has_few_dependencies() {
    for (features, most) in [
        (&["--no-default-features"][..], 30),
        (&["--no-default-features", "--features", "typed"], 52),
        (&[], 98),
    ] {
        let crates = tree("tool-core", features);

        assert!(
            !crates.is_empty() && crates.len() <= most,
            "{} crates with {features:?}, at most {most}",
            crates.len()
        );
        for heavy in ["reqwest", "rustls", "ignore", "process-wrap", "cc"] {
            assert!(!has(&crates, heavy), "{heavy}");
        }
    }
}

#[test]
fn adapters_use_core_without_default_features() {
    let crates = tree("provider-adapters", &[]);

    assert!(
        has(&crates, "tool-core") && crates.len() <= 31,
        "{crates:#?}"
    );
    for default in ["jsonschema", "schemars", "regex", "sha2", "getrandom"] {
        assert!(!has(&crates, default), "{default}");
    }
}

#[test]
fn every_crate_forbids_unsafe_code() {
    let crates = fs::read_dir(root().join("crates")).expect("there are crates");
    let manifests = crates.map(|entry| entry.expect("an entry").path().join("Cargo.toml"));
    for manifest in manifests.chain([root().join("Cargo.toml")]) {
        let text = fs::read_to_string(&manifest).expect("text");
        let is_inherited = text.contains("[lints]\nworkspace = true");

        assert!(
            is_inherited || text.contains("[lints.rust]\nunsafe_code = \"forbid\""),
            "{}",
            manifest.display()
        );
    }
}

#[test]
fn packages_contain_no_test_data() {
    for (name, _) in ALLOWED {
        let list = Command::new(env!("CARGO"))
            .args([
                "package",
                "--list",
                "--allow-dirty",
                "--offline",
                "-p",
                name,
            ])
            .current_dir(root())
            .output()
            .expect("cargo runs");
        let text = String::from_utf8(list.stdout).expect("paths are UTF-8");

        assert!(
            text.contains("README.md") && text.contains("src/lib.rs"),
            "{name}: {text}"
        );
        assert!(
            !text.lines().any(|path| path.contains("fixtures")),
            "{name}: {text}"
        );
    }
}

#[test]
fn files_have_at_most_500_lines() {
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
        {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "rs") {
                let lines = fs::read_to_string(&entry).expect("text").lines().count();

                assert!(lines <= 500, "{} has {lines} lines", entry.display());
            }
        }
    }
}
