//! `tests/public_api/left.md` agrees with the snapshots of the public API.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Returns the paths of all functions and types in the snapshots.
fn public_items(folder: &Path) -> BTreeSet<String> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let snapshots =
        files.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let mut items = BTreeSet::new();
    for snapshot in snapshots {
        // Methods of generic types are listed without the parameters.
        let text = fs::read_to_string(&snapshot)
            .unwrap()
            .replace("<T>::", "::");
        let paths = text.lines().flat_map(|line| line.split([' ', '(', '<']));
        // Other crates name an item by the module that defines it, which may be private.
        let own = snapshot
            .file_stem()
            .unwrap()
            .to_string_lossy()
            .replace('-', "_")
            + "::";
        items.extend(
            paths
                .filter(|word| word.starts_with(&own))
                .map(|word| word.trim_end_matches(':').to_owned()),
        );
    }
    items
}

#[test]
fn items_that_left_have_existing_replacements() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("public_api");
    let items = public_items(&folder);
    let text = fs::read_to_string(folder.join("left.md")).unwrap();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 70, "{} rows", rows.len());

    for row in rows {
        let (old, new) = (row[1].trim_matches('`'), row[2]);
        assert!(!items.contains(old), "{old} is still public");
        assert!(
            new.starts_with("gone: ") || items.contains(new.trim_matches('`')),
            "{new}, which replaces {old}, is not public"
        );
    }
}
