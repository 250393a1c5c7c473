//! Repository in a local directory.

use std::io::Read;

use async_trait::async_trait;
use tool_core::{CancellationToken, ErrorCode, ToolContext, ToolError};

use super::{
    RepositoryEntry, RepositoryFile, RepositoryHit, RepositoryListing, RepositoryQuery,
    RepositorySource,
};
use crate::blocking::blocking;
use crate::workspace::{Entry, EntryKind, WalkOptions, Workspace};

/// Repository in the first root of a workspace.
///
/// # Examples
/// See [`RepositorySource`].
#[derive(Debug, Clone)]
pub struct LocalRepository {
    workspace: Workspace,
}

impl LocalRepository {
    /// Creates a repository that reads only in `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace }
    }

    fn directory(&self, path: &str, limit: usize) -> Result<RepositoryListing, ToolError> {
        let directory = self.workspace.existing_dir("path", path)?;
        let (entries, complete) = directory.entries("path", limit)?;
        Ok(RepositoryListing {
            entries: entries.iter().map(described).collect(),
            truncated: !complete,
        })
    }

    fn files(
        &self,
        path: &str,
        limit: usize,
        cancellation: &CancellationToken,
    ) -> Result<RepositoryListing, ToolError> {
        let options = WalkOptions::files();
        let mut walk = self.workspace.walk("path", path, &options, cancellation)?;
        let entries: Vec<RepositoryEntry> = walk
            .by_ref()
            .take(limit)
            .map(|entry| described(&entry))
            .collect();
        let more = walk.next().is_some() || walk.truncated();
        if cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        Ok(RepositoryListing {
            entries,
            truncated: more,
        })
    }

    fn file(&self, path: &str, limit: u64) -> Result<RepositoryFile, ToolError> {
        let file = self.workspace.existing_file("path", path)?;
        let (path, size) = (file.path().to_owned(), file.len());
        let mut content = Vec::new();
        file.take(limit)
            .read_to_end(&mut content)
            .map_err(|error| {
                ToolError::about(ErrorCode::Failed, "path", "cannot be read").caused_by(error)
            })?;
        Ok(RepositoryFile {
            path,
            size: size.max(content.len() as u64),
            content,
        })
    }
}

