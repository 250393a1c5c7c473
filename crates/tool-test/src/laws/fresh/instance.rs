//! New tool in its own registry and directory.

use std::time::Duration;

use serde_json::Value;
use tool_core::Registry;

use super::super::directory::{self, Files};
use crate::Scratch;

/// Time limit of a call that nothing blocks.
pub(super) const SOON: Duration = Duration::from_secs(5);

/// New tool in its own registry and directory.
pub(super) struct ToolInstance {
    pub(super) name: String,
    pub(super) registry: Registry,
    pub(super) scratch: Scratch,
}

impl ToolInstance {
    /// Reads the files of the directory on a blocking thread.
    pub(super) async fn files(&self) -> Files {
        let root = self.scratch.path().to_owned();
        let files = tokio::task::spawn_blocking(move || directory::files(&root)).await;
        files.unwrap_or_default()
    }

    pub(super) async fn processes(&self) -> Vec<u32> {
        let root = self.scratch.path().to_owned();
        let processes = tokio::task::spawn_blocking(move || directory::processes(&root)).await;
        processes.unwrap_or_default()
    }

    /// Returns `true` if the call finishes within [`SOON`].
    pub(super) async fn ends(&self, call: &Value) -> bool {
        let work = self.registry.execute(&self.name, call.clone());
        tokio::time::timeout(SOON, work).await.is_ok()
    }
}
