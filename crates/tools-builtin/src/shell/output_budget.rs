//! Limit of the output that a tool returns, and storage of the rest.

use std::sync::Arc;
use std::time::Duration;

use tool_core::ToolContext;
use tool_core::output_store::OutputStore;

use super::command_output::CommandOutput;
use super::process::Outcome;

/// Maximum bytes returned of each stream by default, half from its beginning and half from its end.
const DEFAULT_BYTES: usize = 64 * 1024;

/// Maximum bytes of each stream that are stored.
const STORED_BYTES: usize = 8 * 1024 * 1024;

/// Timeout of a store.
const STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// Metadata key of the handle of the full output.
const STORED_OUTPUT: &str = "stored_output";

/// Limit of the output that a tool returns, and the store for the full output.
#[derive(Debug, Clone)]
pub(crate) struct OutputBudget {
    pub(crate) max_bytes: usize,
    pub(crate) store: Option<Arc<dyn OutputStore>>,
}

impl Default for OutputBudget {
    fn default() -> Self {
        Self {
            max_bytes: DEFAULT_BYTES,
            store: None,
        }
    }
}

impl OutputBudget {
    /// Returns the number of bytes to capture of each stream.
    pub(crate) fn captured_bytes(&self) -> usize {
        match self.max_bytes {
            0 => 0,
            returned if self.store.is_some() => returned.max(STORED_BYTES),
            returned => returned,
        }
    }

    /// Shortens the streams to the limit. If a stream is too long, stores the full output and adds a warning.
    pub(crate) async fn shorten(&self, outcome: &mut Outcome, cx: &ToolContext) {
        let streams = [
            ("standard output", &outcome.stdout),
            ("standard error", &outcome.stderr),
        ];
        let is_long = |stream: &super::capture::Capture| stream.total() > self.max_bytes as u64;
        let long = streams.into_iter().filter(|(_, stream)| is_long(stream));
        let long: Vec<String> = long
            .map(|(name, stream)| {
                let (bytes, lines) = (stream.total(), stream.lines());
                format!("{bytes} bytes in {lines} lines to {name}")
            })
            .collect();
        if long.is_empty() {
            return;
        }
        let next = self.store(outcome, cx).await;
        let printed = long.join(" and ");
        cx.warn(format!(
            "The command printed {printed}, which is truncated. {next}"
        ));
        for stream in [
            &mut outcome.stdout,
            &mut outcome.stderr,
            &mut outcome.combined,
        ] {
            stream.shorten(self.max_bytes);
        }
    }

    /// Stores the full output and returns the next step of the model.
    async fn store(&self, outcome: &Outcome, cx: &ToolContext) -> String {
        if let Some(store) = &self.store {
            let text = CommandOutput::so_far(outcome).to_string();
            // The command has already run: a store that hangs or fails must not lose its result.
            match tokio::time::timeout(STORE_TIMEOUT, store.put(text.into())).await {
                Ok(Ok(handle)) => {
                    let handle = handle.to_string();
                    cx.note(STORED_OUTPUT, handle.as_str());
                    return format!("The stored output `{handle}` contains more.");
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the output of a command could not be stored");
                }
                Err(_) => tracing::warn!("the output of a command could not be stored in time"),
            }
        }
        "Redirect the output to a file and read the parts that you need.".to_owned()
    }
}