#[async_trait]
impl RepositorySource for LocalRepository {
    async fn list_folder(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError> {
        let (source, path) = (self.clone(), path.to_owned());
        blocking(cx, move |_| source.directory(&path, limit)).await
    }

    async fn list_files(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: usize,
    ) -> Result<RepositoryListing, ToolError> {
        let (source, path) = (self.clone(), path.to_owned());
        blocking(cx, move |cancellation| {
            source.files(&path, limit, cancellation)
        })
        .await
    }

    async fn read_file(
        &self,
        cx: &ToolContext,
        path: &str,
        limit: u64,
    ) -> Result<RepositoryFile, ToolError> {
        let (source, path) = (self.clone(), path.to_owned());
        blocking(cx, move |_| source.file(&path, limit)).await
    }

    async fn search(
        &self,
        cx: &ToolContext,
        query: &RepositoryQuery,
    ) -> Result<Vec<RepositoryHit>, ToolError> {
        use serde_json::json;
        use tool_core::TypedTool;

        use crate::search::SearchCode;

        let input = json!({
            "query": query.text,
            "pattern": query.pattern.as_deref().unwrap_or("*"),
            "limit": query.limit,
        });
        let input = serde_json::from_value(input).map_err(|error| {
            ToolError::failed("The search could not be started").caused_by(error)
        })?;
        let tool = SearchCode::new(self.workspace.clone());
        let output = tool.run(cx, input).await?;
        let hits = output.matches.into_iter().map(|found| RepositoryHit {
            path: found.path,
            line: found.line,
            text: found.text,
        });
        Ok(hits.collect())
    }
}

fn described(entry: &Entry) -> RepositoryEntry {
    let kind = entry.kind();
    RepositoryEntry {
        path: entry.path().to_owned(),
        kind,
        size: if kind == EntryKind::File {
            entry.size()
        } else {
            0
        },
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::sync::Arc;

    use tool_test::Scratch;

    use super::*;
    use crate::repository::NotConnected;

    fn source() -> (Scratch, Arc<dyn RepositorySource>) {
        let scratch = Scratch::new()
            .file("src/b.rs", "fn Main() {}\n")
            .file("src/deep/a.rs", "main();\n")
            .file("README.md", "the main idea\n")
            .file(".hidden", "main")
            .link("src/out", "/etc");
        let workspace = Workspace::open(scratch.path()).unwrap();
        (scratch, Arc::new(LocalRepository::new(workspace)))
    }

    fn paths(listing: &RepositoryListing) -> Vec<(&str, EntryKind, u64)> {
        let entries = listing.entries.iter();
        entries
            .map(|entry| (entry.path.as_str(), entry.kind, entry.size))
            .collect()
    }

    #[tokio::test]
    async fn list_folder_returns_kinds_and_sizes() {
        let (_scratch, source) = source();

        let listing = source.list_folder(&ToolContext::test(), "src", 10).await;
        let cut = source.list_folder(&ToolContext::test(), "src", 1).await;

        let listing = listing.unwrap();
        assert_eq!(
            paths(&listing),
            [
                ("src/b.rs", EntryKind::File, 13),
                ("src/deep", EntryKind::Directory, 0),
                ("src/out", EntryKind::Link, 0)
            ]
        );
        assert!(!listing.truncated && cut.unwrap().truncated);
    }

    #[tokio::test]
    async fn list_files_is_recursive_and_limited() {
        let (_scratch, source) = source();

        let all = source
            .list_files(&ToolContext::test(), ".", 10)
            .await
            .unwrap();
        let cut = source
            .list_files(&ToolContext::test(), ".", 1)
            .await
            .unwrap();

        assert_eq!(
            paths(&all),
            [
                ("README.md", EntryKind::File, 14),
                ("src/b.rs", EntryKind::File, 13),
                ("src/deep/a.rs", EntryKind::File, 8)
            ]
        );
        assert_eq!(
            (all.truncated, cut.truncated, cut.entries.len()),
            (false, true, 1)
        );
    }

    #[tokio::test]
    async fn read_file_truncates_at_limit() {
        let (_scratch, source) = source();
        let cx = ToolContext::test();

        let file = source.read_file(&cx, "./README.md", 3).await.unwrap();

        assert_eq!((file.path.as_str(), file.size), ("README.md", 14));
        assert_eq!(
            (file.content.as_slice(), file.is_truncated()),
            (&b"the"[..], true)
        );
        for (path, code) in [
            ("src/out/passwd", "path_outside_workspace"),
            ("../x", "path_outside_workspace"),
            ("missing", "file_not_found"),
            ("src", "not_a_file"),
        ] {
            let error = source.read_file(&cx, path, 3).await.unwrap_err();

            assert_eq!(error.code().as_str(), code, "{path}");
        }
    }

    #[tokio::test]
    async fn search_ignores_case() {
        let (_scratch, source) = source();
        let query = RepositoryQuery::new("MAIN").with_pattern("*.rs");

        let hits = source.search(&ToolContext::test(), &query).await.unwrap();

        let hit = |path: &str, text: &str| RepositoryHit {
            path: path.to_owned(),
            line: 1,
            text: text.to_owned(),
        };
        assert_eq!(
            hits,
            [
                hit("src/b.rs", "fn Main() {}"),
                hit("src/deep/a.rs", "main();")
            ]
        );
        let one = query.with_limit(1);
        assert_eq!(
            source
                .search(&ToolContext::test(), &one)
                .await
                .unwrap()
                .len(),
            1
        );
    }

    #[tokio::test]
    async fn not_connected_returns_same_error_for_all_calls() {
        let source: Arc<dyn RepositorySource> = Arc::new(NotConnected);
        let cx = ToolContext::test();

        let errors = [
            source.list_folder(&cx, ".", 1).await.unwrap_err(),
            source.list_files(&cx, ".", 1).await.unwrap_err(),
            source.read_file(&cx, "a", 1).await.unwrap_err(),
            source
                .search(&cx, &RepositoryQuery::new("a"))
                .await
                .unwrap_err(),
        ];

        for error in errors {
            assert_eq!(error.message(), "No active GitHub connection found");
            assert_eq!(
                (error.code(), error.suggestion()),
                (&ErrorCode::Unavailable, None)
            );
        }
    }
}
