//! Search in the content of files.

mod found;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tool_core::{ToolContext, ToolError};
use tools_builtin::repository::{RepositoryHit, RepositoryQuery};
use tools_builtin::workspace::{EntryKind, Pattern};

use self::found::Found;
use super::repository::{MAX_KEPT_BLOB, Repository};
use super::snapshot::{Snapshot, error};
use super::tarball::{self, Chunks};
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
/// Number of chunks of an archive that may wait to be unpacked.
const CHUNKS: usize = 8;
const LINE_CHARS: usize = 500;
const MAX_HITS: usize = 1000;

/// Valid search.
pub(super) struct Search {
    text: String,
    needle: String,
    pattern: Option<Pattern>,
    limit: usize,
}

/// Files to search by their path.
type Candidates = BTreeMap<String, Node>;

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
        self,
        snapshot: &Snapshot,
        cx: &ToolContext,
    ) -> Result<Vec<RepositoryHit>, ToolError> {
        let found = Arc::new(self).found(snapshot, cx).await;
        Ok(found.map_err(error)?.into_hits())
    }

    async fn found(
        self: Arc<Self>,
        snapshot: &Snapshot,
        cx: &ToolContext,
    ) -> Result<Found, Problem> {
        let Some(tree) = &snapshot.tree else {
            return self.indexed(snapshot, cx).await;
        };
        let candidates: Candidates = tree
            .all()
            .filter(|(path, node)| self.covers(path, node))
            .map(|(path, node)| (path.to_owned(), node.clone()))
            .collect();
        let repository = &snapshot.repository;
        if are_few(&candidates, repository) {
            return self.fetched(snapshot, candidates, cx).await;
        }
        if repository.info(cx).await?.size <= MAX_ARCHIVE {
            return self.unpacked(snapshot, candidates, cx).await;
        }
        self.indexed(snapshot, cx).await
    }

    /// Reads the files that the index finds.
    async fn indexed(&self, snapshot: &Snapshot, cx: &ToolContext) -> Result<Found, Problem> {
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
        self.fetched(snapshot, candidates, cx).await
    }

    /// Fetches files one by one.
    async fn fetched(
        &self,
        snapshot: &Snapshot,
        candidates: Candidates,
        cx: &ToolContext,
    ) -> Result<Found, Problem> {
        let mut running = JoinSet::new();
        for (path, node) in candidates {
            let (repository, cx) = (Arc::clone(&snapshot.repository), cx.clone());
            running.spawn(async move {
                let blob = repository.blob(&node.id, MAX_KEPT_BLOB, &cx).await;
                blob.map(|blob| (path, blob))
            });
        }
        let mut found = Found::new(self.limit);
        while let Some(read) = running.join_next().await {
            let (path, blob) = read.map_err(|_| Problem::InvalidResponse)??;
            found.add(self.hits(&path, &blob));
        }
        Ok(found)
    }

    /// Fetches all files as an archive, and searches each one when it is received.
    async fn unpacked(
        self: Arc<Self>,
        snapshot: &Snapshot,
        candidates: Candidates,
        cx: &ToolContext,
    ) -> Result<Found, Problem> {
        let (sender, receiver) = mpsc::channel(CHUNKS);
        let (search, repository) = (Arc::clone(&self), Arc::clone(&snapshot.repository));
        let unpack = move || search.unpack(Chunks::new(receiver), candidates, &repository);
        let unpacking = tokio::task::spawn_blocking(unpack);
        let commit = &snapshot.head.commit;
        snapshot.repository.tarball(commit, sender, cx).await?;
        let unpacked = unpacking.await.map_err(|_| Problem::InvalidResponse)?;
        let (mut found, missing) = unpacked.map_err(|_| Problem::InvalidResponse)?;
        if are_few(&missing, &snapshot.repository) {
            found.merge(self.fetched(snapshot, missing, cx).await?);
        } else {
            cx.warn(format!(
                "The archive of the repository omits {} files, which were not searched.",
                missing.len()
            ));
        }
        Ok(found)
    }

    /// Searches the candidates in an archive. Returns also those that the archive omits, as the
    /// attributes of the repository can require.
    fn unpack(
        &self,
        packed: Chunks,
        mut candidates: Candidates,
        repository: &Repository,
    ) -> io::Result<(Found, Candidates)> {
        let (mut found, mut read) = (Found::new(self.limit), BTreeSet::new());
        let is_wanted =
            |path: &str, size: u64| candidates.get(path).is_some_and(|node| node.size == size);
        tarball::files(packed, is_wanted, |path, content| {
            let content = Arc::new(repository.scrubbed(content));
            if let Some(node) = candidates.get(path) {
                let size = content.len();
                repository.blobs.put(&node.id, Arc::clone(&content), size);
            }
            found.add(self.hits(path, &content));
            read.insert(path.to_owned());
        })?;
        candidates.retain(|path, _| !read.contains(path));
        Ok((found, candidates))
    }

    /// Returns the lines that contain the text, ignoring case.
    fn hits(&self, path: &str, content: &[u8]) -> Vec<RepositoryHit> {
        let beginning = content.get(..BEGINNING).unwrap_or(content);
        if beginning.contains(&0) {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(content);
        let lines = (1..).zip(text.lines());
        let matching = lines.filter(|(_, line)| line.to_lowercase().contains(&self.needle));
        let hits = matching.map(|(line, text)| RepositoryHit {
            path: path.to_owned(),
            line,
            text: text.chars().take(LINE_CHARS).collect(),
        });
        hits.take(self.limit).collect()
    }
}

/// Returns whether the files that are not known can be fetched one by one.
fn are_few(candidates: &Candidates, repository: &Repository) -> bool {
    let missing = candidates
        .values()
        .filter(|node| !repository.blobs.has(&node.id));
    let (count, bytes) = missing.fold((0, 0), |(count, bytes), node| {
        (count + 1, bytes + node.size)
    });
    count <= FEW && bytes <= FEW_BYTES
}
