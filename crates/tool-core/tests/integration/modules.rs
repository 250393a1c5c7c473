//! The modules of the crate form layers without cyclic dependencies.

#![expect(
    clippy::unwrap_used,
    reason = "a file that cannot be read fails the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Uses = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if ["tests", "laws", "suite"].contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    files
}

/// Returns the code of a file without comments and tests, with whitespace collapsed.
fn code_of(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join(" ")
}

/// Returns the first names after each `prefix`, including names in a braced list.
fn names_after<'c>(code: &'c str, prefix: &str) -> Vec<&'c str> {
    let first = |path: &'c str| path.trim().split([':', ' ', ';', '(', ',']).next().unwrap();
    let mut names = Vec::new();
    for rest in code.split(prefix).skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => names.extend(list.split('}').next().unwrap().split(',').map(first)),
            None => names.push(
                rest.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next()
                    .unwrap(),
            ),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns the root modules that each module uses, by name or by a re-export of the root.
fn uses() -> Uses {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = code_of(&root.join("lib.rs"));
    let mut homes = BTreeMap::new();
    let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
    for exported in lib.split("pub use ").skip(1) {
        let mut rest = exported.split(';').next().unwrap();
        // One path, or a braced list of paths.
        while let Some((home, path)) = rest.split_once("::") {
            let home = home.trim_matches(|c| !is_in_word(c));
            let (names, more) = match path.strip_prefix('{') {
                Some(list) => list.split_once('}').unwrap(),
                None => path.split_once(',').unwrap_or((path, "")),
            };
            let words = names.split(|c| !is_in_word(c));
            homes.extend(words.map(|name| (name, home)));
            rest = more;
        }
    }
    let mut uses = Uses::new();
    for file in sources(&root) {
        let inside = file.strip_prefix(&root).unwrap().with_extension("");
        let module = inside.iter().next().unwrap().to_str().unwrap().to_owned();
        let code = code_of(&file);
        let names = names_after(&code, "crate::").into_iter();
        let modules = names.map(|name| (*homes.get(name).unwrap_or(&name)).to_owned());
        uses.entry(module).or_default().extend(modules);
    }
    uses
}

#[test]
fn modules_have_no_cyclic_dependencies() {
    let mut above = uses();
    above.remove("lib");
    assert!(above["registry"].contains("dispatch"), "{above:?}");

    // Remove modules that only depend on removed modules.
    loop {
        let left: BTreeSet<String> = above.keys().cloned().collect();
        above.retain(|own, used| used.iter().any(|name| name != own && left.contains(name)));
        if above.len() == left.len() {
            break;
        }
    }

    assert_eq!(above, Uses::new());
}
