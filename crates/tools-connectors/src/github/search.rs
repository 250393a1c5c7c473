//! Search in the content of files.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;
use tool_core::{ToolContext, ToolError};
use tools_builtin::repository::{RepositoryHit, RepositoryQuery};
use tools_builtin::workspace::{EntryKind, Pattern};

use super::repository::MAX_KEPT_BLOB;
use super::snapshot::{Snapshot, error};
use super::tarball;
use super::tree::{Node, is_hidden};
use crate::door::Problem;

/// Maximum number and bytes of files that are fetched one by one.
const FEW: usize = 60;
const FEW_BYTES: u64 = 2 * 1024 * 1024;
/// Largest repository that is fetched as an archive, in KB.
const MAX_ARCHIVE: u64 = 100 * 1024;
/// Number of files from the index that are searched.
const INDEXED: usize = 20;
/// Length of the beginning of a file that decides whether it is binary.
const BEGINNING: usize = 8192;
const LINE_CHARS: usize = 500;
const MAX_HITS: usize = 1000;

/// Valid search.
pub(super) struct Search {
    text: String,
    needle: String,
    pattern: Option<Pattern>,
    limit: usize,
}

type Contents = BTreeMap<String, Arc<Vec<u8>>>;

impl Search {
    pub(super) fn parse(query: &RepositoryQuery) -> Result<Self, ToolError> {
        if query.text.trim().is_empty() {
            return Err(ToolError::invalid_arguments("query", "is empty")
                .suggest("Pass the text to search for."));
        }
        let pattern = query.pattern.as_deref();
        Ok(Self {
            text: query.text.clone(),
            needle: query.text.to_lowercase(),
            pattern: pattern
                .map(|pattern| Pattern::parse("pattern", pattern))
                .transpose()?,
            limit: query.limit.min(MAX_HITS),
        })
    }

    /// Returns whether a file is searched.
    fn covers(&self, path: &str, node: &Node) -> bool {
        node.kind == EntryKind::File
            && node.size <= MAX_KEPT_BLOB as u64
            && !is_hidden(path)
            && self
                .pattern
                .as_ref()
                .is_none_or(|pattern| pattern.matches(path))
    }

    pub(super) async fn run(
        &self,
        snapshot: &Snapshot,
        cx: &ToolContext,
    ) -> Result<Vec<RepositoryHit>, ToolError> {
        let contents = self.contents(snapshot, cx).await.map_err(error)?;
        let mut hits = Vec::new();
        for (path, content) in &contents {
            self.find(path, content, &mut hits);
            if hits.len() >= self.limit {
                hits.truncate(self.limit);
                break;
            }
        }
        Ok(hits)
    }

    async fn contents(&self, snapshot: &Snapshot, cx: &ToolContext) -> Result<Contents, Problem> {
        let Some(tree) = &snapshot.tree else {
            return self.indexed(snapshot, cx).await;
        };
        let candidates: BTreeMap<String, Node> = tree
            .all()
            .filter(|(path, node)| self.covers(path, node))
            .map(|(path, node)| (path.to_owned(), node.clone()))
            .collect();
        let repository = &snapshot.repository;
        let missing = candidates
            .values()
            .filter(|node| !repository.blobs.has(&node.id));
        let (count, bytes) = missing.fold((0, 0), |(count, bytes), node| {
            (count + 1, bytes + node.size)
        });
        if count <= FEW && bytes <= FEW_BYTES {
            return fetched(snapshot, candidates, cx).await;
        }
        if repository.info(cx).await?.size <= MAX_ARCHIVE {
            return unpacked(snapshot, candidates, cx).await;
        }
        self.indexed(snapshot, cx).await
    }

    /// Reads the files that the index finds.
    async fn indexed(&self, snapshot: &Snapshot, cx: &ToolContext) -> Result<Contents, Problem> {
        cx.warn(
            "The repository is too large to read, so the index of GitHub was searched. It covers the default branch and \
             files under 384 KB, and ignores most punctuation.",
        );
        let mut paths = snapshot.repository.indexed(&self.text, cx).await?;
        paths.sort();
        paths.dedup();
        let mut candidates = BTreeMap::new();
        for path in paths {
            let node = snapshot.node(&path, cx).await?;
            if let Some(node) = node.filter(|node| self.covers(&path, node)) {
                candidates.insert(path, node);
            }
            if candidates.len() >= INDEXED {
                break;
            }
        }
        fetched(snapshot, candidates, cx).await
    }

    /// Adds the lines that contain the text, ignoring case.
    fn find(&self, path: &str, content: &[u8], hits: &mut Vec<RepositoryHit>) {
        let beginning = content.get(..BEGINNING).unwrap_or(content);
        if beginning.contains(&0) {
            return;
        }
        let text = String::from_utf8_lossy(content);
        for (number, line) in (1..).zip(text.lines()) {
            if hits.len() >= self.limit {
                return;
            }
            if line.to_lowercase().contains(&self.needle) {
                hits.push(RepositoryHit {
                    path: path.to_owned(),
                    line: number,
                    text: line.chars().take(LINE_CHARS).collect(),
                });
            }
        }
    }
}

/// Fetches files one by one.
async fn fetched(
    snapshot: &Snapshot,
    candidates: BTreeMap<String, Node>,
    cx: &ToolContext,
) -> Result<Contents, Problem> {
    let mut running = JoinSet::new();
    for (path, node) in candidates {
        let (repository, cx) = (Arc::clone(&snapshot.repository), cx.clone());
        running.spawn(async move {
            let blob = repository.blob(&node.id, MAX_KEPT_BLOB, &cx).await;
            blob.map(|blob| (path, blob))
        });
    }
    let mut contents = Contents::new();
    while let Some(read) = running.join_next().await {
        let (path, blob) = read.map_err(|_| Problem::InvalidResponse)??;
        contents.insert(path, blob);
    }
    Ok(contents)
}

/// Fetches all files as an archive.
async fn unpacked(
    snapshot: &Snapshot,
    candidates: BTreeMap<String, Node>,
    cx: &ToolContext,
) -> Result<Contents, Problem> {
    let packed = snapshot
        .repository
        .tarball(&snapshot.head.commit, cx)
        .await?;
    let repository = Arc::clone(&snapshot.repository);
    let unpack = move || {
        let mut contents = Contents::new();
        let is_wanted =
            |path: &str, size: u64| candidates.get(path).is_some_and(|node| node.size == size);
        tarball::files(&packed, is_wanted, |path, content| {
            let content = Arc::new(content);
            if let Some(node) = candidates.get(path) {
                repository
                    .blobs
                    .put(&node.id, Arc::clone(&content), content.len());
            }
            contents.insert(path.to_owned(), content);
        })?;
        Ok::<_, std::io::Error>(contents)
    };
    let contents = tokio::task::spawn_blocking(unpack).await;
    contents
        .map_err(|_| Problem::InvalidResponse)?
        .map_err(|_| Problem::InvalidResponse)
}
