//! The trees that `corpus.sh` builds.

use std::path::{Path, PathBuf};

/// A tree to list and to search.
#[derive(Debug, Clone)]
pub struct Tree {
    /// What it is called in the tables.
    pub name: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

impl Tree {
    /// The tree of this name, if it was built; says how to build it otherwise.
    #[must_use]
    pub fn find(name: &'static str) -> Option<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../target/corpus")
            .join(name);
        if path.is_dir() {
            return Some(Self { name, path });
        }
        println!("skipped: there is no `{name}` tree; benches/corpus.sh builds it");
        None
    }
}
