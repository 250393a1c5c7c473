//! Entries of a repository at one commit.

use std::sync::Arc;

use tool_core::{ErrorCode, ToolContext, ToolError};
use tools_builtin::repository::{NOT_CONNECTED, RepositoryListing};
use tools_builtin::workspace::EntryKind;

use super::path::{components, join};
use super::repository::{Head, Repository};
use super::tree::{Node, Tree, entry, is_hidden, sorted};
use crate::door::Problem;

/// Maximum number of links on the way to a file.
const MAX_LINKS: usize = 8;
/// Maximum size of the target of a link.
const MAX_TARGET: usize = 4096;
/// Maximum number of directories that a truncated tree is listed by.
const MAX_DIRECTORIES: usize = 200;

/// Repository at one commit.
pub(super) struct Snapshot {
    pub(super) repository: Arc<Repository>,
    pub(super) head: Head,
    /// All entries, or `None` if the service truncates them.
    pub(super) tree: Option<Tree>,
}

/// Entry that a path leads to, and its path without links.
pub(super) struct Place {
    pub(super) path: String,
    pub(super) node: Node,
}

impl Snapshot {
    /// Returns an entry of a path without links before its last component.
    pub(super) async fn node(&self, path: &str, cx: &ToolContext) -> Result<Option<Node>, Problem> {
        if let Some(tree) = &self.tree {
            return Ok(tree.get(path).cloned());
        }
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut id = self.head.tree.clone().unwrap_or_default();
        for component in parent.split('/').filter(|name| !name.is_empty()) {
            let directory = self.repository.directory(&id, cx).await?;
            match directory.get(component) {
                Some(node) if node.kind == EntryKind::Directory => id.clone_from(&node.id),
                _ => return Ok(None),
            }
        }
        let directory = self.repository.directory(&id, cx).await?;
        Ok(directory.get(name).cloned())
    }

    /// Follows a path and its links.
    pub(super) async fn place(&self, path: &str, cx: &ToolContext) -> Result<Place, ToolError> {
        let mut rest = components(path)?;
        rest.reverse();
        let mut done: Vec<String> = Vec::new();
        let mut node = self.root();
        let mut links = 0;
        while let Some(component) = rest.pop() {
            if node.kind != EntryKind::Directory {
                return Err(missing());
            }
            let path = child(&done.join("/"), &component);
            node = self
                .node(&path, cx)
                .await
                .map_err(error)?
                .ok_or_else(missing)?;
            if node.kind != EntryKind::Link {
                done.push(component);
                continue;
            }
            links += 1;
            if links > MAX_LINKS {
                return Err(
                    ToolError::file_not_found("path", "has too many symbolic links")
                        .suggest("Use a path from a directory listing."),
                );
            }
            let target = self
                .repository
                .blob(&node.id, MAX_TARGET, cx)
                .await
                .map_err(error)?;
            let target = String::from_utf8_lossy(&target).into_owned();
            if target.starts_with('/') || target.len() > MAX_TARGET {
                return Err(ToolError::path_outside_workspace("path"));
            }
            let mut whole = join(done, &target)?;
            rest.reverse();
            whole.append(&mut rest);
            whole.reverse();
            (rest, done, node) = (whole, Vec::new(), self.root());
        }
        Ok(Place {
            path: done.join("/"),
            node,
        })
    }

    fn root(&self) -> Node {
        Node {
            kind: EntryKind::Directory,
            id: self.head.tree.clone().unwrap_or_default(),
            size: 0,
        }
    }

