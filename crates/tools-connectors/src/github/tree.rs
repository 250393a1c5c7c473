//! Entries of a commit.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use tools_builtin::repository::RepositoryEntry;
use tools_builtin::workspace::EntryKind;

/// Tree as returned by the service.
#[derive(Debug, Deserialize)]
pub(super) struct WireTree {
    pub(super) tree: Vec<WireEntry>,
    #[serde(default)]
    pub(super) truncated: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct WireEntry {
    path: String,
    mode: String,
    sha: String,
    size: Option<u64>,
}

/// Entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) kind: EntryKind,
    pub(super) id: String,
    pub(super) size: u64,
}

/// Entries by their path: of a complete tree, or of one directory.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    nodes: Arc<BTreeMap<String, Node>>,
    pub(super) bytes: usize,
}

impl Tree {
    /// Reads the entries. Unsafe names and IDs are omitted.
    pub(super) fn of(wire: WireTree) -> Self {
        let mut nodes = BTreeMap::new();
        let mut bytes = 0;
        for entry in wire.tree {
            let is_id = !entry.sha.is_empty()
                && entry.sha.len() <= 64
                && entry.sha.bytes().all(|byte| byte.is_ascii_hexdigit());
            let mut names = entry.path.split('/');
            if !is_id || names.any(|name| matches!(name, "" | "." | "..")) {
                continue;
            }
            let kind = match entry.mode.as_str() {
                "100644" | "100755" | "100664" => EntryKind::File,
                "120000" => EntryKind::Link,
                "040000" | "40000" => EntryKind::Directory,
                _ => EntryKind::Other,
            };
            bytes += entry.path.len() + entry.sha.len() + 100;
            let size = entry.size.filter(|_| kind == EntryKind::File).unwrap_or(0);
            let node = Node {
                kind,
                id: entry.sha,
                size,
            };
            nodes.insert(entry.path, node);
        }
        Self {
            nodes: Arc::new(nodes),
            bytes,
        }
    }

    pub(super) fn get(&self, path: &str) -> Option<&Node> {
        self.nodes.get(path)
    }

    /// Returns all entries, sorted by the bytes of their paths.
    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.nodes.iter().map(|(path, node)| (path.as_str(), node))
    }

    /// Returns the entries below a directory. The root is an empty string.
    pub(super) fn below<'t>(
        &'t self,
        directory: &str,
    ) -> impl Iterator<Item = (&'t str, &'t Node)> {
        let prefix = match directory {
            "" => String::new(),
            directory => format!("{directory}/"),
        };
        let found = self.nodes.range(prefix.clone()..);
        found
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(|(path, node)| (path.as_str(), node))
    }

    /// Returns the entries of one directory.
    pub(super) fn children(&self, directory: &str) -> Vec<RepositoryEntry> {
        let skipped = match directory {
            "" => 0,
            directory => directory.len() + 1,
        };
        let below = self.below(directory);
        let own =
            below.filter(|(path, _)| path.get(skipped..).is_some_and(|name| !name.contains('/')));
        sorted(own.map(|(path, node)| entry(path, node)).collect())
    }
}

/// Sorts entries by the bytes of their paths, like a walk does: directories as if they ended with `/`.
pub(super) fn sorted(mut entries: Vec<RepositoryEntry>) -> Vec<RepositoryEntry> {
    let key = |entry: &RepositoryEntry| match entry.kind {
        EntryKind::Directory => format!("{}/", entry.path),
        _ => entry.path.clone(),
    };
    entries.sort_by_cached_key(key);
    entries
}

/// Returns the entry for a listing.
pub(super) fn entry(path: &str, node: &Node) -> RepositoryEntry {
    RepositoryEntry {
        path: path.to_owned(),
        kind: node.kind,
        size: node.size,
    }
}

/// Returns whether a component begins with a dot.
pub(super) fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.'))
}
