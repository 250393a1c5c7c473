//! The tool that reads stored outputs.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutputHandle, OutputStore, STORED_OUTPUT, StoreError, StoredPage};
use crate::{
    ErrorCode, OutputLimit, RiskLevel, Tool, ToolContext, ToolError, Typed, TypedTool, text,
};

/// Default bytes of a page.
const PAGE: u32 = 16 * 1024;
/// Maximum bytes of a page.
const MAX_PAGE: u32 = 64 * 1024;

/// Creates the tool `read_stored_output`, which reads truncated outputs from a store, which must be that of the registry.
/// Its pages have their own limit and are not truncated again.
///
/// Its input is `handle`, `offset` in bytes (default 0) and `limit` in bytes (default 16,384, at most 65,536); its output is
/// `content` and `total`. Both ends are at character boundaries, and the end is at a newline if one is near. The last line
/// of the text contains the next offset, which is also `next_offset` in the result's metadata.
///
/// # Errors
/// Returns `invalid_arguments` if the handle is unknown or expired or the offset is past the end, and `unavailable` if the
/// store cannot be read.
///
/// # Examples
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::output_store::{MemoryStore, OutputStore, read_stored_output};
/// use tool_core::Registry;
///
/// let store = Arc::new(MemoryStore::default());
/// let handle = store.put("one\ntwo\n".into()).await?;
/// let registry = Registry::of(read_stored_output(store))?;
///
/// let result = registry.execute("read_stored_output", json!({"handle": handle, "offset": 4})).await;
/// assert_eq!(result.data, Some(json!({"content": "two\n", "total": 8})));
/// # Ok(()) }
/// ```
pub fn read_stored_output(store: Arc<dyn OutputStore>) -> impl Tool {
    let description = "Reads a part of a truncated output by its handle.";
    Typed::new("read_stored_output", description, ReadStoredOutput(store))
        .define(|definition| definition.with_output_limit(OutputLimit::unlimited()))
}

/// Stored output to read, and the part of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Handle of the output, as given in the truncated output.
    handle: String,
    /// First byte to return, counted from 0.
    #[serde(default)]
    offset: u64,
    /// Maximum number of bytes to return. The text ends at a line if possible.
    #[serde(default = "page")]
    #[schemars(range(min = 1, max = 65536))]
    limit: u32,
}

fn page() -> u32 {
    PAGE
}

/// Part of a stored output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
struct Output {
    /// Text of this part.
    content: String,
    /// Bytes of the full output.
    total: u64,
    #[serde(skip)]
    offset: u64,
    #[serde(skip)]
    next_offset: Option<u64>,
}

struct ReadStoredOutput(Arc<dyn OutputStore>);

impl TypedTool for ReadStoredOutput {
    type Input = Input;
    type Output = Output;

    const RISK: RiskLevel = RiskLevel::ReadOnly;

    async fn run(&self, cx: &ToolContext, input: Input) -> Result<Output, ToolError> {
        let handle = OutputHandle::parse(input.handle.trim()).ok_or_else(not_a_handle)?;
        let limit = input.limit.min(MAX_PAGE) as usize;
        let page = self.0.read(&handle, input.offset, limit).await;
        let page = page.map_err(|error| refusal(error, input.offset))?;
        let next_offset = page.next_offset();
        cx.note("next_offset", next_offset);
        // Already stored: do not store it again.
        cx.note(STORED_OUTPUT, handle.as_str());
        let StoredPage {
            content,
            offset,
            total,
        } = page;
        Ok(Output {
            content,
            total,
            offset,
            next_offset,
        })
    }

    fn render(output: &Output) -> String {
        // The last part needs no hint, so it is the stored text and nothing else.
        let Some(next) = output.next_offset else {
            return output.content.clone();
        };
        let line_end = if output.content.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!(
            "{}{line_end}[… bytes {} to {} of {}; use offset {next} to continue]",
            output.content,
            number(output.offset),
            number(next),
            number(output.total),
        )
    }
}

fn number(number: u64) -> String {
    text::with_commas(usize::try_from(number).unwrap_or(usize::MAX))
}

fn not_a_handle() -> ToolError {
    ToolError::invalid_arguments("handle", "is not a handle")
        .suggest("Copy it from the truncated output; it is `out_` and 32 letters and digits.")
}

fn refusal(error: StoreError, offset: u64) -> ToolError {
    match error {
        StoreError::Unknown => ToolError::invalid_arguments(
            "handle",
            "is unknown; it may be mistyped, or the output has expired",
        )
        .suggest("Copy it from the truncated output, or call the first tool again."),
        StoreError::PastEnd { total } => ToolError::invalid_arguments(
            "offset",
            format!(
                "is {}, but the output has {} bytes",
                number(offset),
                number(total)
            ),
        )
        .suggest(format!("Use an offset below {total}.")),
        error => ToolError::new(ErrorCode::Unavailable, "The stored output cannot be read")
            .suggest("Call the tool that returned the output again, for a smaller part.")
            .caused_by(error),
    }
}

#[cfg(test)]
#[cfg(feature = "validate")]
mod tests;