    /// Returns the path without links, the size and at least the first `limit` bytes of a file.
    pub(super) async fn file(
        &self,
        path: &str,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<(String, u64, Arc<Vec<u8>>), ToolError> {
        let place = self.place(path, cx).await?;
        if place.node.kind != EntryKind::File {
            return Err(
                ToolError::about(ErrorCode::NotAFile, "path", "is not a file")
                    .suggest("Use the path of a file."),
            );
        }
        let blob = self.repository.blob(&place.node.id, limit, cx).await;
        Ok((place.path, place.node.size, blob.map_err(error)?))
    }

    pub(super) async fn directory(&self, path: &str, cx: &ToolContext) -> Result<Place, ToolError> {
        let place = self.place(path, cx).await?;
        if place.node.kind == EntryKind::Directory {
            return Ok(place);
        }
        Err(
            ToolError::about(ErrorCode::NotADirectory, "path", "is not a directory")
                .suggest("Use the path of a directory."),
        )
    }

    pub(super) async fn folder(
        &self,
        place: &Place,
        cx: &ToolContext,
    ) -> Result<RepositoryListing, ToolError> {
        if let Some(tree) = &self.tree {
            return Ok(RepositoryListing {
                entries: tree.children(&place.path),
                truncated: false,
            });
        }
        let directory = self
            .repository
            .directory(&place.node.id, cx)
            .await
            .map_err(error)?;
        let entries = directory
            .all()
            .map(|(name, node)| entry(&child(&place.path, name), node));
        Ok(RepositoryListing {
            entries: sorted(entries.collect()),
            truncated: false,
        })
    }

    /// Returns the visible files below a directory.
    pub(super) async fn files(
        &self,
        place: &Place,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<RepositoryListing, ToolError> {
        let skipped = if place.path.is_empty() {
            0
        } else {
            place.path.len() + 1
        };
        let is_shown = |path: &str| !is_hidden(path.get(skipped..).unwrap_or_default());
        if let Some(tree) = &self.tree {
            let files = tree
                .below(&place.path)
                .filter(|(_, node)| node.kind == EntryKind::File);
            let shown = files.filter(|(path, _)| is_shown(path));
            let mut entries: Vec<_> = shown
                .take(limit.saturating_add(1))
                .map(|(path, node)| entry(path, node))
                .collect();
            let truncated = entries.len() > limit;
            entries.truncate(limit);
            return Ok(RepositoryListing { entries, truncated });
        }
        self.walked(place, limit, cx).await
    }

    /// Like [`files`](Self::files), but reads one directory after the other, for a truncated tree.
    async fn walked(
        &self,
        place: &Place,
        limit: usize,
        cx: &ToolContext,
    ) -> Result<RepositoryListing, ToolError> {
        let mut found = Vec::new();
        let mut open = vec![(place.path.clone(), place.node.id.clone())];
        let mut read = 0;
        while let Some((path, id)) = open.pop() {
            if read >= MAX_DIRECTORIES || found.len() > limit {
                open.push((path, id));
                break;
            }
            read += 1;
            let directory = self.repository.directory(&id, cx).await.map_err(error)?;
            for (name, node) in directory.all().filter(|(name, _)| !name.starts_with('.')) {
                let path = child(&path, name);
                match node.kind {
                    EntryKind::File => found.push(entry(&path, node)),
                    EntryKind::Directory => open.push((path, node.id.clone())),
                    _ => {}
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        let truncated = !open.is_empty() || found.len() > limit;
        found.truncate(limit);
        Ok(RepositoryListing {
            entries: found,
            truncated,
        })
    }
}

/// Returns the path of an entry of a directory.
fn child(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

fn missing() -> ToolError {
    ToolError::file_not_found("path", "does not exist")
        .suggest("Use a path from a directory listing.")
}

/// Returns the error for the model. A repository that cannot be read counts as not connected.
pub(super) fn error(problem: Problem) -> ToolError {
    if matches!(problem, Problem::NotFound(_)) {
        return not_connected().caused_by("the repository is missing or the token is rejected");
    }
    problem.into_error("GitHub")
}

pub(super) fn not_connected() -> ToolError {
    // The document prints this message without the final period that `ToolError` adds.
    let code = ErrorCode::Unavailable;
    ToolError::new(code.clone(), NOT_CONNECTED)
        .reworded(code, NOT_CONNECTED)
        .with_retryable(false)
}
