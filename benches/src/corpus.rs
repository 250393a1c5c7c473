//! Trees created by `corpus.sh`.

use std::path::{Path, PathBuf};

/// Tree to list and to search.
#[derive(Debug, Clone)]
pub struct Tree {
    /// Name in the tables.
    pub name: &'static str,
    /// Path of the tree.
    pub path: PathBuf,
}

impl Tree {
    /// Returns the tree with this name, or prints how to create it.
    #[must_use]
    pub fn find(name: &'static str) -> Option<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../target/corpus")
            .join(name);
        if path.is_dir() {
            return Some(Self { name, path });
        }
        println!("skipped: the tree `{name}` is missing; create it with benches/corpus.sh");
        None
    }
}
