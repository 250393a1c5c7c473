//! Stored outputs, which some file tools take by their handles in place of files.

use std::sync::Arc;

use tool_core::ToolError;
use tool_core::output_store::{OutputHandle, OutputStore, StoreError};

/// Store of the outputs, if the host has one.
#[derive(Debug, Clone, Default)]
pub(super) struct StoredOutputs(Option<Arc<dyn OutputStore>>);

impl StoredOutputs {
    pub(super) fn of(store: Arc<dyn OutputStore>) -> Self {
        Self(Some(store))
    }

    /// Returns the handle, if the path is one and the host stores outputs.
    pub(super) fn handle(&self, path: &str) -> Option<OutputHandle> {
        OutputHandle::parse(path.trim()).filter(|_| self.0.is_some())
    }

    /// Returns the first `limit` bytes of the text of an output, and whether that is all.
    pub(super) async fn read(
        &self,
        handle: &OutputHandle,
        limit: usize,
    ) -> Result<(String, bool), ToolError> {
        let Some(store) = &self.0 else {
            return Err(not_read(StoreError::Unknown));
        };
        let page = store.read(handle, 0, limit).await.map_err(not_read)?;
        let is_whole = page.next_offset().is_none();
        Ok((page.content, is_whole))
    }

    /// Stores a text as another output.
    pub(super) async fn put(&self, text: String) -> Result<OutputHandle, ToolError> {
        let failed = || ToolError::failed("The result cannot be stored");
        let Some(store) = &self.0 else {
            return Err(failed());
        };
        let stored = store.put(text.into()).await;
        stored.map_err(|error| {
            failed()
                .suggest("Write the output to a file first, and edit the file.")
                .caused_by(error)
        })
    }
}

fn not_read(error: StoreError) -> ToolError {
    match error {
        StoreError::Unknown => {
            ToolError::invalid_arguments("path", "is the handle of no stored output")
                .suggest("It may have expired; run the call again.")
        }
        error => ToolError::failed("The stored output cannot be read")
            .suggest("Run the call again.")
            .caused_by(error),
    }
}
