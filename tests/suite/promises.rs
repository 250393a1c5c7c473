//! `tests/promises.md` names tests that exist.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Collects the names of all functions in the sources below `folder`.
fn add_functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("fixtures") && !path.ends_with("target") {
            add_functions(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let functions = text.split("fn ").skip(1);
            let name = |rest: &str| {
                rest.split(|c: char| !c.is_alphanumeric() && c != '_')
                    .next()
                    .map(str::to_owned)
            };
            names.extend(functions.filter_map(name));
        }
    }
}

#[test]
fn promises_name_existing_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut functions = BTreeSet::new();
    add_functions(&root.join("crates"), &mut functions);
    add_functions(&root.join("tests"), &mut functions);
    let text = fs::read_to_string(root.join("tests/promises.md")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    assert!(rows.len() > 100, "{} rows", rows.len());

    for row in rows {
        let tests = row.split(" | ").nth(1).unwrap_or_default();
        // Names of tests have several words; other code in the column, such as `reqwest`, has one.
        for name in tests.split('`').skip(1).step_by(2).filter(|name| {
            name.contains('_')
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        }) {
            assert!(
                functions.contains(name) || name == "unsafe_code",
                "`{name}` does not exist: {row}"
            );
        }
    }
}
