//! Files of a repository whose archive is too large, one request each.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;
use serde::Deserialize;
use tool_core::{ErrorCode, ToolContext, ToolError};
use tools_builtin::repository::{RepositoryEntry, RepositoryFile, RepositoryListing};
use tools_builtin::workspace::EntryKind;

use super::repository::{Repository, check, error, json};
use crate::arguments::require;
use crate::door::Request;

/// Maximum number of entries that the service returns for a directory.
const MAX_ENTRIES: usize = 1000;
const MAX_PATH: usize = 4096;
const RAW: HeaderValue = HeaderValue::from_static("application/vnd.github.raw+json");

/// Response of the service: a list for a directory.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Wire {
    Directory(Vec<WireEntry>),
    Entry(WireEntry),
}

#[derive(Debug, Deserialize)]
struct WireEntry {
    path: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    size: u64,
    /// Content as base64 with newlines, of files up to 1 MB.
    #[serde(default)]
    content: String,
}

impl Repository {
    fn contents(&self, path: &str, commit: &str) -> Result<Request, ToolError> {
        let components = components(path)?;
        let segments: Vec<&str> = ["contents"].into_iter().chain(components).collect();
        Ok(self.request("contents", &segments).query("ref", commit))
    }

    async fn entry(&self, path: &str, commit: &str, cx: &ToolContext) -> Result<Wire, ToolError> {
        let request = self.contents(path, commit)?;
        let response = self.send(request, cx).await.map_err(error)?;
        if response.status.as_u16() == 404 {
            return Err(ToolError::file_not_found("path", "does not exist")
                .suggest("Use a path from a directory listing."));
        }
        json(&response).map_err(error)
    }

    /// Lists one directory at a commit.
    pub(super) async fn list(
        &self,
        path: &str,
        limit: usize,
        commit: &str,
        cx: &ToolContext,
    ) -> Result<RepositoryListing, ToolError> {
        let Wire::Directory(mut entries) = self.entry(path, commit, cx).await? else {
            return Err(
                ToolError::about(ErrorCode::NotADirectory, "path", "is not a directory")
                    .suggest("Use the path of a directory."),
            );
        };
        let truncated = entries.len() >= MAX_ENTRIES || entries.len() > limit;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        entries.truncate(limit);
        Ok(RepositoryListing {
            entries: entries.into_iter().map(WireEntry::described).collect(),
            truncated,
        })
    }

    /// Reads a file at a commit, up to the limit.
    pub(super) async fn read(
        &self,
        path: &str,
        limit: usize,
        commit: &str,
        cx: &ToolContext,
    ) -> Result<RepositoryFile, ToolError> {
        let entry = match self.entry(path, commit, cx).await? {
            Wire::Entry(entry) if entry.kind == "file" => entry,
            _ => {
                return Err(
                    ToolError::about(ErrorCode::NotAFile, "path", "is not a file")
                        .suggest("Use the path of a file."),
                );
            }
        };
        let mut text = entry.content;
        text.retain(|c| !c.is_ascii_whitespace());
        let mut content = BASE64_STANDARD.decode(text).unwrap_or_default();
        // The service omits the content of files over 1 MB here.
        if (content.len() as u64) < entry.size {
            let request = self.contents(path, commit)?.header("accept", RAW);
            let response = self.send(request.cut_at(limit), cx).await.map_err(error)?;
            check(&response).map_err(error)?;
            content = response.body;
        }
        content.truncate(limit);
        Ok(RepositoryFile {
            path: entry.path,
            size: entry.size,
            content,
        })
    }
}

impl WireEntry {
    fn described(self) -> RepositoryEntry {
        let kind = match self.kind.as_str() {
            "file" => EntryKind::File,
            "dir" => EntryKind::Directory,
            "symlink" => EntryKind::Link,
            _ => EntryKind::Other,
        };
        RepositoryEntry {
            path: self.path,
            kind,
            size: if kind == EntryKind::File {
                self.size
            } else {
                0
            },
        }
    }
}

/// Returns the components of a path. The address has no `..`, which would lead to another resource.
fn components(path: &str) -> Result<Vec<&str>, ToolError> {
    let is_valid = path.len() <= MAX_PATH && !path.contains(char::is_control);
    let suggestion = "Use a path relative to the repository root.";
    require(is_valid, "path", "is not a valid path", suggestion)?;
    let components: Vec<&str> = path
        .split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .collect();
    if path.starts_with('/') || components.contains(&"..") {
        return Err(ToolError::path_outside_workspace("path"));
    }
    Ok(components)
}

/// Returns the error for an operation that needs all files.
pub(super) fn too_large() -> ToolError {
    ToolError::new(
        ErrorCode::from("response_too_large"),
        "The repository is too large to search or to list as a whole",
    )
    .suggest("List single directories, and read single files.")
    .with_retryable(false)
}
