//! One file, without the tree.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::HeaderValue;
use serde::Deserialize;
use tool_core::ToolContext;

use super::{Head, Repository, check};
use crate::door::Problem;

const OBJECT: &str = "application/vnd.github.object+json";

/// Entry as returned by the service. Only files of up to 1 MB have content.
#[derive(Debug, Deserialize)]
struct WireContents {
    #[serde(rename = "type")]
    kind: String,
    encoding: Option<String>,
    content: Option<String>,
    #[serde(default)]
    size: u64,
}

impl Repository {
    /// Returns a file with one request, or `None` if the tree is needed: because it is known and costs
    /// less, or for a large file, a directory, a path through a link, and a path that does not exist.
    ///
    /// The service follows a link to a file.
    pub(in crate::github) async fn small_file(
        &self,
        head: &Head,
        names: &[String],
        cx: &ToolContext,
    ) -> Result<Option<Arc<Vec<u8>>>, Problem> {
        let is_known = head.tree.as_ref().is_none_or(|tree| self.knows(tree));
        if is_known || names.is_empty() {
            return Ok(None);
        }
        // The ID in the response is that of the link if the path is a link, so the path is the key.
        let key = format!("{} {}", head.commit, names.join("/"));
        if let Some(known) = self.blobs.get(&key) {
            return Ok(Some(known));
        }
        let Some(content) = self.contents(&head.commit, names, cx).await? else {
            return Ok(None);
        };
        let content = Arc::new(content);
        self.blobs.put(&key, Arc::clone(&content), content.len());
        Ok(Some(content))
    }

    async fn contents(
        &self,
        commit: &str,
        names: &[String],
        cx: &ToolContext,
    ) -> Result<Option<Vec<u8>>, Problem> {
        let mut segments = vec!["contents"];
        segments.extend(names.iter().map(String::as_str));
        let request = self
            .request("contents", &segments)
            .query("ref", commit)
            .header("accept", HeaderValue::from_static(OBJECT));
        let response = self.send(request, cx).await?;
        // Files over 100 MB have status 403.
        if matches!(response.status.as_u16(), 403 | 404 | 422) {
            return Ok(None);
        }
        check(&response)?;
        Ok(response
            .json::<WireContents>()?
            .file()
            .map(|file| self.scrubbed(file)))
    }
}

impl WireContents {
    /// Returns the content of a file if it is complete.
    fn file(self) -> Option<Vec<u8>> {
        if self.kind != "file" || self.encoding.as_deref() != Some("base64") {
            return None;
        }
        let mut text = self.content?;
        text.retain(|c| !c.is_ascii_whitespace());
        let content = BASE64_STANDARD.decode(text).ok()?;
        (content.len() as u64 == self.size).then_some(content)
    }
}
